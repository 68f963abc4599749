// SPDX-License-Identifier: Apache-2.0
// A write that the browser could not keep: the app goes back to what was kept, and goes on.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

globalThis.matchMedia = () => ({ matches: false });
globalThis.addEventListener = () => {};
Object.defineProperty(globalThis, 'navigator', { value: { language: 'en', languages: ['en'], onLine: true } });
const { Core } = await import('../../../Client/web/core.js');
const { Replica } = await import('../../../Client/web/replica.js');
const { Sync } = await import('../../../Client/web/sync.js');

const module = readFileSync(process.env.CORE);

/** Rows in memory, of a browser that can be full, or that reads nothing. */
class Shelf {
  #rows = new Map();
  isFull = false;
  isUnreadable = false;
  /** Keeps what it is given, and says that it did not. */
  isMute = false;
  takenOver = 0;
  /** Called when the rows are read; they come when what it returns is done. */
  onRead = async () => {};

  async takeOver() {
    this.takenOver += 1;
    return this.rows();
  }

  async rows() {
    await this.onRead();
    if (this.isUnreadable) throw new Error('unreadable');
    return [...this.#rows];
  }

  async keep({ put, remove }) {
    if (put.length + remove.length === 0) return;
    if (this.isFull) throw new Error('full');
    for (const key of remove) this.#rows.delete(key);
    for (const [key, value] of put) this.#rows.set(key, value);
    if (this.isMute) throw new Error('unheard');
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

test('a screen that is asked for while the core goes back waits for it', async () => {
  const { shelf, replica } = await opened();
  const before = JSON.stringify(replica.view('water', {}));
  shelf.isFull = true;
  let goOn;
  const isReading = new Promise((reading) => {
    shelf.onRead = () => new Promise((resolve) => { goOn = resolve; reading(); });
  });
  const refused = assert.rejects(drink(replica), /full/);
  await isReading;
  const shown = replica.show('water', {});
  goOn();
  assert.equal(JSON.stringify(await shown), before);
  await refused;
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

test('what was kept though nobody said so is no failure, or a person would note it twice', async () => {
  const { shelf, replica } = await opened();
  shelf.isMute = true;
  assert.equal((await drink(replica)).words, 'Noted 250 ml.');
  shelf.isMute = false;
  assert.equal(replica.view('water', {}).total, '500 ml');
});

test('a sync whose step cannot be kept ends with the error, and does not begin anew by itself', async (t) => {
  let begun = 0;
  const nothing = { put: [], remove: [] };
  t.mock.method(Core, 'load', async () => ({
    open: () => ({ rows: nothing }), view: () => ({ isPaired: true, waiting: 0 }),
    sync: { begin: () => {
      begun += 1;
      return { rows: { put: [['state', new Uint8Array(1)]], remove: [] } };
    } },
  }));
  const shelf = new Shelf();
  const replica = await Replica.open(module, shelf);
  shelf.isFull = true;
  const sync = new Sync(replica, () => true);
  replica.onReopen = () => sync.start();
  const over = new Promise((resolve) => (sync.onStatus = () => sync.status.error && resolve()));
  sync.start();
  await over;
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(begun, 1);
  assert.deepEqual([sync.status.isRunning, sync.status.error?.code], [false, 'stopped']);
});

test('who lost the rows while opening does not take them over, and who lost them later says so', async () => {
  const shelf = new Shelf();
  await assert.rejects(Replica.open(module, shelf, () => true), (error) => error.code === 'moved');
  assert.equal(shelf.takenOver, 0);
  const { shelf: lost, replica, told } = await opened();
  let superseded = 0;
  replica.onSuperseded = () => (superseded += 1);
  lost.keep = async () => { throw Object.assign(new Error('superseded'), { code: 'superseded' }); };
  await assert.rejects(drink(replica), /superseded/);
  assert.deepEqual([superseded, told.reopened], [1, 0]);
});
