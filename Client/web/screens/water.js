// SPDX-License-Identifier: Apache-2.0
// Water: additions by one touch, and what was noted, by the day.

import { showError, notice } from '../announce.js';
import { button, every, h, once } from '../dom.js';
import { say } from '../words.js';
import { page } from './page.js';

/** @param {import('../main.js').App} app */
export async function water({ tabs, refresh, signal }) {
  /** @type {import('../core.js').WaterView} */
  const view = await tabs.view('water', { days: 14 });
  /** @param {string} name @param {object} argument */
  const act = async (name, argument) => {
    try {
      const { words } = await tabs.act(name, argument);
      if (words) notice(words);
      refresh();
    } catch (error) {
      showError(error);
    }
  };
  const today = new Date().toDateString();
  every(30_000, () => new Date().toDateString() !== today && refresh(), signal);
  return page(say('water'),
    h('p', { class: 'total', 'aria-label': view.spoken }, view.total),
    h('div', { class: 'choices' }, ...view.quickAdd.map(({ millilitres, text }) =>
      button(text, () => act('water.add', { millilitres })))),
    ...view.days.filter((each) => each.entries.length > 0).map((each) => h('section', {},
      h('h2', {}, each.title, h('small', {}, each.total)),
      h('ul', { class: 'list' }, ...each.entries.map((entry) => h('li', {},
        h('span', {}, entry.text), h('time', {}, entry.clock),
        button(view.remove, once(act, 'water.delete', { id: entry.id }), {
          class: 'plain', 'aria-label': `${view.remove} ${entry.text}, ${entry.clock}`,
        })))))),
    view.days.every((each) => each.entries.length === 0) && h('p', { class: 'quiet' }, view.empty));
}
