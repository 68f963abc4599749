// SPDX-License-Identifier: Apache-2.0
// Terms and privacy, in plain words.

import { h } from '../dom.js';
import { say } from '../words.js';
import { under } from './page.js';

/** @param {import('../main.js').App} app */
export async function privacy({ tabs }) {
  return paragraphs(await title(tabs, 'settings.legal.privacy'),
    ['privacyHere', 'privacyServer', 'privacyNobody']);
}

/** @param {import('../main.js').App} app */
export async function terms({ tabs }) {
  return paragraphs(await title(tabs, 'settings.legal.terms'),
    ['termsLicence', 'termsPurchase', 'termsHealth']);
}

/** @param {string} title @param {string[]} names */
function paragraphs(title, names) {
  return under('settings', title, ...names.map((name) => h('p', {}, say(name))));
}

/**
 * The words of the settings' line that leads here.
 * @param {import('../tabs.js').Tabs} tabs
 * @param {string} name
 */
async function title(tabs, name) {
  /** @type {import('../core.js').SettingsView} */
  const { sections } = await tabs.view('settings');
  return sections.flatMap(({ lines }) => lines).find((line) => line.name === name)?.words ?? '';
}
