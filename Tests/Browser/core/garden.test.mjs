// SPDX-License-Identifier: Apache-2.0
// A garden in the browser's core and in `trunk`, over a real server: both derive the same.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Device } from './device.mjs';
import { startServer } from './server.mjs';

/** A browser and a terminal of one account. */
async function pair(t) {
  const server = await startServer();
  t.after(() => server.stop());
  const phone = await Device.open(server);
  await phone.pair('add');
  const terminal = server.terminal();
  terminal('pair', server.link('invite'));
  const sync = async () => {
    await phone.sync();
    terminal('sync');
    await phone.sync();
  };
  return { phone, terminal, trunk: terminal.trunk, sync };
}

/** What the terminal's program says of a twig. */
const twig = (trunk, number) => JSON.parse(trunk('twig', number, '--json'));

test('a sprout planted in the browser grows in the terminal, and is harvested there', async (t) => {
  const { phone, trunk, sync } = await pair(t);
  const { id } = phone.act('garden.sprout', {
    title: 'Read Middlemarch', twig: '3.5', season: '3m', environment: 'firm',
    bloom5: 'Both volumes', leaf: 'Long books',
  });
  phone.act('garden.water', { id, note: 'Two chapters\nbefore breakfast' });
  phone.act('garden.label', { node: '3.5', label: 'Reading', note: 'In the evenings' });
  await sync();

  const there = twig(trunk, '3.5');
  assert.deepEqual([there.label, there.note], ['Reading', 'In the evenings']);
  const [sprout] = there.sprouts;
  assert.equal(sprout.id, id);
  assert.deepEqual(
    [sprout.title, sprout.season, sprout.environment, sprout.state, sprout.bloom5, sprout.waterings],
    ['Read Middlemarch', '3m', 'firm', 'active', 'Both volumes', 1]);
  assert.equal(there.leaves[0].name, 'Long books');
  assert.match(trunk('journal'), /Two chapters\n *before breakfast/);

  trunk('harvest', 'middlemarch', '--result', '4', '--note', 'On the train');
  await sync();
  const ended = phone.view('sprout', { id });
  assert.equal(ended.state, 'completed');
  assert.equal(ended.reflection, 'On the train');
  assert.match(phone.view('garden').svg, /#blossom-4/);
});

test('soil is the same on both, also below zero after both planted with the last', async (t) => {
  const { phone, trunk, sync } = await pair(t);
  await sync();
  phone.act('garden.sprout', { title: 'Here', twig: '1.1', season: '3m', environment: 'barren' });
  trunk('plant', 'There', '--on', '1.2', '--season', '3m', '--environment', 'firm');
  await sync();
  const { soil, capacity } = JSON.parse(trunk('status', '--json')).meters;
  assert.deepEqual([soil, capacity], [-8, 10]);
  assert.equal(phone.view('garden').soil, 'Soil \u22128 of 10');
  assert.throws(
    () => phone.act('garden.sprout', { title: 'More', twig: '1.3' }),
    (error) => error.title === 'That takes 3 soil, and there is -8.');
});

test('what the terminal wrote is edited and taken back in the browser', async (t) => {
  const { phone, trunk, sync } = await pair(t);
  trunk('draft', 'Learn the cello', '--on', '2.1', '--season', '1y');
  trunk('shine', '2.1', 'A quiet week');
  await sync();
  const [{ place, words }] = phone.view('garden', { node: '2.1' }).spots;
  assert.equal(words, 'Learn the cello 1 year, fertile; a draft');
  assert.equal(phone.view('journal').entries[0].note, 'A quiet week');
  const id = place.split('/')[1];
  phone.act('garden.edit', { id, title: 'Learn the viola', season: '6m', twig: '2.2' });
  await sync();
  assert.equal(twig(trunk, '2.2').sprouts[0].title, 'Learn the viola');
  phone.act('garden.undo');
  await sync();
  assert.equal(twig(trunk, '2.1').sprouts[0].title, 'Learn the cello');
  assert.equal(twig(trunk, '2.1').sprouts[0].season, '1y');
});

test('of two titles the later wins, and the other is among what lost, in words', async (t) => {
  const { phone, trunk, sync } = await pair(t);
  const { id } = phone.act('garden.sprout', { title: 'Read', twig: '1.1' });
  await sync();
  phone.act('garden.edit', { id, title: 'Read aloud' });
  trunk('edit', 'read', '--title', 'Read less');
  await sync();
  const [conflict] = phone.view('conflicts').conflicts;
  assert.deepEqual(
    [conflict.kind, conflict.lost, conflict.kept], ['“Read less”', 'Read aloud', 'Read less']);
  phone.act('conflict.restore', { id: conflict.id });
  assert.equal(phone.view('sprout', { id }).title, conflict.lost);
});
