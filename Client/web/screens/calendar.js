// SPDX-License-Identifier: Apache-2.0
// A month of fasts, by the day.

import { glyph, glyphs, h } from '../dom.js';
import { page } from './page.js';

/** @param {import('../main.js').App} app */
export async function calendar({ tabs, argument }) {
  /** @type {import('../core.js').CalendarView} */
  const view = await tabs.view('calendar', argument ? { month: argument } : {});
  /** @param {{month: string, words: string}} other @param {string} shape */
  const turn = (other, shape) =>
    h('a', { href: `#calendar/${other.month}`, 'aria-label': other.words }, glyph(shape));
  return page(view.heading,
    h('div', { class: 'month' },
      turn(view.previous, glyphs.back), h('h2', {}, view.title), turn(view.next, glyphs.next)),
    h('table', { class: 'days' },
      h('thead', {}, h('tr', {}, ...view.weekdays.map((day) => h('th', { scope: 'col' }, day)))),
      h('tbody', {}, ...view.weeks.map((week) => h('tr', {}, ...week.map(day))))),
    view.empty && h('p', { class: 'quiet' }, view.empty),
    h('ul', { class: 'list' }, ...view.weeks.flat().flatMap((each) => ('fasts' in each ? each.fasts : [])).map(
      (fast) => h('li', {}, h('a', { href: `#tree/${fast.id}` },
        ...fast.lines.map((line) => h('span', {}, line)))))));
}

/** @param {import('../core.js').CalendarView['weeks'][0][0]} each */
function day(each) {
  if (!('fasts' in each)) return h('td', {});
  return h('td', { class: each.isToday ? 'today' : null, 'aria-current': each.isToday ? 'date' : null },
    String(each.number),
    ...each.fasts.map((fast) => h('span', {
      class: fast.tone === undefined ? 'dot early' : `dot tone-${fast.tone}`, role: 'img', 'aria-label': fast.words,
    })));
}
