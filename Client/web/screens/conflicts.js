// SPDX-License-Identifier: Apache-2.0
// What lost against a later write of another device, and how to have it back.

import { button, h, once } from '../dom.js';
import { say } from '../words.js';
import { under } from './page.js';
import { performing } from './perform.js';

/** @param {import('../main.js').App} app */
export async function conflicts(app) {
  const { tabs } = app;
  /** @type {import('../core.js').ConflictsView} */
  const view = await tabs.view('conflicts');
  const names = await deviceNames(tabs);
  /** @param {string} replica */
  const device = (replica) => names.get(replica) ?? say('device');
  return under('settings', say('conflicts'),
    view.conflicts.length === 0 && h('p', { class: 'quiet' }, say('noConflicts')),
    h('ul', { class: 'list' }, ...view.conflicts.map((each) => h('li', {},
      h('span', {}, each.kind),
      h('span', {}, say('kept', each.kept, device(each.keptDevice))),
      h('span', {}, say('lost', each.lost, device(each.device))),
      h('span', { class: 'quiet' }, each.at),
      button(say('restore'), once(performing(app), 'conflict.restore', { id: each.id }))))));
}

/**
 * What people call the account's devices, by replica. Without a network only this one is known.
 * @param {import('../tabs.js').Tabs} tabs
 * @returns {Promise<Map<string, string>>}
 */
async function deviceNames(tabs) {
  /** @type {import('../core.js').ReplicaView} */
  const { replica, isPaired } = await tabs.view('replica');
  const { devices } = isPaired
    ? await tabs.call('devices').catch(() => ({ devices: [] })) : { devices: [] };
  const names = new Map(devices.map((/** @type {any} */ each) => [each.replica, each.name]));
  return names.set(replica, say('here'));
}
