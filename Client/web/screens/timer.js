// SPDX-License-Identifier: Apache-2.0
// The timer: idle, fasting, complete. The tree materialises behind it.

import { announce, showError, notice } from '../announce.js';
import { button, every, glyph, glyphs, h, once, picture } from '../dom.js';
import { say } from '../words.js';
import { scripture, since } from './scripture.js';

/**
 * The fast that ended on this page, shown until the next action; when it did, and its tree before.
 * @type {{id?: string, at?: number, tree?: Element|null}}
 */
const ended = {};
/**
 * When a fast was begun on this page, by `performance.now()`.
 * @type {{at?: number}}
 */
const begun = {};
// Whoever went elsewhere comes back to the timer as it is.
addEventListener('hashchange', () => {
  if (!/^(#(timer.*)?)?$/.test(location.hash)) ended.id = undefined;
});

/** @param {import('../main.js').App} app */
export async function timer({ tabs, go, refresh, signal }) {
  // On a wide screen the tree stands beside the words: its picture reaches 14 % further both ways.
  const isBeside = matchMedia('(min-width: 60rem)').matches;
  /** @type {import('../core.js').TimerView} */
  const view = await tabs.view('timer', {
    width: Math.round(innerWidth * (isBeside ? 1.28 : 1)), height: innerHeight, ...(ended.id && { id: ended.id }),
  });
  if (view.transitionDue) {
    go('transition');
    return h('div');
  }
  const { state, words, vigil, gates } = view;
  const isFasting = state === 'fasting';
  // Whoever forgot to begin corrects it where the time is.
  const clock = h('p', { class: 'elapsed', role: 'timer', 'aria-live': 'off' },
    h('a', { href: `#tree/${view.fast?.id}`, 'aria-label': say('correct', words.spoken ?? '') },
      words.elapsed ?? ''));

  /** @param {string} name @param {object} [argument] */
  const act = async (name, argument = {}) => {
    if (name === 'timer.goOn') {
      ended.id = undefined;
      refresh();
      return;
    }
    try {
      const { id, words: said } = await tabs.act(name, argument);
      ended.id = name === 'fast.complete' || name === 'fast.cancel' ? id : undefined;
      ended.at = name === 'fast.complete' ? performance.now() : undefined;
      ended.tree = tree;
      begun.at = name === 'fast.start' ? performance.now() : undefined;
      if (said) notice(said);
      refresh();
    } catch (error) {
      showError(error);
    }
  };

  if (isFasting) {
    // By the clock, not by counting: a page that slept is right when it wakes.
    every(1000, () => { if (Date.now() >= view.nextChangeAt) refresh(); }, signal);
  }
  addEventListener('resize', refresh, { signal });
  announce(words.milestone ?? words.prompt);

  const tree = view.treeSVG ? picture(view.treeSVG) : null;
  tree?.setAttribute('aria-hidden', 'true');
  // The tree becomes whole over the one that was there, once, whatever is drawn anew meanwhile.
  const arrival = state === 'complete' ? since(ended.at) : null;
  const beginning = isFasting && view.vigilStart ? since(begun.at) : null;
  const [main, ...rest] = view.actions;
  return h('div', { class: `timer ${state} ${tree ? 'planted' : ''}`, 'aria-label': words.spoken ?? null },
    arrival && ended.tree && timed('div', 'tree leaving', arrival, ended.tree),
    tree && timed('div', arrival ? 'tree arriving' : 'tree', arrival, tree),
    h('section', { class: 'middle' },
      h('h1', { class: 'spoken' }, 'Atrest'),
      isFasting && clock,
      h('p', { class: isFasting ? 'milestone' : 'prompt' },
        isFasting ? words.milestone ?? '' : words.prompt),
      words.stillOpen && h('p', { class: 'quiet' }, words.stillOpen)),
    h('section', { class: 'bottom' },
      words.vigil && h('p', { class: 'milestone' }, words.vigil),
      beginning && timed('p', 'beginning', beginning, view.vigilStart ?? ''),
      vigil && scripture(vigil),
      isFasting && h('button', {
        type: 'button', class: 'water', onclick: () => act('water.add'),
        'aria-label': say('add', words.water, view.water.text, view.water.quickAddText),
      }, glyph(glyphs.water), `${words.water}: ${view.water.text}`),
      main && button(main.words, once(act, main.name), { class: 'main' }),
      h('div', {},
        ...rest.map(({ name, words: text }) => button(text, once(act, name), { class: 'plain' })),
        view.canUndo && button(say('undo'), once(act, 'undo'), { class: 'plain' }))),
    h('nav', { class: 'ways', 'aria-label': say('ways') },
      ...[gates.forest && 'forest', view.hasGarden && 'garden', 'calendar', 'history', 'water', 'settings']
        .filter((name) => name).map((name) => way(String(name)))));
}

/**
 * An element whose animation began some time ago.
 * @param {string} element @param {string} name @param {string|null} delay @param {Node|string} content
 */
function timed(element, name, delay, content) {
  const made = h(element, { class: name }, content);
  if (delay) made.style.setProperty('--since', delay);
  return made;
}

/** @param {string} name */
function way(name) {
  const words = say(name);
  return h('a', { href: `#${name}`, title: words, 'aria-label': words },
    glyph(/** @type {any} */ (glyphs)[name]));
}
