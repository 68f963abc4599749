// SPDX-License-Identifier: Apache-2.0
// The settings, in sections as the entitlement has them, and the devices below.

import { showError } from '../announce.js';
import { button, glyph, glyphs, h, surely } from '../dom.js';
import { databaseName, erase } from '../store.js';
import { say } from '../words.js';
import { download } from './import.js';
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
      showError(problem);
    }
    refresh();
  };
  return page(view.title,
    ...view.sections.map(({ title, lines }) => h('section', {}, h('h2', {}, title),
      ...lines.map((line) => setting(line, set, tabs)))),
    h('section', {}, h('h2', {}, say('devices')),
      h('p', {}, replica.isPaired
        ? `${say('pairedWith', replica.server ?? '')} ${replica.waiting === 0 ? say('allSent')
          : say('toSend', String(replica.waiting))}` : say('onlyHere')),
      (replica.ended || error) && h('p', { class: 'quiet' },
        replica.ended ?? `${error?.title} ${error?.advice}`),
      replica.isPaired && way('#devices', say('devices')),
      (!replica.isPaired || replica.ended) && way('#pair', say('pairThis')),
      (!replica.isPaired || replica.ended) && surely(say('erase'), say('eraseSure'), () => eraseAll(tabs)),
      replica.conflicts > 0 && way('#conflicts', say('conflicts')),
      ...notes.filter((name) => !(replica.isPaired && name === 'mayForget')).map((name) => h('p', { class: 'quiet' }, say(name)))));
}

/** @param {import('../tabs.js').Tabs} tabs */
async function eraseAll(tabs) {
  try {
    await erase(databaseName);
    tabs.erased();
    location.replace('/');
  } catch (error) {
    showError(error);
  }
}

/** @param {string} href @param {string} words */
function way(href, words) {
  return h('a', { href, class: 'way' }, words, glyph(glyphs.next));
}

/**
 * Lines that lead elsewhere.
 * @type {Record<string, string>}
 */
const ways = {
  'settings.premium.go': '#paywall', 'settings.data.import': '#import',
  'settings.account.restore': '#purchase', 'settings.legal.terms': '#terms',
  'settings.legal.privacy': '#privacy',
};

/**
 * @param {import('../core.js').SettingsView['sections'][0]['lines'][0] & {setting?: string}} line
 * @param {(setting: string, value: string) => void} set
 * @param {import('../tabs.js').Tabs} tabs
 */
function setting({ name, words, value, choices, setting: key }, set, tabs) {
  if (name === 'settings.data.export') return button(words, () => download(tabs), { class: 'way' });
  if (ways[name]) return way(ways[name], words);
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
