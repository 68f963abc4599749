// SPDX-License-Identifier: Apache-2.0
// Builds elements. Text is always text; a picture of the core is checked before it becomes one.

/**
 * @param {string} name
 * @param {Record<string, any>} [attributes] `on…` are listeners, true is an empty attribute, and
 *   what is null or false is left out.
 * @param {(Node|string|null|undefined|false)[]} children
 * @returns {any}
 */
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? '' : String(value));
  }
  // To VoiceOver a list without its marks is none.
  if (name === 'ul' || name === 'ol') element.setAttribute('role', 'list');
  for (const child of children) if (child) element.append(child);
  return element;
}

/** @param {string} words @param {(event: any) => void} act @param {Record<string, any>} [attributes] */
export function button(words, act, attributes = {}) {
  return h('button', { type: 'button', onclick: act, ...attributes }, words);
}

/** How long fingers may take to leave, in milliseconds: the second of two taps is no new one. */
const grace = 800;
let lastTap = -Infinity;

/**
 * A listener that two taps call once: what they touched first gave its place to another button.
 * @template {any[]} Parts
 * @param {(...parts: Parts) => void} act
 * @param {Parts} parts
 */
export function once(act, ...parts) {
  return (/** @type {MouseEvent} */ { detail: taps }) => {
    // Keys press nothing twice by chance.
    if (taps > 0 && performance.now() - lastTap < grace) return;
    lastTap = performance.now();
    act(...parts);
  };
}

/**
 * A button that is pressed twice.
 * @param {string} words @param {string} sure What it says after the first time.
 * @param {() => void} act
 */
export function surely(words, sure, act) {
  let isSure = false;
  const each = button(words, once(() => {
    if (isSure) act();
    isSure = true;
    each.textContent = sure;
  }), { class: 'plain' });
  return each;
}

/**
 * Calls again and again, until the screen goes. It may have gone already.
 * @param {number} milliseconds @param {() => void} act @param {AbortSignal} signal
 */
export function every(milliseconds, act, signal) {
  if (signal.aborted) return;
  const timer = setInterval(act, milliseconds);
  signal.addEventListener('abort', () => clearInterval(timer));
}

/**
 * What an element is called, by which the same one is found once the screen was drawn anew.
 * @param {Element|null} element
 */
export function nameOf(element) {
  return element && (element.getAttribute('aria-label') ?? element.getAttribute('href')
    ?? element.textContent);
}

/**
 * Gives the focus to what is called so, or to nothing.
 * @param {ParentNode} screen @param {string|null} name
 * @returns {boolean} Whether there is such an element.
 */
export function refocus(screen, name) {
  /** @type {NodeListOf<HTMLElement>} */
  const all = screen.querySelectorAll('button, a, select, input, [tabindex]');
  const same = name ? [...all].find((each) => nameOf(each) === name) : undefined;
  same?.focus({ preventScroll: true });
  return same !== undefined;
}

/** Elements that draw. Whatever else a picture has is no picture of ours. */
const drawing = new Set(['svg', 'g', 'path', 'rect', 'circle', 'ellipse', 'line', 'polygon',
  'polyline', 'text', 'tspan', 'title', 'desc', 'defs', 'use', 'symbol', 'clipPath', 'mask',
  'linearGradient', 'radialGradient', 'stop', 'pattern', 'filter', 'feGaussianBlur']);

/**
 * @param {string} text
 * @returns {SVGSVGElement|null} Null for anything that could do more than draw.
 */
export function picture(text) {
  const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
  const root = parsed.documentElement;
  if (root.localName !== 'svg' || parsed.querySelector('parsererror')) return null;
  for (const element of [root, ...root.querySelectorAll('*')]) {
    if (!drawing.has(element.localName)) return null;
    for (const { name, value } of element.attributes) {
      const isHandler = name.toLowerCase().startsWith('on');
      const isLink = name.endsWith('href') && !value.startsWith('#');
      if (isHandler || isLink) return null;
    }
  }
  return /** @type {any} */ (document.importNode(root, true));
}

/** @param {string} d The outline of a glyph in a square of 24. */
export function glyph(d) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  svg.setAttribute('class', 'glyph');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', d);
  svg.append(path);
  return svg;
}

export const glyphs = {
  forest: 'M12 21v-6M12 15c-4 .4-7-1.700-7-5 0-2 1.300-3.600 3-4 .5-2 2-3 4-3s3.500 1 4 3c1.700.4 3 2 3 4 0 3.300-3 5.400-7 5z',
  calendar: 'M5 6h14v14H5zM5 10h14M9 3v4M15 3v4',
  garden: 'M12 21v-9.500M12 11.500C12 8 9.500 5.500 5 5.500c0 4 2.500 6 7 6zM12 14c0-3 2.300-5 7-5 0 3.300-2.700 5-7 5z',
  history: 'M12 4a8 8 0 1 1-7.500 5.200M4 4v5h5M12 8v4.500l3 2',
  water: 'M12 3c3.500 4.500 5.500 7.500 5.500 10.500a5.500 5.500 0 0 1-11 0C6.500 10.500 8.500 7.500 12 3z',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4',
  back: 'M15 5l-7 7 7 7',
  next: 'M9 5l7 7-7 7',
};
