// SPDX-License-Identifier: Apache-2.0
// The core against a real server and the terminal's app: pairing, syncs, conflicts and restarts.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { Core } from '../../../Client/web/core.js';
import { startServer } from './server.mjs';

const module = readFileSync(process.env.CORE);
const environment = { locale: 'en-GB', language: 'en', night: false, zone: [] };
const now = () => Date.now();

/** A device whose rows outlive its core: with `restarts`, each step runs in a core of its own. */
class Device {
  rows = new Map();

  static async open(server) {
    const device = new Device();
    device.server = server;
    await device.restart();
    return device;
  }

  async restart() {
    this.core = await Core.load(module);
    this.keep(this.core.open({ rows: [...this.rows], now: now(), app: 'atrest', environment }).rows);
  }

  keep({ put, remove }) {
    for (const [key, value] of put) this.rows.set(key, value);
    for (const key of remove) this.rows.delete(key);
  }

  act(name, argument = {}) {
    const answer = this.core.act(name, argument, now());
    this.keep(answer.rows);
    return answer.result;
  }

  view(name, argument = {}) {
    return this.core.view(name, argument, now());
  }

  async call(name, argument = {}) {
    const call = this.core.call(name, argument, now());
    this.keep(call.rows);
    const message = await this.server.unary(call);
    const answer = this.core.answer(name, message, now(), argument);
    this.keep(answer.rows);
    return answer.result;
  }

  async pair(verb) {
    const code = this.server.link(verb).split('/').at(-1);
    return this.call('pair', { code, name: 'phone', server: this.server.address });
  }

  /** Syncs; stops before the event with the index `until`, as a page that is closed does. */
  async sync(until = Infinity) {
    let step = this.core.sync.begin({}, now());
    for (let events = 0; ; events += 1) {
      this.keep(step.rows);
      if (step.finished) return step.finished;
      if (events === until) return undefined;
      assert.ok(step.send, 'a server that answers is not waited for');
      const sent = now();
      const message = await this.server.unary(step.send);
      step = this.core.sync.event(
        { type: 'answered', id: step.send.id, message, sent, received: now() }, now());
    }
  }
}

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
