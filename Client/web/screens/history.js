// SPDX-License-Identifier: Apache-2.0
// Every fast that the entitlement shows, latest first.

import { button, h } from '../dom.js';
import { say } from '../words.js';
import { page } from './page.js';

const pageLength = 50;

/** @param {import('../main.js').App} app */
export async function history({ tabs }) {
  const list = h('ul', { class: 'list' });
  /** @param {number} [before] */
  const more = async (before) => {
    /** @type {import('../core.js').HistoryView} */
    const view = await tabs.view('history', { limit: pageLength, ...(before && { before }) });
    for (const fast of view.fasts) {
      list.append(h('li', {}, h('a', { href: `#tree/${fast.id}` },
        ...fast.lines.map((line) => h('span', {}, line)))));
    }
    if (view.next !== undefined) {
      const next = button(say('earlier'), async () => {
        await more(view.next);
        next.remove();
      }, { class: 'plain' });
      list.after(next);
    }
    return view;
  };
  const frame = page(say('history'), list);
  const { fasts, empty } = await more();
  if (fasts.length === 0) frame.append(h('p', { class: 'quiet' }, empty));
  return frame;
}
