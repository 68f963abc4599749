// SPDX-License-Identifier: Apache-2.0
// A line of Scripture: it fades in once, and shows its place when asked.

import { h } from '../dom.js';

/** How long an arrival or a line takes to be there, in milliseconds. */
const settled = 3000;
/** How long a finger rests on a line until its place is shown, and how long that stays. */
const press = 500;
const stay = 2800;
/**
 * The line on this page, and since when.
 * @type {{line?: string, at: number}}
 */
const shown = { at: 0 };

/**
 * The milliseconds since a moment, for animations that a redraw must not begin anew: the delay of
 * one that began then. Null if it is over.
 * @param {number|undefined} moment By `performance.now()`.
 * @returns {string|null}
 */
export function since(moment) {
  const past = performance.now() - (moment ?? -Infinity);
  return past < settled ? `-${Math.round(past)}ms` : null;
}

/** @param {NonNullable<import('../core.js').TimerView['vigil']>} fragment */
export function scripture({ line, citation, spoken, spokenCitation }) {
  if (line !== shown.line) Object.assign(shown, { line, at: performance.now() });
  const delay = since(shown.at);
  const quote = h('blockquote', {
    class: delay ? 'scripture fresh' : 'scripture', tabindex: 0,
    'aria-label': `${spoken} ${spokenCitation}`,
  }, line, h('cite', {}, citation));
  /** @type {ReturnType<typeof setTimeout>} */
  let asking;
  const leave = () => clearTimeout(asking);
  quote.addEventListener('pointerdown', () => {
    leave();
    asking = setTimeout(() => {
      quote.classList.add('asked');
      setTimeout(() => quote.classList.remove('asked'), stay);
    }, press);
  });
  for (const end of ['pointerup', 'pointercancel', 'pointerleave']) quote.addEventListener(end, leave);
  quote.addEventListener('contextmenu', (/** @type {Event} */ event) => event.preventDefault());
  if (delay) quote.style.setProperty('--since', delay);
  return quote;
}
