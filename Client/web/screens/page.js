// SPDX-License-Identifier: Apache-2.0
// The frame of a page that lies over the timer: a way back, a heading, and its contents.

import { button, glyph, glyphs, h, once } from '../dom.js';
import { say } from '../words.js';

/** @param {string} title @param {(Node|string|null|undefined|false)[]} children */
export function page(title, ...children) {
  return under('timer', title, ...children);
}

/**
 * A page that lies over another one.
 * @param {string} place Where the way back leads.
 * @param {string} title @param {(Node|string|null|undefined|false)[]} children
 */
export function under(place, title, ...children) {
  const words = say(place === 'timer' ? 'back' : 'up');
  return h('article', { class: 'page' },
    h('header', {},
      h('a', { href: `#${place}`, class: 'back', 'aria-label': words }, glyph(glyphs.back)),
      h('h1', {}, title)),
    ...children);
}

/**
 * Puts into a page's heading what takes its latest change back.
 * @param {HTMLElement} frame @param {() => Promise<void>} undo
 */
export function withUndo(frame, undo) {
  frame.querySelector('header')?.append(button(say('undo'), once(undo), { class: 'plain' }));
  return frame;
}
