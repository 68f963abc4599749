// SPDX-License-Identifier: Apache-2.0
// What lost against a later write of another device, and how to have it back.

import { complain } from '../announce.js';
import { button, h } from '../dom.js';
import { page, when } from './page.js';

/** @param {import('../main.js').App} app */
export async function conflicts({ tabs, refresh }) {
  /** @type {import('../core.js').ConflictsView} */
  const view = await tabs.view('conflicts');
  return page('Later writes elsewhere',
    view.conflicts.length === 0 && h('p', { class: 'quiet' }, 'Nothing here yet.'),
    h('ul', { class: 'list' }, ...view.conflicts.map((each) => h('li', {},
      h('span', {}, `${each.kind}, ${each.field}`),
      h('span', {}, `${each.lost} → ${each.kept}`),
      h('span', { class: 'quiet' }, `${each.device}, ${when(each.at)}`),
      button('Restore', () =>
        tabs.act('conflict.restore', { id: each.id }).then(refresh, complain))))));
}
