// SPDX-License-Identifier: Apache-2.0
// A stream whose connection is gone without a word: a phone that went from one network to another.

import assert from 'node:assert/strict';
import { afterEach, mock, test } from 'node:test';

globalThis.addEventListener = () => {};
globalThis.document = { addEventListener: () => {}, visibilityState: 'visible' };
Object.defineProperty(globalThis, 'navigator', { value: { onLine: true } });
const { Sync } = await import('../../../Client/web/sync.js');

const nothing = { put: [], remove: [] };
const open = { id: 1, method: '/watch', token: 'token', message: new Uint8Array() };
/** A message of two bytes, as gRPC-Web frames it. */
const frame = new Uint8Array([0, 0, 0, 0, 2, 8, 1]);

/** A sync whose core opens one stream, and what the core hears of it. */
function followed() {
  const heard = [];
  const core = { sync: {
    begin: () => ({ rows: nothing, watch: { open, take: true } }),
    event: (event) => {
      heard.push(event);
      return { rows: nothing, ...(event.type === 'watched' && { watch: { take: true } }) };
    },
  } };
  const replica = { view: () => ({ isPaired: true }), change: async (body) => body(core, 0) };
  return { sync: new Sync(replica, () => true), heard };
}

/** A server that answers, and then sends only what `send` is given. */
function answering() {
  let send;
  globalThis.fetch = async (_, { signal }) => {
    const body = new ReadableStream({ start: (controller) => {
      send = (bytes) => controller.enqueue(bytes);
      signal.addEventListener('abort', () => controller.error(signal.reason));
    } });
    return new Response(body, { headers: { 'content-type': 'application/grpc-web+proto' } });
  };
  return { send: (bytes) => send(bytes) };
}

/** Lets everything go on that waits for no timer. */
const settled = async () => {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
};

afterEach(() => mock.timers.reset());

test('a stream that is silent for longer than the heartbeats allow ends, and the core is told', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const server = answering();
  const { sync, heard } = followed();
  sync.start();
  await settled();
  mock.timers.tick(60_000);
  server.send(frame);
  await settled();
  mock.timers.tick(60_000);
  await settled();
  assert.deepEqual(heard.map((event) => event.type), ['watched'], 'what speaks is not silent');
  mock.timers.tick(20_000);
  await settled();
  assert.deepEqual(heard.map((event) => [event.type, event.status]), [['watched', undefined], ['ended', 14]]);
});

test('a stream that is given up says nothing of silence later', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  answering();
  const { sync, heard } = followed();
  sync.start();
  await settled();
  sync.stop();
  await settled();
  mock.timers.tick(200_000);
  await settled();
  assert.deepEqual(heard, []);
});
