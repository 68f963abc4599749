// SPDX-License-Identifier: Apache-2.0
// A browser's core with its rows, which pairs and syncs with a server.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

import { Core } from '../../../Client/web/core.js';

const module = readFileSync(process.env.CORE);
const environment = { locale: 'en-GB', language: 'en', night: false, zone: [] };
export const now = () => Date.now();

/** A device whose rows outlive its core: with `restarts`, each step runs in a core of its own. */
export class Device {
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
