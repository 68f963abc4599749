// SPDX-License-Identifier: Apache-2.0
// The paywall and the moment after the tenth fast. Prices are told; nothing is sold here.

import { button, h } from '../dom.js';
import { say } from '../words.js';
import { under } from './page.js';
import { performing } from './perform.js';

/**
 * Where its links lead.
 * @type {Record<string, string>}
 */
const ways = {
  'paywall.restore': '#purchase', 'settings.legal.terms': '#terms',
  'settings.legal.privacy': '#privacy',
};

/** @param {import('../main.js').App} app */
export async function paywall({ tabs, go }) {
  /** @type {import('../core.js').PaywallView} */
  const view = await tabs.view('paywall');
  if (!view.isReachable) {
    go('timer');
    return h('div');
  }
  return under('settings', 'Atrest', ...view.elements.map(({ kind, name = '', words }) => {
    if (!words) return null;
    if (kind !== 'link') return h('p', { class: kind }, words);
    return h('p', { class: kind }, h('a', { href: ways[name] }, words));
  }), h('p', { class: 'quiet' }, say('buyElsewhere')));
}

/** @param {import('../main.js').App} app */
export async function transition(app) {
  const { tabs, go, signal } = app;
  /** @type {import('../core.js').TransitionView} */
  const view = await tabs.view('transition');
  if (!view.isDue) {
    // Once it was dismissed, its button leads on from here.
    if (!signal.aborted) go('timer');
    return h('div');
  }
  /** @param {string} place */
  const leave = (place) => performing(app)('transition.dismiss', {}, () => go(place));
  return h('article', { class: 'page moment' }, h('h1', { class: 'spoken' }, 'Atrest'),
    ...view.body.split('\n\n').map((words) => h('p', {}, words)),
    button(view.continue, () => leave('paywall'), { class: 'main' }),
    button(view.later, () => leave('timer'), { class: 'plain' }));
}
