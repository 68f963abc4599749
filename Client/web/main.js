// SPDX-License-Identifier: Apache-2.0
// Starts the app: opens the replica or finds the tab that has it, then shows the place asked for.

import { hush, showError } from './announce.js';
import { button, h, nameOf, refocus } from './dom.js';
import { Replica } from './replica.js';
import { calendar } from './screens/calendar.js';
import { conflicts } from './screens/conflicts.js';
import { devices } from './screens/devices.js';
import { forest } from './screens/forest.js';
import { journal } from './screens/garden-journal.js';
import { sprout } from './screens/garden-sprout.js';
import { garden } from './screens/garden.js';
import { history as past } from './screens/history.js';
import { importing } from './screens/import.js';
import { privacy, terms } from './screens/legal.js';
import { pair } from './screens/pair.js';
import { paywall, transition } from './screens/paywall.js';
import { purchase } from './screens/purchase.js';
import { settings } from './screens/settings.js';
import { timer } from './screens/timer.js';
import { tree } from './screens/tree.js';
import { water } from './screens/water.js';
import { Store, databaseName, forgetLoss, isTemporary, persist } from './store.js';
import { Sync } from './sync.js';
import { Tabs } from './tabs.js';
import { defineTrees } from './trees.js';
import { failure, language, learn, startButtons } from './words.js';

/**
 * What a screen has.
 * @typedef {{tabs: Tabs, argument: string, before: string, notes: string[], signal: AbortSignal,
 *   go: (place: string) => void, refresh: () => Promise<void>}} App `signal` ends when the screen goes;
 *   `before` is the place that was shown before it.
 */

/** @type {Record<string, (app: App) => Promise<HTMLElement>>} */
const screens = { timer, forest, calendar, history: past, water, settings, tree, conflicts,
  devices, pair, paywall, transition, import: importing,
  privacy, purchase, terms, garden, sprout, journal };
/** Screens that a person fills in: they are not drawn anew under their hands. */
const stable = new Set(['pair', 'devices', 'tree', 'history', 'import', 'purchase', 'journal']);

document.documentElement.lang = language;
const screen = /** @type {HTMLElement} */ (document.getElementById('screen'));
/** @type {string[]} */
const notes = [];
let shown = '';
let before = '';
let drawn = new AbortController();

/** @type {Tabs} */
const tabs = new Tabs(databaseName, async (isOver) => {
  const [response, store] = await Promise.all([
    fetch(new URL('./atrest-core.wasm', import.meta.url)), Store.open(databaseName)]);
  const replica = await Replica.open(await response.arrayBuffer(), store, isOver);
  const sync = new Sync(replica, () => tabs.isSeen);
  tabs.onSight = () => {
    replica.wake();
    sync.look();
  };
  replica.onReopen = () => {
    sync.start();
    tabs.changed();
  };
  replica.onSuperseded = () => tabs.release();
  replica.onChange = (isOwn) => {
    if (isOwn) sync.wrote();
    tabs.changed();
  };
  sync.onStatus = () => tabs.changed();
  sync.start();
  return {
    view: (name, argument, file) => replica.show(name, argument, file),
    act: async (name, argument, file) => {
      const result = await replica.act(name, argument, file);
      // What is under way is for the account that was left.
      if (name === 'unpair') sync.start();
      return result;
    },
    call: async (name, argument, onSent, file) => {
      const result = await replica.call(name, argument, onSent, file);
      if (name === 'pair') sync.start();
      return result;
    },
    status: () => sync.status,
    close: () => sync.close(),
  };
});
/**
 * The code of a link that opened the page. It stays neither in the address nor in the history, and in
 * this tab no longer than its page: a phone may end and load that while another device is fetched.
 */
let code = '';
try { code = sessionStorage.getItem('atrest.code') ?? ''; } catch { /* Nothing is kept here. */ }
takeCode();

/** The place in the address: `#name/argument`, or the pairing link's `#pair=CODE`. */
function place() {
  const [name, argument = ''] = location.hash.slice(1).split(/[/=]/, 2);
  if (!Object.hasOwn(screens, name)) return { name: 'timer', argument: '' };
  return { name, argument: name === 'pair' ? code : argument };
}

/** Takes a link's code out of the address. */
function takeCode() {
  const [, linked] = /^#pair=(.*)/.exec(location.hash) ?? [];
  if (linked === undefined) return;
  keepCode(linked);
  history.replaceState(null, '', '#pair');
}

/** @param {string} linked Empty: it is used, or was left. */
function keepCode(linked) {
  code = linked;
  try {
    if (linked) sessionStorage.setItem('atrest.code', linked);
    else sessionStorage.removeItem('atrest.code');
  } catch { /* Nothing is kept here. */ }
}

async function draw() {
  takeCode();
  const { name, argument } = place();
  drawn.abort();
  drawn = new AbortController();
  const { signal } = drawn;
  // The code of a pairing link is no part of where somebody is.
  const key = name === 'pair' ? name : `${name}/${argument}`;
  if (key !== shown) before = shown;
  try {
    const made = await screens[name]({ tabs, argument, before, notes, signal, go, refresh: draw });
    if (signal.aborted) return;
    const isNew = key !== shown;
    const focus = isNew ? null : nameOf(document.activeElement);
    screen.replaceChildren(made);
    screen.removeAttribute('aria-busy');
    // The first screen is there at once.
    const enters = isNew && shown;
    screen.className = enters ? 'entering' : '';
    if (enters) screen.focus({ preventScroll: true });
    if (focus) refocus(screen, focus);
    if (name !== 'pair') keepCode('');
    shown = key;
  } catch (error) {
    if (signal.aborted) return;
    if (key === shown) {
      showError(error);
    } else if (shown || name !== 'timer') {
      // What is not there any more, or never was: the screen before it stays, or the timer comes.
      history.replaceState(null, '', `#${shown || 'timer'}`);
      await draw();
      showError(error);
    } else {
      fail(error);
    }
  }
}

/** @param {string} name */
function go(name) {
  location.hash = name;
  draw();
}

/**
 * What was kept cannot be read: it is told, and nothing is written.
 * @param {any} error
 */
function fail(error) {
  const { code: reason, title, advice } = error?.title ? error : failure('start');
  drawn.abort();
  screen.removeAttribute('aria-busy');
  screen.replaceChildren(h('article', { class: 'page moment', role: 'alert' },
    h('h1', {}, title), h('p', {}, advice),
    button(startButtons.again, () => location.reload(), { class: 'main' }),
    reason === 'lost' && button(startButtons.anew, () => {
      forgetLoss();
      location.reload();
    }, { class: 'plain' })));
}

tabs.onChange = () => {
  if (!stable.has(place().name)) draw();
};
tabs.onFailure = fail;
addEventListener('hashchange', draw);
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible' && !stable.has(place().name)) draw();
});
// A notice is read, or is in the way, when a finger comes.
document.addEventListener('pointerdown', hush, { capture: true });
// Safari gives no focus to what is touched, by which it is found again when the screen is drawn anew.
document.addEventListener('click', ({ target }) => {
  const touched = target instanceof Element ? target.closest('button, a[href], input') : null;
  if (touched === document.activeElement) return;
  /** @type {any} */ (touched)?.focus({ preventScroll: true, focusVisible: false });
}, { capture: true });
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && place().name !== 'timer') {
    go(screen.querySelector('a.back')?.getAttribute('href')?.slice(1) ?? 'timer');
  }
});

// A tab of an iPhone and the app that is added from it keep their data apart.
if (/** @type {any} */ (navigator).standalone === false) notes.push('homeApart');
if (await isTemporary()) {
  notes.push('temporary');
} else {
  // A person who is asked may take their time.
  persist().then((isPromised) => isPromised || notes.push('mayForget'));
}
// Without them the next start has them: the worker keeps the file.
defineTrees().catch(() => {});
await tabs.start();
await tabs.view('words').then(learn, showError);
await draw();
if ('serviceWorker' in navigator) {
  navigator.serviceWorker.register('/service-worker.js').catch(() => {
    notes.push('noOffline');
  });
}
