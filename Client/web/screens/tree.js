// SPDX-License-Identifier: Apache-2.0
// One fast: its tree, its times, and their correction.

import { notice } from '../announce.js';
import { h, picture, surely } from '../dom.js';
import { say } from '../words.js';
import { under } from './page.js';
import { performing } from './perform.js';

/** @param {import('../main.js').App} app */
export async function tree(app) {
  const { tabs, argument, before, go, refresh } = app;
  /** @type {import('../core.js').TreeView} */
  const view = await tabs.view('tree', { id: argument });
  const { fast } = view;
  const start = field('start', fast.start);
  const end = fast.end === undefined ? null : field('end', fast.end);
  const act = performing(app);
  const image = view.svg ? picture(view.svg) : null;
  image?.setAttribute('aria-hidden', 'true');
  const [from] = /^(timer|forest|calendar(\/.+)?)/.exec(before) ?? ['history'];
  return under(from, say('fast'),
    image && h('div', { class: 'portrait' }, image),
    ...view.lines.map((line) => h('p', {}, line)),
    h('form', {
      class: 'fields', onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        act('fast.edit', { id: fast.id, ...changed(start), ...changed(end) }, () => {
          notice(say('keptNow'));
          refresh();
        });
      },
    }, start?.label, end?.label, h('button', { class: 'main' }, say('keep'))),
    surely(say('delete'), say('deleteSure'), () => act('fast.delete', { id: fast.id }, () => go(from))));
}

/** @param {'start'|'end'} name @param {number} at */
function field(name, at) {
  const input = h('input', { type: 'datetime-local', step: 60, required: true });
  input.value = local(at);
  return { label: h('label', {}, say(name), input), input, at, name };
}

/**
 * The seconds of what was not touched stay.
 * @param {ReturnType<typeof field>|null} each
 */
function changed(each) {
  if (!each || each.input.value === local(each.at)) return {};
  return { [each.name]: new Date(each.input.value).getTime() };
}

/** @param {number} at */
function local(at) {
  const shifted = at - new Date(at).getTimezoneOffset() * 60_000;
  return new Date(shifted).toISOString().slice(0, 16);
}
