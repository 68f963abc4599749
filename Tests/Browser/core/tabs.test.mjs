// SPDX-License-Identifier: Apache-2.0
// One tab has the replica; another takes it over when that one is frozen, closed, or too slow.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';

/** Locks as browsers have them: one holder, a queue, and theft. */
class Locks {
  #held = null;
  #waiting = [];

  async request(name, { ifAvailable = false, steal = false }, body) {
    if (this.refusal) throw this.refusal;
    if (ifAvailable && this.#held) return body(null);
    if (steal) this.#held?.reject(new DOMException('stolen', 'AbortError'));
    else if (this.#held) await new Promise((resolve) => this.#waiting.push(resolve));
    return new Promise((resolve, reject) => {
      const held = { reject };
      this.#held = held;
      Promise.resolve(body({ name })).then(resolve, reject).finally(() => {
        if (this.#held !== held) return;
        this.#held = null;
        this.#waiting.shift()?.();
      });
    });
  }
}

globalThis.addEventListener = () => {};
globalThis.document = { addEventListener: () => {}, visibilityState: 'visible' };
const { Tabs } = await import('../../../Client/web/tabs.js');

/** Lets everything go on that waits for no timer. */
const settled = async () => {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
};
const channels = [];
let locks;

beforeEach(() => {
  mock.timers.enable({ apis: ['setTimeout'] });
  locks = new Locks();
  Object.defineProperty(globalThis, 'navigator', { value: { locks }, configurable: true });
  const Original = BroadcastChannel;
  mock.method(globalThis, 'BroadcastChannel', function channel(name) {
    channels.push(new Original(name));
    return channels.at(-1);
  });
});
afterEach(() => {
  for (const each of channels.splice(0)) each.close();
  mock.restoreAll();
  mock.timers.reset();
});

/** A tab, and what became of its replica. `opening` holds the opening back. */
function tab({ opening = Promise.resolve() } = {}) {
  const told = { opened: 0, closed: 0, failures: [] };
  const tabs = new Tabs('test', async (isOver) => {
    await opening;
    told.wasOver = isOver();
    told.opened += 1;
    return {
      view: (name) => `${name} of ${told.name}`, act: async () => ({}), call: async () => ({}),
      status: () => ({}), close: () => (told.closed += 1),
    };
  });
  tabs.onFailure = (error) => told.failures.push(error.code);
  return { tabs, told };
}

test('the second tab asks the first one', async () => {
  const [first, second] = [tab(), tab()];
  first.told.name = 'the first';
  await first.tabs.start();
  await second.tabs.start();
  assert.equal(await second.tabs.view('timer'), 'timer of the first');
  assert.deepEqual([first.told.opened, second.told.opened], [1, 0]);
});

test('an owner that does not answer loses the replica, once, and ends what it did', async () => {
  const [first, second] = [tab(), tab()];
  second.told.name = 'the second';
  await first.tabs.start();
  await second.tabs.start();
  // Frozen: it hears nothing any more.
  channels[0].onmessage = null;
  const answers = Promise.all([second.tabs.view('timer'), second.tabs.view('water')]);
  await settled();
  mock.timers.tick(2000);
  assert.deepEqual(await answers, ['timer of the second', 'water of the second']);
  await settled();
  assert.deepEqual([second.told.opened, second.told.closed], [1, 0], 'it took it once');
  assert.deepEqual([first.told.closed, first.tabs.isOwner], [1, false]);
});

test('an owner whose lock was taken while it opened does not own what it opened', async () => {
  let open;
  const first = tab({ opening: new Promise((resolve) => (open = resolve)) });
  const started = first.tabs.start();
  const second = tab();
  second.told.name = 'the second';
  await second.tabs.start();
  const answer = second.tabs.view('timer');
  await settled();
  mock.timers.tick(2000);
  assert.equal(await answer, 'timer of the second');
  open();
  await started;
  await settled();
  assert.deepEqual([first.told.opened, first.told.closed, first.tabs.isOwner], [1, 1, false]);
  assert.deepEqual([first.told.wasOver, second.told.wasOver], [true, false], 'so that it writes nothing');
});

test('an owner whose rows another tab took gives them up, and asks that one', async () => {
  const [first, second] = [tab(), tab()];
  second.told.name = 'the second';
  await first.tabs.start();
  await second.tabs.start();
  first.tabs.release();
  await settled();
  assert.deepEqual([first.told.closed, first.tabs.isOwner, second.tabs.isOwner], [1, false, true]);
  assert.equal(await first.tabs.view('timer'), 'timer of the second');
});

test('a browser that gives no locks is told of once, and not asked again', async () => {
  locks.refusal = new DOMException('storage is off', 'SecurityError');
  const only = tab();
  await only.tabs.start();
  await settled();
  assert.deepEqual(only.told.failures, ['blocked']);
  Object.defineProperty(globalThis, 'navigator', { value: {}, configurable: true });
  const plain = tab();
  await plain.tabs.start();
  assert.deepEqual(plain.told.failures, ['blocked']);
});
