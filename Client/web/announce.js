// SPDX-License-Identifier: Apache-2.0
// Says to screen readers what changed, once: a running clock is never read out by itself.

import { failure } from './words.js';

/** @type {string} */
let last = '';

/** @param {string|undefined} words */
export function announce(words) {
  const place = document.getElementById('announcer');
  if (!words || !place || words === last) return;
  last = words;
  place.textContent = words;
}

/** How long a notice stays, in milliseconds. */
const stay = 6000;
/** @type {ReturnType<typeof setTimeout>|undefined} */
let timer;

/**
 * Shows a sentence for a while, and reads it.
 * @param {string} words
 */
export function notice(words) {
  const place = document.getElementById('notice');
  if (!place) return;
  place.textContent = words;
  clearTimeout(timer);
  timer = setTimeout(() => (place.textContent = ''), stay);
}

/** Puts a notice away. */
export function hush() {
  clearTimeout(timer);
  const place = document.getElementById('notice');
  if (place) place.textContent = '';
}

/** @param {any} error An error with `title` and `advice`, or any other. */
export function showError(error) {
  const { title, advice = '' } = error?.title ? error : failure('unknown');
  notice(`${title} ${advice}`);
}
