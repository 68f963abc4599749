// SPDX-License-Identifier: Apache-2.0
// Brings a purchase that was made in the iOS app, as a file that the App Store signed.

import { showError, notice } from '../announce.js';
import { h } from '../dom.js';
import { say } from '../words.js';
import { under } from './page.js';

/** Longer files are refused by the core, which is given no more of them than it takes to see so. */
const limitBytes = 64 * 1024;

/** @param {import('../main.js').App} app */
export async function purchase({ tabs, go }) {
  const input = h('input', { type: 'file', onchange: submit });
  return under('settings', say('submit'),
    h('p', {}, say('buyElsewhere')), h('p', {}, say('submitHint')),
    h('label', { class: 'file' }, h('span', {}, say('chooseFile')), input));

  async function submit() {
    const [file] = input.files;
    input.value = '';
    if (!file) return;
    try {
      const bytes = new Uint8Array(await file.slice(0, limitBytes).arrayBuffer());
      const isVerified = await judged(bytes);
      if (!isVerified) await tabs.act('purchase', {}, bytes);
      go('settings');
      notice(say(isVerified ? 'submitted' : 'purchaseKept'));
    } catch (problem) {
      showError(problem);
    }
  }

  /**
   * Whether the server verified it; false if it cannot be asked now.
   * @param {Uint8Array} bytes
   */
  async function judged(bytes) {
    try {
      await tabs.call('submit', {}, undefined, bytes);
      return true;
    } catch (error) {
      if (['notPaired', 'unreachable', 'busy', 'refused'].includes(/** @type {any} */ (error).code)) return false;
      throw error;
    }
  }
}
