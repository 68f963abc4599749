// SPDX-License-Identifier: Apache-2.0
// The forest: a wide canvas to walk through, each tree a way to its fast.

import { h, picture } from '../dom.js';
import { announce } from '../announce.js';
import { glyph, glyphs } from '../dom.js';
import { scripture } from './scripture.js';

/** How far down the person was. */
let seen = 0;

/** @param {import('../main.js').App} app */
export async function forest({ tabs, before, go, refresh, signal }) {
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
  const { stars, all } = image ? layers(image) : { stars: null, all: [] };
  const canvas = h('div', { class: 'canvas' }, h('div', { class: 'layers', 'aria-hidden': 'true' }, ...all),
    ...view.trees.map(spot));
  canvas.style.setProperty('width', `${view.width}px`);
  canvas.style.setProperty('height', `${view.height}px`);
  const walk = h('div', { class: 'walk', tabindex: 0, role: 'group', 'aria-label': view.title },
    canvas);
  if (stars && !matchMedia('(prefers-reduced-motion: reduce)').matches) {
    walk.addEventListener('scroll', () => {
      stars.style.transform = `translateY(${walk.scrollTop * (1 - view.starSpeed)}px)`;
    }, { passive: true });
  }
  // A telephone that is turned has another canvas; one whose bars hide has the same.
  addEventListener('resize', () => innerWidth !== width && refresh(), { signal });
  announce(view.trees.length === 0 ? view.empty : view.title);
  // Drawn anew, or after a look at one of its trees, it stays where the person is.
  const isBack = before.startsWith('tree/') || document.querySelector('#screen .walk');
  const top = isBack ? seen : view.opened;
  requestAnimationFrame(() => !signal.aborted && (walk.scrollTop = top));
  walk.addEventListener('scroll', () => { seen = walk.scrollTop; }, { passive: true });
  return h('div', { class: 'forest' }, h('h1', { class: 'spoken' }, view.title), walk, back,
    view.trees.length === 0 && h('p', { class: 'prompt' }, view.empty),
    view.vigil && scripture(view.vigil));
}

/**
 * The picture in layers, so that the stars can move slower than the trees: what is behind them,
 * they, and what is before them.
 * @param {SVGSVGElement} image
 */
function layers(image) {
  const parts = [...image.children];
  const stars = parts.filter((each) => each.localName === 'use' && each.getAttribute('href') === '#star');
  if (stars.length === 0) return { stars: null, all: [image] };
  const land = parts.slice(parts.indexOf(stars[stars.length - 1]) + 1);
  /** @param {Element[]} children */
  const layer = (children) => {
    const made = /** @type {SVGSVGElement} */ (image.cloneNode(false));
    made.removeAttribute('aria-labelledby');
    made.append(...children);
    return made;
  };
  const moving = layer(stars);
  // Stars that sink behind the first hill are gone: hills are not opaque everywhere.
  const sky = h('div', { class: 'sky' }, moving);
  sky.style.setProperty('height', `${Math.max(...stars.map(bottom)) + 16}px`);
  return { stars: moving, all: [image, sky, layer(land)] };
}

/** @param {Element} star */
function bottom(star) {
  return Number(star.getAttribute('y')) + Number(star.getAttribute('height'));
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
