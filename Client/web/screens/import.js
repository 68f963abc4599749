// SPDX-License-Identifier: Apache-2.0
// Brings a file in, after saying what that would do; and hands out the export.

import { announce, showError, notice } from '../announce.js';
import { button, h } from '../dom.js';
import { say } from '../words.js';
import { under } from './page.js';

/** Longer files are refused by the core, which is given no more of them than it takes to see so. */
const limitBytes = 64 * 1024 * 1024 + 1;

/** @param {import('../main.js').App} app */
export async function importing({ tabs, go }) {
  const [replica, { error }] = await Promise.all([tabs.view('replica'), tabs.status()]);
  const warning = !replica.isPaired ? say('importAlone') : error ? say('importBehind') : '';
  const result = h('div', { 'aria-live': 'polite' });
  const input = h('input', { type: 'file', onchange: choose });
  return under('settings', say('importTitle'),
    h('p', {}, say('importHint')),
    h('label', { class: 'file' }, h('span', {}, say('chooseFile')), input),
    result);

  async function choose() {
    const [file] = input.files;
    // The same file may be chosen again, after it was exported anew.
    input.value = '';
    if (!file) return;
    try {
      const bytes = new Uint8Array(await file.slice(0, limitBytes).arrayBuffer());
      await preview(file.name, bytes, false);
    } catch (problem) {
      result.replaceChildren();
      showError(problem);
    }
  }

  /** @param {string} name @param {Uint8Array} bytes @param {boolean} preferFile */
  async function preview(name, bytes, preferFile) {
    /** @type {import('../core.js').ImportView} */
    const view = await tabs.view('import', { preferFile }, bytes);
    const prefer = h('input', {
      type: 'checkbox', role: 'switch', onchange: () => preview(name, bytes, prefer.checked),
    });
    prefer.checked = preferFile;
    const bring = button(say('importNow'), async () => {
      bring.disabled = true;
      try {
        const { words } = await tabs.act('import', { preferFile }, bytes);
        go('settings');
        notice(words ?? '');
      } catch (problem) {
        bring.disabled = false;
        showError(problem);
      }
    }, { class: 'main' });
    result.replaceChildren(h('section', { class: 'card' },
      h('h2', {}, h('bdi', {}, name)),
      ...view.lines.map((line) => h('p', {}, line)),
      view.differs && h('label', { class: 'line' }, h('span', {}, say('preferFile')), prefer),
      view.changesAnything && warning && h('p', { class: 'quiet' }, warning),
      view.changesAnything && bring));
    announce(view.lines.join(' '));
  }
}

/**
 * Saves the export where the browser puts what it downloads.
 * @param {import('../tabs.js').Tabs} tabs
 */
export async function download(tabs) {
  try {
    /** @type {import('../core.js').ExportView} */
    const { name, words, file } = await tabs.view('export');
    const made = new File([/** @type {BufferSource} */ (file)], name, { type: 'application/jsonl' });
    if (await isShared(made)) return;
    const address = URL.createObjectURL(made);
    h('a', { href: address, download: name }).click();
    // The download has begun by then; the browser reads the rest from the blob itself.
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    notice(words);
  } catch (problem) {
    showError(problem);
  }
}

/**
 * An app on the home screen of an iPhone downloads into a page without a way back: there the file
 * is shared instead, to the phone's files or elsewhere.
 * @param {File} file
 */
async function isShared(file) {
  const isOnHomeScreen = /** @type {any} */ (navigator).standalone === true;
  if (!isOnHomeScreen || !navigator.canShare?.({ files: [file] })) return false;
  try {
    await navigator.share({ files: [file] });
  } catch (error) {
    // The person thought better of it.
    if (/** @type {any} */ (error).name !== 'AbortError') throw error;
  }
  return true;
}
