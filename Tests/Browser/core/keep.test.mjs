// SPDX-License-Identifier: Apache-2.0
// A write that the browser could not keep: the app goes back to what was kept, and goes on.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

globalThis.matchMedia = () => ({ matches: false });
Object.defineProperty(globalThis, 'navigator', { value: { language: 'en', languages: ['en'] } });
const { Replica } = await import('../../../Client/web/replica.js');

const module = readFileSync(process.env.CORE);

/** Rows in memory, of a browser that can be full, or that reads nothing. */
class Shelf {
  #rows = new Map();
  isFull = false;
  isUnreadable = false;

  async takeOver() { return this.rows(); }

  async rows() {
    if (this.isUnreadable) throw new Error('unreadable');
    return [...this.#rows];
  }

  async keep({ put, remove }) {
    if (put.length + remove.length === 0) return;
    if (this.isFull) throw new Error('full');
    for (const key of remove) this.#rows.delete(key);
    for (const [key, value] of put) this.#rows.set(key, value);
  }
}

const drink = (replica) => replica.act('water.add', { millilitres: 250 });

async function opened() {
  const shelf = new Shelf();
  const replica = await Replica.open(module, shelf);
  const told = { reopened: 0 };
  replica.onReopen = () => (told.reopened += 1);
  await drink(replica);
  return { shelf, replica, told };
}

test('what could not be kept is not shown, and the next write is', async () => {
  const { shelf, replica, told } = await opened();
  const before = JSON.stringify(replica.view('water', {}));
  shelf.isFull = true;
  await assert.rejects(drink(replica), /full/);
  assert.equal(JSON.stringify(replica.view('water', {})), before);
  assert.equal(told.reopened, 1, 'a sync begins anew: it was under way in the core that is gone');
  shelf.isFull = false;
  await drink(replica);
  const again = await Replica.open(module, shelf);
  assert.equal(JSON.stringify(again.view('water', {})), JSON.stringify(replica.view('water', {})));
  assert.notEqual(JSON.stringify(again.view('water', {})), before);
});

test('while what was kept cannot be read, nothing is shown, and then it goes on', async () => {
  const { shelf, replica } = await opened();
  const before = JSON.stringify(replica.view('water', {}));
  [shelf.isFull, shelf.isUnreadable] = [true, true];
  await assert.rejects(drink(replica), /full/);
  assert.throws(() => replica.view('water', {}), (error) => error.code === 'failed');
  await assert.rejects(drink(replica), /unreadable/);
  [shelf.isFull, shelf.isUnreadable] = [false, false];
  await drink(replica);
  assert.notEqual(JSON.stringify(replica.view('water', {})), before);
});
