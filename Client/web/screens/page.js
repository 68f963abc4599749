// SPDX-License-Identifier: Apache-2.0
// The frame of a page that lies over the timer: a way back, a heading, and its contents.

import { glyph, glyphs, h } from '../dom.js';
import { say } from '../words.js';

/** @param {string} title @param {(Node|string|null|undefined|false)[]} children */
export function page(title, ...children) {
  return h('article', { class: 'page' },
    h('header', {},
      h('a', { href: '#timer', class: 'back', 'aria-label': say('back') },
        glyph(glyphs.back)),
      h('h1', {}, title)),
    ...children);
}
