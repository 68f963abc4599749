// SPDX-License-Identifier: Apache-2.0
// The garden: the tree, a branch or a twig as the core draws it, each part a way further in.

import { announce } from '../announce.js';
import { glyphs, h, picture } from '../dom.js';
import { earthHeight, gardenGlyphs, gardenPage, gardenWords, tool, way } from './garden-page.js';
import { nameSheet, shineSheet, sproutSheet } from './garden-sheets.js';
import { performing } from './perform.js';

/** The height of the list of what grows, in points. */
const growingHeight = 116;
/** How far from a spot's middle a touch still means it, in points. */
const reach = 130;

/** @param {import('../main.js').App} app */
export async function garden(app) {
  const { tabs, argument, go, refresh, signal } = app;
  const node = argument || 'trunk';
  const isTree = node === 'trunk';
  // Not that of the window, which a picture drawn for a wider screen has zoomed out.
  const { clientWidth: width, clientHeight } = document.documentElement;
  const notch = parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--notch'));
  const below = earthHeight + (isTree ? growingHeight : 0);
  const height = Math.max(320, clientHeight - (notch || 0) - below);
  const words = await gardenWords(tabs);
  /** @type {import('../core.js').GardenView} */
  const view = await tabs.view('garden', { node, width, height });
  addEventListener('resize', refresh, { signal });
  announce(`${view.title}. ${view.soil}. ${view.left}`);
  const { twig } = view;
  const act = performing(app);
  const tools = [
    twig !== undefined && tool(words.plant, glyphs.garden, () => sproutSheet(app, { twig })),
    twig !== undefined && tool(words.shine, gardenGlyphs.sun, () => shineSheet(app, twig, view)),
    tool(words.name, gardenGlyphs.name, () => nameSheet(app, node, view)),
    twig === undefined && way(words.journal, gardenGlyphs.journal, 'journal'),
    view.canUndo && tool(words.undo, gardenGlyphs.undo, () => act('garden.undo')),
  ];
  return gardenPage(
    { title: view.title, words, up: view.up ?? 'timer', upWords: view.up ? words.back : words.timer },
    tools, plot(view, go),
    // A twig's note is in its picture.
    twig === undefined && view.note && h('p', { class: 'note', dir: 'auto' }, view.note),
    isTree && growing(view, words), ...beside(view));
}

/**
 * The picture, with a link over each part. A touch beside the links means the nearest one.
 * @param {import('../core.js').GardenView} view
 * @param {(place: string) => void} go
 */
function plot({ svg, width, height, spots }, go) {
  const image = picture(svg);
  image?.setAttribute('aria-hidden', 'true');
  const box = h('div', {
    class: 'plot', onclick: (/** @type {MouseEvent} */ event) => {
      if (/** @type {Element} */ (event.target).closest('a')) return;
      const { left, top } = box.getBoundingClientRect();
      const near = nearest(spots, event.clientX - left, event.clientY - top);
      if (near) go(near.place);
    },
  }, image, ...spots.map(spot));
  box.style.setProperty('width', `${width}px`);
  box.style.setProperty('height', `${height}px`);
  return box;
}

/** @param {import('../core.js').GardenView['spots'][0]} each */
function spot({ place, words, x, y, width, height }) {
  const link = h('a', { href: `#${place}`, class: 'spot', 'aria-label': words });
  link.style.setProperty('left', `${x}px`);
  link.style.setProperty('top', `${y}px`);
  link.style.setProperty('width', `${width}px`);
  link.style.setProperty('height', `${height}px`);
  return link;
}

/**
 * @param {import('../core.js').GardenView['spots']} spots
 * @param {number} x
 * @param {number} y
 */
function nearest(spots, x, y) {
  const away = spots.map((each) => ({
    place: each.place,
    distance: Math.hypot(each.x + each.width / 2 - x, each.y + each.height / 2 - y),
  })).sort((a, b) => a.distance - b.distance);
  return away[0]?.distance <= reach ? away[0] : undefined;
}

/** @param {import('../core.js').GardenView} view @param {import('./garden-page.js').Words} words */
function growing({ growing: list = [] }, words) {
  return h('section', { class: 'growing', 'aria-label': words.growing },
    list.length === 0 ? h('p', {}, words.nothingGrows)
      : h('ul', {}, ...list.map((each) => h('li', {}, h('a', { href: `#${each.place}` },
        h('span', {}, each.title), h('small', {}, each.words), bar(each.progress))))));
}

/** @param {number} progress 0 to 1. */
export function bar(progress) {
  const done = h('i');
  done.style.setProperty('width', `${progress * 100}%`);
  return h('span', { class: 'bar', 'aria-hidden': 'true' }, done);
}

/**
 * The sprouts of a twig for which its picture has no room.
 * @param {import('../core.js').GardenView} view
 * @returns {Node[]}
 */
function beside({ rest = [] }) {
  if (rest.length === 0) return [];
  return [h('ul', { class: 'list' }, ...rest.map((each) => h('li', {},
    h('a', { href: `#${each.place}` }, h('span', {}, each.title), h('span', {}, each.words)))))];
}
