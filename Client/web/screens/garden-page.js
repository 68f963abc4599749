// SPDX-License-Identifier: Apache-2.0
// The frame of the garden's pages: a picture or words in daylight, and a strip of earth below with
// the way back and what can be done.

import { glyph, glyphs, h } from '../dom.js';

/**
 * The words of the garden's screens, from the core.
 * @typedef {Record<string, string>} Words
 * @type {Words|undefined}
 */
let known;

/** The height of the strip of earth, in points. */
export const earthHeight = 68;

/** @param {import('../main.js').App['tabs']} tabs @returns {Promise<Words>} */
export async function gardenWords(tabs) {
  known ??= /** @type {Words} */ (await tabs.view('garden.words'));
  return known;
}

/**
 * @param {{title: string, words: Words, up: string, upWords?: string}} frame `up` is the place
 *   that the way back leads to.
 * @param {(Node|false|null|undefined)[]} tools
 * @param {(Node|false|null|undefined)[]} children
 */
export function gardenPage({ title, words, up, upWords = words.back }, tools, ...children) {
  // Trunk's words are English in every language.
  return h('article', { class: 'garden', lang: 'en' }, h('h1', { class: 'spoken' }, title),
    ...children,
    h('nav', { class: 'earth', 'aria-label': words.garden },
      h('a', { href: `#${up}`, class: 'tool back' },
        glyph(up === 'timer' ? gardenGlyphs.timer : glyphs.back), h('span', {}, upWords)),
      ...tools));
}

/**
 * A button of the strip.
 * @param {string} words
 * @param {string} shape
 * @param {() => void} act
 */
export function tool(words, shape, act) {
  return h('button', { type: 'button', class: 'tool', onclick: act },
    glyph(shape), h('span', {}, words));
}

/** @param {string} words @param {string} shape @param {string} place */
export function way(words, shape, place) {
  return h('a', { href: `#${place}`, class: 'tool' }, glyph(shape), h('span', {}, words));
}

export const gardenGlyphs = {
  harvest: 'M5 11h14l-1.500 9h-11zM8 11c0-4 1.700-6.500 4-6.500s4 2.500 4 6.500M9.500 14v3M14.500 14v3',
  journal: 'M6.500 4H18v16H6.500a2 2 0 0 1 0-4H18M4.500 18V6a2 2 0 0 1 2-2M9 8h5',
  name: 'M4 5h7.500l8.500 8.500-6.500 6.500L5 11.500zM8.200 8.700h.01',
  sun: 'M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM12 3v2M12 19v2M3 12h2M19 12h2M5.700 5.700l1.400 1.400M16.900 16.900l1.400 1.400M5.700 18.300l1.400-1.400M16.900 7.100l1.400-1.400',
  timer: 'M12 5a8 8 0 1 1 0 16 8 8 0 0 1 0-16zM12 9v4l2.500 2M9.500 2h5',
  undo: 'M8 5L4 9l4 4M4 9h10a5.500 5.500 0 0 1 0 11h-4',
};
