// SPDX-License-Identifier: Apache-2.0
// An action from a screen: what came of it is said, or why nothing did.

import { notice, showError } from '../announce.js';

/**
 * Returns what acts for a screen, and then draws it anew unless told to do something else.
 * @param {import('../main.js').App} app
 */
export function performing({ tabs, refresh }) {
  /** @param {string} name @param {object} [argument] @param {() => void} [then] */
  return async (name, argument = {}, then = refresh) => {
    try {
      const { words } = await tabs.act(name, argument);
      if (words) notice(words);
      then();
    } catch (error) {
      showError(error);
    }
  };
}
