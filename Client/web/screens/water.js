// SPDX-License-Identifier: Apache-2.0
// Water: additions by one touch, and what was noted, by the day.

import { button, every, h, once } from '../dom.js';
import { say } from '../words.js';
import { page, withUndo } from './page.js';
import { performing } from './perform.js';

/** @param {import('../main.js').App} app */
export async function water(app) {
  const { tabs, refresh, signal } = app;
  /** @type {import('../core.js').WaterView} */
  const view = await tabs.view('water', { days: 14 });
  const act = performing(app);
  const today = new Date().toDateString();
  every(30_000, () => new Date().toDateString() !== today && refresh(), signal);
  const frame = page(say('water'),
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
  return view.canUndo ? withUndo(frame, () => act('water.undo')) : frame;
}
