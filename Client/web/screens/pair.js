// SPDX-License-Identifier: Apache-2.0
// Pairing: by the link's code or a typed one, until another device let this one in.

import { announce, showError } from '../announce.js';
import { h } from '../dom.js';
import { say } from '../words.js';
import { under } from './page.js';

/** Milliseconds from a lost connection to the next try. */
const againAfter = 3000;

/** @param {import('../main.js').App} app */
export async function pair({ tabs, argument, go, signal }) {
  const code = h('input', {
    name: 'code', required: true, autocomplete: 'off', autocapitalize: 'characters',
    spellcheck: 'false', placeholder: 'XXXX-XXXXXXXX',
  });
  code.value = argument;
  const name = h('input', { name: 'name', required: true, maxlength: 40 });
  name.value = deviceName();
  const digits = h('p', { class: 'digits', 'aria-live': 'assertive' });
  const hint = h('p', { class: 'quiet' });
  const submit = h('button', { class: 'main' }, say('pair'));
  /** @type {import('../core.js').ReplicaView} */
  const { ended } = await tabs.view('replica');
  const form = h('form', { class: 'fields', onsubmit: join },
    h('label', {}, say('code'), code), h('label', {}, say('deviceName'), name), submit);
  return under('settings', say('pairThis'), form, digits, hint);

  /** @param {Event} event */
  async function join(event) {
    event.preventDefault();
    submit.disabled = true;
    try {
      // A whole link is as good as its code.
      const typed = code.value.trim().split('#pair=').pop() ?? '';
      // Of an account that shut this device out nothing is left but its name.
      if (ended) await tabs.act('unpair');
      await untilAnswered({ code: typed, name: name.value.trim(), server: `https://${location.host}` });
      go('timer');
    } catch (error) {
      digits.textContent = '';
      hint.textContent = '';
      submit.disabled = false;
      showError(error);
    }
  }

  /**
   * Asks until the server answers: a phone that is put away while the other device is fetched ends
   * its calls. The same request again shows the same digits.
   * @param {object} request
   */
  async function untilAnswered(request) {
    for (;;) {
      try {
        await tabs.call('pair', request, (sent) => {
          if (digits.textContent === sent.digits) return;
          digits.textContent = sent.digits;
          hint.textContent = say('letInElsewhere');
          announce(hint.textContent ?? '');
        });
        return;
      } catch (error) {
        if (/** @type {any} */ (error).code !== 'unreachable' || signal.aborted) throw error;
        showError(error);
        await new Promise((done) => setTimeout(done, againAfter));
      }
    }
  }
}

/** What people call it. */
function deviceName() {
  const agent = navigator.userAgent;
  const kinds = ['iPhone', 'iPad', 'Android', 'Macintosh', 'Windows', 'Linux'];
  const kind = kinds.find((each) => agent.includes(each)) ?? say('browser');
  // An iPad says that it is a Mac, which has no screen to touch.
  return kind === 'Macintosh' ? (navigator.maxTouchPoints > 1 ? 'iPad' : 'Mac') : kind;
}
