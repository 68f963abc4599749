// SPDX-License-Identifier: Apache-2.0
// Files between the browser's core and the terminal's app, and pictures that a camera reads.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { Core, CoreError } from '../../../Client/web/core.js';

const module = readFileSync(process.env.CORE);
const programs = process.env.PROGRAMS ?? '.build/debug';
const now = Date.UTC(2026, 4, 20, 8);
const hour = 3_600_000;

/** A core whose rows are kept here. */
async function device(language = 'en') {
  const core = await Core.load(module);
  const environment = { locale: language, language, night: false, zone: [{ from: 0, offset: 0 }] };
  core.open({ rows: [], now, app: 'atrest', environment });
  return {
    core,
    act: (name, argument = {}, at = now, file = undefined) => core.act(name, argument, at, file).result,
    view: (name, argument = {}, file = undefined) => core.view(name, argument, now, file),
  };
}

/** A folder and the terminal's app in it, both gone after `body`. */
function withTerminal(body) {
  const folder = mkdtempSync(join(tmpdir(), 'atrest-files-'));
  const terminal = (...words) => execFileSync(
    join(programs, 'atrest'), [...words, '--replica', join(folder, 'replica')],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    body(terminal, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A browser with every kind of record that people make. */
async function lived(count = 3) {
  const each = await device();
  for (let index = 0; index < count; index += 1) {
    const start = now - (index + 1) * 24 * hour;
    const { id } = each.act('fast.start', { targetMinutes: 960 }, start);
    each.act('fast.complete', {}, start + 17 * hour + index);
    if (index === 0) each.act('fast.edit', { id, targetMinutes: 1080 }, now);
    each.act('water.add', { millilitres: 250 + index }, start);
  }
  each.act('settings.set', { setting: 'vigil', value: 'on' });
  return each;
}

/** The lines of records: the header has the time and the program that wrote it. */
const records = (file) => Buffer.from(file).toString().trim().split('\n').slice(1, -1);

test('what the browser exports, the terminal brings in and exports again, record for record', async () => {
  const { view } = await lived();
  const { name, file, words, records: count } = view('export');
  assert.equal(name, 'atrest-2026-05-20.jsonl');
  assert.equal(count, 7);
  assert.match(words, /3 fasts, 3 water entries, 1 setting/);
  withTerminal((terminal, folder) => {
    writeFileSync(join(folder, 'in'), file);
    assert.match(terminal('import', join(folder, 'in'), '--yes'), /7 added/);
    terminal('export', join(folder, 'out'));
    assert.deepEqual(records(readFileSync(join(folder, 'out'))), records(file));
  });
});

test('what the terminal exports, with stamps as well, the browser brings in', async () => {
  const { act, view } = await device();
  withTerminal((terminal, folder) => {
    terminal('water', 'add', '333ml');
    terminal('fast', 'start', '--at', '5h ago');
    terminal('fast', 'complete');
    terminal('export', join(folder, 'plain'));
    terminal('export', '--stamps', join(folder, 'stamped'));
    const plain = new Uint8Array(readFileSync(join(folder, 'plain')));
    const stamped = new Uint8Array(readFileSync(join(folder, 'stamped')));
    const shown = view('import', {}, stamped);
    assert.deepEqual([shown.new, shown.updated, shown.known, shown.changesAnything], [2, 0, 0, true]);
    assert.equal(act('import', {}, now, stamped).words, 'Brought in: 2 added.');
    assert.deepEqual(records(view('export').file), records(plain));
  });
});

test('the same file again changes nothing, and one undo takes an import back', async () => {
  const { file } = (await lived()).view('export');
  const other = await device();
  other.act('import', {}, now, file);
  const again = other.view('import', {}, file);
  assert.deepEqual([again.new, again.known, again.changesAnything], [0, 7, false]);
  assert.equal(other.act('import', {}, now, file).words, 'Brought in: everything was here already.');
  assert.match(other.act('undo').words, /^Taken back: [1-9]\d* (fasts|water entries)\.$/);
  assert.equal(other.view('export').records, 0);
});

test('what differs stays, unless the person prefers the file', async () => {
  const { act, view } = await lived(1);
  const { file } = view('export');
  const { id } = view('history').fasts[0];
  act('fast.edit', { id, targetMinutes: 720 });
  const shown = view('import', {}, file);
  assert.deepEqual([shown.changesAnything, shown.differs], [false, true]);
  assert.match(shown.lines.join('\n'), /1 different here/);
  assert.equal(view('import', { preferFile: true }, file).updated, 1);
  act('import', { preferFile: true }, now, file);
  assert.equal(view('history').fasts[0].target, 18 * hour);
});

test('a damaged file, a half one and another file are refused with what to do', async () => {
  const { file } = (await lived()).view('export');
  const other = await device();
  const refuse = (bytes, words) => {
    for (const ask of [() => other.view('import', {}, bytes), () => other.act('import', {}, now, bytes)]) {
      assert.throws(ask, (error) => error instanceof CoreError && error.code === 'input'
        && words.test(error.message));
    }
  };
  const changed = file.slice();
  changed[Math.floor(file.length / 2)] ^= 1;
  refuse(changed, /changed or damaged. .*Make the export again/);
  refuse(file.slice(0, file.length - 40), /ends too early. .*Copy it again/);
  refuse(new TextEncoder().encode('{"version":1,"payload":{}}'), /no export of Atrest or of its iOS app. Choose a file/);
  refuse(new Uint8Array(), /no export of Atrest/);
  for (let index = 0; index < file.length; index += 97) {
    const hurt = file.slice();
    hurt[index] ^= 0x11;
    assert.throws(() => other.view('import', {}, hurt), CoreError);
  }
  assert.equal(other.view('export').records, 0);
});

test('the iOS app\'s files are brought in, and one that was changed is refused', async () => {
  for (const [name, count] of [['atrest-export', 12], ['session-state', 12], ['water-log', 8]]) {
    const other = await device();
    const file = readFileSync(`Examples/Import/${name}.json`);
    const shown = other.view('import', {}, file);
    assert.deepEqual([shown.new, shown.changesAnything], [count, true]);
    assert.match(shown.lines[0], /iOS app/);
    assert.match(other.act('import', {}, now, file).words, new RegExp(`^Brought in: ${count} added`));
    assert.equal(other.view('import', {}, file).known, count);
    if (name !== 'atrest-export') continue;
    const changed = new TextEncoder().encode(file.toString().replace('06:39:22Z', '06:39:23Z'));
    assert.throws(() => other.view('import', {}, changed), /changed or damaged/);
  }
});

test('a file of 10,000 records', async () => {
  const { core } = await device();
  const lines = [];
  for (let index = 0; index < 10_000; index += 1) {
    const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
    const at = new Date(now - index * 600_000).toISOString().replace('.000', '');
    lines.push(`{"id":"${id}","intake":{"at":"${at}","millilitres":250},"kind":"water"}`);
  }
  const head = '{"format":"atrest-sync","made_at":"2026-05-20T08:00:00Z","version":1}';
  const body = `${[head, ...lines].join('\n')}\n`;
  const { createHash } = await import('node:crypto');
  const seal = { count: lines.length, sha256: createHash('sha256').update(body).digest('hex') };
  const file = new TextEncoder().encode(`${body}${JSON.stringify(seal)}\n`);
  const began = performance.now();
  const { rows, result } = core.act('import', {}, now, file);
  const brought = performance.now();
  assert.equal(result.words, 'Brought in: 10000 added.');
  assert.ok(rows.put.length >= 10_000);
  const made = core.view('export', {}, now);
  const written = performance.now();
  assert.equal(made.records, 10_000);
  assert.deepEqual(records(made.file), lines);
  console.log(`10,000 records: ${Math.round(brought - began)} ms in, ${Math.round(written - brought)} ms out`);
});

test('a purchase that the App Store signed is kept, and takes nothing away', async () => {
  const { act, view } = await device();
  const claims = Buffer.from('{"transactionId":"20000001","signedDate":1700000000000}').toString('base64url');
  const signed = new TextEncoder().encode(`eyJhbGciOiJFUzI1NiJ9.${claims}.AAAA\n`);
  assert.throws(() => act('purchase', {}, now, signed.slice(3, 40)), /Take it from the App Store as it is/);
  act('purchase', {}, now, signed);
  assert.match(view('export').words, /1 purchase\./);
  assert.equal(view('settings').gates.entitlement, 'unknown');
});

test('a camera reads the picture of a link', async (context) => {
  const { view } = await device();
  const text = 'https://sync.example.org/#pair=BCDF-GHJKLMNP';
  const { svg } = view('qr', { text });
  assert.equal(view('qr', { text: 'x'.repeat(3000) }).svg, undefined);
  // Each run of dark modules is `Mx yhWv1Hxz`.
  const side = Number(/<svg[^>]* width="(\d+)"/.exec(svg)[1]);
  const dark = Array.from({ length: side }, () => new Array(side).fill(0));
  for (const [, x, y, run] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1H/g)) {
    dark[y].fill(1, Number(x), Number(x) + Number(run));
  }
  const scale = 4;
  const wide = dark.flatMap((row) => new Array(scale).fill(
    row.flatMap((module) => new Array(scale).fill(module)).join(' ')));
  const folder = mkdtempSync(join(tmpdir(), 'atrest-qr-'));
  try {
    const picture = join(folder, 'code.pbm');
    writeFileSync(picture, `P1\n${side * scale} ${side * scale}\n${wide.join('\n')}\n`);
    const read = execFileSync('zbarimg', ['-q', '--raw', picture],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    assert.equal(read.trim(), text);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    context.skip('There is no zbarimg to read it.');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('the shell has every word it says, in both languages', async () => {
  const [english, german] = [(await device('en')).view('words'), (await device('de')).view('words')];
  assert.equal(english.undo, 'Undo');
  assert.equal(german.undo, 'Rückgängig');
  assert.deepEqual(Object.keys(english), Object.keys(german));
  const { readdirSync } = await import('node:fs');
  const folder = new URL('../../../Client/web/', import.meta.url);
  const said = new Set();
  for (const name of readdirSync(folder, { recursive: true }).filter((each) => each.endsWith('.js'))) {
    const text = readFileSync(new URL(name, folder), 'utf8');
    for (const [, first, second] of text.matchAll(/\bsay\((?:[^()']*\? )?'(\w+)'(?: : '(\w+)')?/g)) {
      said.add(first);
      if (second) said.add(second);
    }
  }
  assert.ok(said.size > 20);
  for (const name of said) assert.ok(english[name], `no word for ${name}`);
});
