// SPDX-License-Identifier: Apache-2.0
// Pairing: by the link's code or a typed one, until another device let this one in.

import { announce, showError } from '../announce.js';
import { h } from '../dom.js';
import { say } from '../words.js';
import { under } from './page.js';

/** Milliseconds from a lost connection to the next try. */
const againAfter = 3000;

/**
 * A request, which goes on while other screens are shown; `signal` ends when it is seen no more.
 * @typedef {{code: string, name: string, digits: string, done?: Promise<void>, tell: () => void,
 *   signal: AbortSignal}} Attempt
 * @type {Attempt|null}
 */
let underWay = null;

/** @param {import('../main.js').App} app */
export async function pair({ tabs, argument, go, signal }) {
  const code = h('input', {
    name: 'code', required: true, autocomplete: 'off', autocapitalize: 'characters',
    spellcheck: 'false', placeholder: 'XXXX-XXXXXXXX',
  });
  // Another link than that of the request is another request.
  const attempt = !argument || argument === underWay?.code ? underWay : null;
  code.value = attempt?.code ?? argument;
  const name = h('input', { name: 'name', required: true, maxlength: 40 });
  name.value = attempt?.name ?? deviceName();
  const digits = h('p', { class: 'digits', 'aria-live': 'assertive' });
  const hint = h('p', { class: 'quiet' });
  const submit = h('button', { class: 'main' }, say('pair'));
  /** @type {import('../core.js').ReplicaView} */
  const { ended } = await tabs.view('replica');
  const form = h('form', { class: 'fields', onsubmit: join },
    h('label', {}, say('code'), code), h('label', {}, say('deviceName'), name), submit);
  if (attempt) follow(attempt);
  return under('settings', say('pairThis'), form, digits, hint);

  /** @param {Event} event */
  async function join(event) {
    event.preventDefault();
    // A whole link is as good as its code.
    const typed = code.value.trim().split('#pair=').pop() ?? '';
    /** @type {Attempt} */
    const made = { code: typed, name: name.value.trim(), digits: '', tell: () => {}, signal };
    underWay = made;
    made.done = untilAnswered(tabs, made, Boolean(ended)).finally(() => {
      if (underWay === made) underWay = null;
    });
    await follow(made);
  }

  /** @param {Attempt} attempt */
  async function follow(attempt) {
    const tell = () => {
      if (!attempt.digits || digits.textContent === attempt.digits) return;
      digits.textContent = attempt.digits;
      hint.textContent = say('letInElsewhere');
      announce(hint.textContent ?? '');
    };
    Object.assign(attempt, { tell, signal });
    submit.disabled = true;
    tell();
    try {
      await attempt.done;
      if (signal.aborted) return;
      go('timer');
    } catch (error) {
      if (signal.aborted) return;
      digits.textContent = '';
      hint.textContent = '';
      submit.disabled = false;
      showError(error);
    }
  }
}

/**
 * Asks until the server answers: a phone that is put away while the other device is fetched ends its
 * calls. The same request again shows the same digits.
 * @param {import('../tabs.js').Tabs} tabs
 * @param {Attempt} attempt
 * @param {boolean} wasShutOut
 */
async function untilAnswered(tabs, attempt, wasShutOut) {
  // Of an account that shut this device out nothing is left but its name.
  if (wasShutOut) await tabs.act('unpair');
  const { code, name } = attempt;
  for (;;) {
    try {
      await tabs.call('pair', { code, name, server: `https://${location.host}` }, (sent) => {
        attempt.digits = sent.digits;
        attempt.tell();
      });
      return;
    } catch (error) {
      if (/** @type {any} */ (error).code !== 'unreachable' || attempt.signal.aborted) throw error;
      showError(error);
      await new Promise((done) => setTimeout(done, againAfter));
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
