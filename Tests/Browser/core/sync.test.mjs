// SPDX-License-Identifier: Apache-2.0
// The core against a real server and the terminal's app: pairing, syncs, conflicts and restarts.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Device, now } from './device.mjs';
import { startServer } from './server.mjs';

test('a phone pairs, and what it writes is on the other device', async (t) => {
  const server = await startServer();
  t.after(() => server.stop());
  const phone = await Device.open(server);
  phone.act('water.add', { millilitres: 300 });
  assert.equal((await phone.pair('add')).account, 'home');
  assert.equal((await phone.sync()).report.pushed, 1);

  const terminal = server.terminal();
  terminal('pair', server.link('invite'));
  terminal('sync');
  assert.match(terminal('water', 'list'), /300 ml/);
  terminal('water', 'add', '450ml');
  terminal('sync');
  await phone.sync();
  assert.equal(phone.view('water').days[0].entries.length, 2);
  assert.equal((await phone.call('devices')).devices.length, 2);
});

test('of two edits of one setting the later wins, and the other one can be restored', async (t) => {
  const server = await startServer();
  t.after(() => server.stop());
  const phone = await Device.open(server);
  await phone.pair('add');
  phone.act('settings.set', { setting: 'target', value: '14h' });
  await phone.sync();
  const terminal = server.terminal();
  terminal('pair', server.link('invite'));
  terminal('sync');
  phone.act('settings.set', { setting: 'target', value: '18h' });
  terminal('settings', 'set', 'target', '20h');
  terminal('sync');
  await phone.sync();
  const { conflicts } = phone.view('conflicts');
  assert.equal(conflicts.length, 1);
  assert.deepEqual([conflicts[0].kept, conflicts[0].lost], ['20', '18']);
  assert.match(conflicts[0].at, /^\d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d$/);
  phone.act('conflict.restore', { id: conflicts[0].id });
  assert.equal(phone.view('timer').target, 18 * 3_600_000);
});

test('a page closed at any step of a sync goes on from its rows to the same records', async (t) => {
  const server = await startServer();
  t.after(() => server.stop());
  const other = await Device.open(server);
  await other.pair('add');
  for (let until = 0; until < 8; until += 1) {
    const phone = await Device.open(server);
    await phone.pair('invite');
    for (let drink = 1; drink <= 5; drink += 1) phone.act('water.add', { millilitres: drink });
    await phone.sync(until);
    await phone.restart();
    assert.ok((await phone.sync()).report);
    await other.sync();
    assert.equal(phone.view('replica').waiting, 0);
    assert.equal(phone.view('replica').records, 5 * (until + 1));
    assert.equal(other.view('replica').records, 5 * (until + 1));
  }
});

test('a phone that follows the stream gets what the other device writes, and pushes', async (t) => {
  const server = await startServer();
  t.after(() => server.stop());
  const phone = await Device.open(server);
  await phone.pair('add');
  const other = await Device.open(server);
  await other.pair('invite');

  let step = phone.core.sync.begin({ follow: true }, now());
  let stream;
  /** Carries steps out until one fits, taking events of the stream where the core asks for one. */
  const follow = async (isReached) => {
    for (;;) {
      phone.keep(step.rows);
      if (step.watch?.open) {
        stream = { id: step.watch.open.id, events: server.call(step.watch.open) };
      }
      if (isReached(step)) return;
      if (step.send) {
        const sent = now();
        const message = await server.unary(step.send);
        step = phone.core.sync.event(
          { type: 'answered', id: step.send.id, message, sent, received: now() }, now());
      } else {
        const { value } = await stream.events.next();
        step = phone.core.sync.event({ type: 'watched', id: stream.id, message: value }, now());
      }
    }
  };
  await follow((step) => step.watch?.open);
  other.act('water.add', { millilitres: 700 });
  await other.sync();
  await follow(() => phone.view('replica').records === 1);

  phone.act('water.add', { millilitres: 100 });
  step = phone.core.sync.event({ type: 'wrote' }, now());
  await follow(() => phone.view('replica').waiting === 0);
  await other.sync();
  assert.equal(other.view('replica').records, 2);
  await stream.events.return();
});
