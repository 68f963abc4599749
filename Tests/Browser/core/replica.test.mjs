// SPDX-License-Identifier: Apache-2.0
// The core as WebAssembly, through the shell's interface. CORE names the module; see run.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { Core, CoreError } from '../../../Client/web/core.js';

const module = readFileSync(process.env.CORE);
const start = Date.UTC(2026, 4, 20, 8);
const hour = 3_600_000;
const environment = { locale: 'en-GB', language: 'en', night: false, zone: [{ from: 0, offset: 60 }] };

/** A core, and the rows that a browser would have kept. */
async function device(rows = new Map()) {
  const core = await Core.load(module);
  const keep = ({ put, remove }) => {
    for (const [key, value] of put) rows.set(key, value);
    for (const key of remove) rows.delete(key);
  };
  const opened = core.open({ rows: [...rows], now: start, app: 'atrest', environment });
  keep(opened.rows);
  const act = (name, argument, now) => {
    const answer = core.act(name, argument, now);
    keep(answer.rows);
    return answer.result;
  };
  return { core, rows, act, keep, fresh: opened.fresh };
}

test('a fast is there after the page was loaded again', async () => {
  const first = await device();
  assert.equal(first.fresh, true);
  assert.equal(first.core.view('timer', {}, start).state, 'idle');
  const { id } = first.act('fast.start', {}, start);

  const second = await device(first.rows);
  assert.equal(second.fresh, false);
  const timer = second.core.view('timer', {}, start + 4 * hour);
  assert.equal(timer.state, 'fasting');
  assert.equal(timer.fast.id, id);
  assert.equal(timer.elapsed, 4 * hour);
  assert.equal(timer.materialising, 0.25);
  assert.match(timer.treeSVG, /^<svg/);

  second.act('fast.complete', {}, start + 17 * hour);
  const third = await device(second.rows);
  assert.equal(third.core.view('timer', { id }, start + 17 * hour).state, 'complete');
  assert.equal(third.core.view('forest', {}, start + 17 * hour).trees.length, 1);
  assert.equal(third.core.view('history', {}, start + 17 * hour).fasts[0].state, 'established');
  const month = third.core.view('calendar', {}, start + 17 * hour);
  assert.equal(month.weeks.flat().filter((day) => day.fasts?.length).length, 1);
});

test('water is noted, and undone', async () => {
  const { core, act } = await device();
  act('water.add', { millilitres: 300 }, start);
  assert.equal(core.view('water', {}, start).days[0].entries[0].text, '300 ml');
  assert.equal(act('undo', {}, start).undone, true);
  assert.equal(core.view('water', {}, start).days.length, 0);
});

test('settings take what a person may choose, and say why not', async () => {
  const { core, act } = await device();
  act('settings.set', { setting: 'target', value: '18h' }, start);
  assert.equal(core.view('timer', {}, start).target, 18 * hour);
  assert.throws(
    () => act('settings.set', { setting: 'unit', value: 'cups' }, start),
    (error) => error instanceof CoreError && error.code === 'input' && error.advice !== '');
});

test('a store with any row missing, cut or changed is damaged, and never empty', async () => {
  const { rows, act } = await device();
  act('water.add', { millilitres: 300 }, start);
  act('fast.start', {}, start);
  const isDamaged = (error) => error instanceof CoreError && error.code === 'damaged';
  for (const key of rows.keys()) {
    const changed = (change) => {
      const copy = new Map(rows);
      change(copy, rows.get(key));
      return copy;
    };
    await assert.rejects(device(changed((copy) => copy.delete(key))), isDamaged, `without ${key}`);
    await assert.rejects(
      device(changed((copy, value) => copy.set(key, value.slice(0, -1)))), isDamaged, `cut ${key}`);
    for (let index = 0; index < rows.get(key).length; index += 1) {
      const flipped = rows.get(key).slice();
      flipped[index] ^= 0x10;
      await assert.rejects(
        device(changed((copy) => copy.set(key, flipped))), isDamaged, `${key}, byte ${index}`);
    }
  }
});

test('requests that make no sense are refused, and the replica goes on', async () => {
  const { core, act } = await device();
  for (const argument of [{ id: 7 }, { id: 'x' }, { at: -1 }, { millilitres: 1e300 }, { at: 1.5 }]) {
    for (const name of ['fast.edit', 'water.add', 'fast.delete', 'nonsense']) {
      try {
        act(name, argument, start);
      } catch (error) {
        assert.ok(error instanceof CoreError && error.code !== 'broken', `${name}: ${error}`);
      }
    }
  }
  assert.equal(core.view('timer', {}, start).state, 'idle');
});
