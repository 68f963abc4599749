// SPDX-License-Identifier: Apache-2.0
// The account's devices: invite one, let it in by its digits, revoke one.

import { showError, notice } from '../announce.js';
import { button, every, h, picture, surely } from '../dom.js';
import { say } from '../words.js';
import { under } from './page.js';
import { performing } from './perform.js';
import { openSheet } from './sheet.js';

/** How often the list of waiting devices is asked for, in milliseconds. */
const askEvery = 3000;

/** @param {import('../main.js').App} app */
export async function devices(app) {
  const { tabs, go, refresh, signal } = app;
  const waiting = h('div', { 'aria-live': 'polite' });
  const invitation = h('div', { 'aria-live': 'polite' });
  const list = h('ul', { class: 'list' });
  let isListed = false;
  await Promise.all([load(true), look()]);
  every(askEvery, () => {
    look();
    if (!isListed) load(false);
  }, signal);
  return under('settings', say('devices'),
    waiting, button(say('invite'), invite, { class: 'main' }), invitation, list,
    surely(say('leave'), say('leaveSure'), () => performing(app)('unpair', {}, () => go('settings'))));

  /** @param {boolean} isFirst Whether a failure is told. */
  async function load(isFirst) {
    try {
      // Who renamed a device; a server may have no log of it.
      await tabs.call('events').catch(() => {});
      const { devices: all } = await tabs.call('devices');
      list.replaceChildren(...all.map(device));
      isListed = true;
    } catch (error) {
      if (isFirst) showError(error);
    }
  }

  async function invite() {
    try {
      const { code, expires } = await tabs.call('invite');
      const link = `${location.origin}/#pair=${code}`;
      const { svg } = await tabs.view('qr', { text: link });
      const image = svg ? picture(svg) : null;
      invitation.replaceChildren(h('section', { class: 'card' },
        h('p', {}, say('openBefore', expires)),
        h('p', { class: 'code' }, h('a', { href: link, rel: 'noreferrer' }, link)),
        image && h('p', {}, say('scan')), image && h('div', { class: 'qr' }, image),
        button(say('copy'), async () => {
          await navigator.clipboard.writeText(link);
          notice(say('copied'));
        }, { class: 'plain' })));
    } catch (error) {
      showError(error);
    }
  }

  async function look() {
    const { devices: all } = await tabs.call('pendingDevices').catch(() => ({ devices: [] }));
    if (signal.aborted) return;
    const isNew = all.length > waiting.childElementCount;
    waiting.replaceChildren(...all.map((/** @type {any} */ each) => h('section', { class: 'card' },
      h('p', {}, say('asksIn', each.name)),
      h('p', { class: 'digits' }, each.digits),
      button(say('letIn'), () => resolve(each.handle, true), { class: 'main' }),
      button(say('refuse'), () => resolve(each.handle, false), { class: 'plain' }))));
    if (isNew) waiting.scrollIntoView({ block: 'center' });
  }

  /** @param {string} handle @param {boolean} allow */
  async function resolve(handle, allow) {
    await tabs.call('resolve', { handle, allow }).then(refresh, showError);
  }

  /** @param {any} each */
  function device(each) {
    const state = each.revoked ? say('revoked', each.revoked)
      : each.isCurrent ? say('thisDevice')
        : each.seen ? say('seen', each.seen) : say('notSeen');
    return h('li', {}, h('span', {}, each.name), h('span', { class: 'quiet' }, state),
      each.origin && h('span', { class: 'quiet' }, each.origin),
      each.renamed && h('span', { class: 'quiet' }, each.renamed), revocation(each));
  }

  /** @param {any} each */
  function revocation(each) {
    if (each.companions) {
      return button(say(each.revoked ? 'revokeOthers' : 'revoke'), () => ask(each), { class: 'plain' });
    }
    return !each.isCurrent && !each.revoked
      && surely(say('revoke'), say('revokeSure'), () => {
        revoke(each, false).then(({ words }) => {
          notice(words);
          return refresh();
        }, showError);
      });
  }

  /**
   * Asks about those that came in through a device: a thief may have let them in.
   * @param {any} each
   */
  function ask(each) {
    const { introduction, question, devices: others } = each.companions;
    openSheet(app, {
      title: say('revokeWho', each.name), cancel: say('cancel'),
      actions: [
        { value: 'all', words: say('revokeAll') },
        ...(each.revoked ? [] : [{ value: 'only', words: say('revokeOnly') }]),
      ],
      keep: (value) => revoke(each, value === 'all'),
    }, h('p', {}, introduction),
    h('ul', { class: 'list' }, ...others.map((/** @type {any} */ other) =>
      h('li', {}, h('span', {}, other.name),
        other.origin && h('span', { class: 'quiet' }, other.origin)))),
    h('p', {}, question));
  }

  /** @param {any} each @param {boolean} withDescendants @returns {Promise<{words: string}>} */
  function revoke(each, withDescendants) {
    return tabs.call('revoke', { replica: each.replica, withDescendants });
  }
}
