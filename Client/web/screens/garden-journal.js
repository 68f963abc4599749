// SPDX-License-Identifier: Apache-2.0
// All words of the garden, latest first.

import { button, h } from '../dom.js';
import { gardenPage, gardenWords } from './garden-page.js';

const pageLength = 50;

/** @param {import('../main.js').App} app */
export async function journal({ tabs, before }) {
  const words = await gardenWords(tabs);
  const list = h('ol', { class: 'said' });
  const body = h('div', { class: 'leafage' }, h('h2', {}, words.journal), list);
  /** @param {number} skip */
  const more = async (skip) => {
    /** @type {import('../core.js').JournalView} */
    const view = await tabs.view('journal', { limit: pageLength, skip });
    list.append(...view.entries.map((each) => h('li', {}, h('time', {}, each.when),
      each.place ? h('a', { href: `#${each.place}`, dir: 'auto' }, each.line)
        : h('span', { dir: 'auto' }, each.line),
      each.note && h('p', { dir: 'auto' }, each.note))));
    if (view.next !== undefined) {
      const { next } = view;
      const earlier = button(words.earlier, async () => {
        earlier.remove();
        await more(next);
      }, { class: 'plain' });
      body.append(earlier);
    }
    return view;
  };
  const { entries, empty } = await more(0);
  if (entries.length === 0) list.replaceWith(h('p', { class: 'quiet' }, empty));
  return gardenPage({ title: words.journal, words, up: /^garden/.test(before) ? before : 'garden' }, [], body);
}
