// SPDX-License-Identifier: Apache-2.0
// A sheet over the page with fields to fill in. What is shown beneath may be drawn anew meanwhile.

import { notice } from '../announce.js';
import { button, h, nameOf, refocus } from '../dom.js';
import { failure } from '../words.js';

/**
 * Opens a sheet. It closes when what was entered is kept, with Escape, or with the page. A problem
 * is told in it, and what was typed stays.
 * @param {import('../main.js').App} app
 * @param {{title: string, cancel: string, actions: {value: string, words: string}[],
 *   keep: (value: string, entered: Record<string, string>, changed: Record<string, string>)
 *     => Promise<{words?: string}>}} sheet
 *   The first action is what Enter does; `value` says which one was chosen. `changed` is what the
 *   person changed: the rest may be older than what another device wrote meanwhile.
 * @param {(Node|string|null|undefined|false)[]} fields
 */
export function openSheet({ refresh }, { title, cancel, actions, keep }, ...fields) {
  const opener = nameOf(document.activeElement);
  const problem = h('p', { class: 'problem', role: 'alert' });
  const buttons = actions.map(({ value, words }, index) =>
    h('button', { value, class: index === 0 ? 'main' : 'plain' }, words));
  /** @type {HTMLDialogElement} */
  const dialog = h('dialog', {
    class: 'sheet', lang: 'en', 'aria-label': title,
    onclose: () => dialog.remove(),
    // Beside it, unless something was typed.
    onclick: (/** @type {Event} */ event) => event.target === dialog
      && JSON.stringify(entries(dialog.querySelector('form'))) === JSON.stringify(opened) && dialog.close(),
    // Escape closes the sheet, and does not leave the page.
    onkeydown: (/** @type {KeyboardEvent} */ event) => event.stopPropagation(),
  }, h('form', { class: 'fields', method: 'dialog', onsubmit: submit },
    h('header', {}, h('h2', {}, title),
      button(cancel, () => dialog.close(), { class: 'plain' })),
    ...fields, problem, h('div', { class: 'choices' }, ...buttons)));
  document.body.append(dialog);
  const opened = entries(dialog.querySelector('form'));
  addEventListener('hashchange', () => dialog.close(), { once: true });
  dialog.showModal();
  /** @type {HTMLElement|null} */ (
    dialog.querySelector('textarea,:checked,input:not([type=radio])'))?.focus();
  return dialog;

  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault();
    const entered = entries(event.target);
    const changed = Object.fromEntries(
      Object.entries(entered).filter(([name, value]) => value !== opened[name]));
    const chosen = /** @type {HTMLButtonElement|null} */ (event.submitter)?.value;
    for (const each of buttons) each.disabled = true;
    try {
      const { words } = await keep(chosen || actions[0].value, entered, changed);
      dialog.close();
      if (words) notice(words);
      await refresh();
      // The page was drawn anew: the button that opened the sheet is another element now.
      const screen = document.getElementById('screen');
      if (screen && !refocus(screen, opener)) screen.focus({ preventScroll: true });
    } catch (error) {
      const told = /** @type {any} */ (error);
      const { title: what, advice = '' } = told?.title ? told : failure('unknown');
      problem.textContent = `${what} ${advice}`;
    } finally {
      for (const each of buttons) each.disabled = false;
    }
  }
}

/** @param {any} form @returns {Record<string, string>} */
function entries(form) {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
}

/**
 * A field of one line, or of several.
 * @param {string} words
 * @param {string} name
 * @param {Record<string, any>} more Attributes; `lines` makes it one of several lines.
 */
export function field(words, name, { value = '', lines, ...more }) {
  const input = h(lines ? 'textarea' : 'input',
    { name, dir: 'auto', autocomplete: 'off', ...(lines && { rows: lines }), ...more });
  input.value = value;
  return h('label', {}, words, input);
}

/**
 * Choices beside each other, of which one is chosen.
 * @param {string} words
 * @param {string} name
 * @param {{value: string, words: string, more?: string}[]} options
 * @param {string} chosen
 */
export function choices(words, name, options, chosen) {
  return h('fieldset', { class: 'chips' }, h('legend', {}, words),
    ...options.map(({ value, words: text, more }) => h('label', {},
      h('input', { type: 'radio', name, value, checked: value === chosen }),
      h('span', {}, text, h('small', {}, more ?? '')))));
}
