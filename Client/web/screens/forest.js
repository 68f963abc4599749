// SPDX-License-Identifier: Apache-2.0
// The forest: a wide canvas to walk through, each tree a way to its fast.

import { h, picture } from '../dom.js';
import { announce } from '../announce.js';
import { glyph, glyphs } from '../dom.js';

/** @param {import('../main.js').App} app */
export async function forest({ tabs, go, signal }) {
  const [width, screenHeight] = [innerWidth, innerHeight];
  /** @type {import('../core.js').ForestView} */
  const view = await tabs.view('forest', { width, screenHeight });
  if (!view.isOpen) {
    go('timer');
    return h('div');
  }
  const back = h('a', { href: '#timer', class: 'back', 'aria-label': view.back },
    glyph(glyphs.back));
  const image = view.svg ? picture(view.svg) : null;
  image?.setAttribute('aria-hidden', 'true');
  const canvas = h('div', { class: 'canvas' }, image, ...view.trees.map(spot));
  canvas.style.setProperty('width', `${view.width}px`);
  canvas.style.setProperty('height', `${view.height}px`);
  const walk = h('div', { class: 'walk', tabindex: 0, role: 'group', 'aria-label': view.title },
    canvas);
  announce(view.trees.length === 0 ? view.empty : view.title);
  requestAnimationFrame(() => !signal.aborted && (walk.scrollTop = view.opened));
  return h('div', { class: 'forest' }, h('h1', { class: 'spoken' }, view.title), walk, back,
    view.trees.length === 0 && h('p', { class: 'prompt' }, view.empty),
    view.vigil && h('blockquote', { class: 'scripture' }, view.vigil.line,
      h('cite', {}, view.vigil.citation)));
}

/** @param {import('../core.js').ForestView['trees'][0]} each */
function spot({ id, x, y, size, words }) {
  const link = h('a', { href: `#tree/${id}`, class: 'spot', 'aria-label': words, title: words });
  link.style.setProperty('left', `${x - size / 2}px`);
  link.style.setProperty('top', `${y - size}px`);
  link.style.setProperty('width', `${size}px`);
  link.style.setProperty('height', `${size}px`);
  return link;
}
