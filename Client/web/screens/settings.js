// SPDX-License-Identifier: Apache-2.0
// The settings, in sections as the entitlement has them, and the devices below.

import { complain } from '../announce.js';
import { h } from '../dom.js';
import { page } from './page.js';

/** @param {import('../main.js').App} app */
export async function settings({ tabs, refresh, notes }) {
  /** @type {import('../core.js').SettingsView} */
  const view = await tabs.view('settings');
  /** @type {import('../core.js').ReplicaView} */
  const replica = await tabs.view('replica');
  const { error } = await tabs.status();
  /** @param {string} setting @param {string} value */
  const set = async (setting, value) => {
    try {
      await tabs.act('settings.set', { setting, value });
    } catch (problem) {
      complain(problem);
    }
    refresh();
  };
  return page(view.title,
    ...view.sections.map(({ title, lines }) => h('section', {}, h('h2', {}, title),
      ...lines.map((line) => setting(line, set)))),
    h('section', {}, h('h2', {}, 'Devices'),
      h('p', {}, replica.isPaired
        ? `Paired with ${replica.server}. ${replica.waiting === 0 ? 'Everything is there.'
          : `${replica.waiting} to send.`}` : 'Only on this device.'),
      error && h('p', { class: 'quiet' }, `${error.title} ${error.advice}`),
      h('p', {}, h('a', { href: replica.isPaired ? '#devices' : '#pair' },
        replica.isPaired ? 'Devices' : 'Pair this device')),
      replica.conflicts > 0 && h('p', {}, h('a', { href: '#conflicts' }, 'Later writes elsewhere')),
      ...notes.map((words) => h('p', { class: 'quiet' }, words))));
}

/**
 * Lines that lead elsewhere.
 * @type {Record<string, string>}
 */
const ways = { 'settings.premium.go': '#paywall' };

/** Lines of what is done elsewhere: in the terminal program, or in the shop. */
const absent = new Set(['settings.data.export', 'settings.data.import',
  'settings.account.restore']);

/**
 * @param {import('../core.js').SettingsView['sections'][0]['lines'][0] & {setting?: string}} line
 * @param {(setting: string, value: string) => void} set
 */
function setting({ name, words, value, choices, setting: key }, set) {
  if (absent.has(name)) return null;
  if (ways[name]) return h('p', {}, h('a', { href: ways[name] }, words));
  if (!choices || !key) return h('p', { class: 'quiet' }, words);
  if (choices.length === 2 && choices.every(({ value: each }) => /^(on|off)$/.test(each))) {
    const input = h('input', {
      type: 'checkbox', role: 'switch', onchange: () => set(key, input.checked ? 'on' : 'off'),
    });
    input.checked = value === 'on';
    return h('label', { class: 'line' }, h('span', {}, words), input);
  }
  const select = h('select', { onchange: () => set(key, select.value) },
    ...choices.map((choice) => h('option', {
      value: choice.value, selected: choice.words === value,
    }, choice.words)));
  // A value typed elsewhere may be none of the choices.
  if (!choices.some((choice) => choice.words === value)) {
    select.prepend(h('option', { value: '', selected: true, disabled: true }, value ?? ''));
  }
  return h('label', { class: 'line' }, h('span', {}, words), select);
}
