// SPDX-License-Identifier: Apache-2.0
// The outlines of trees that the page defines are those that every other picture has inside.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { outlines } from '../../../Client/web/outlines.mjs';

const programs = process.env.PROGRAMS ?? '.build/debug';
const symbols = (svg) => new Map([...svg.matchAll(
  /<symbol id="tree-(\d)" viewBox="0 0 1024 1024">\s*<path d="([^"]+)"\s*\/>\s*<\/symbol>/g)]
  .map(([, number, path]) => [number, path.replace(/\s+/g, ' ')]));

test('the page has all eight outlines, and each is the one of the terminal\'s picture', () => {
  const ours = symbols(outlines('Sources/AtrestDomain/Silhouettes'));
  assert.deepEqual([...ours.keys()], ['0', '1', '2', '3', '4', '5', '6', '7']);
  const folder = mkdtempSync(join(tmpdir(), 'atrest-outlines-'));
  try {
    const atrest = (...words) => execFileSync(join(programs, 'atrest'),
      [...words, '--replica', join(folder, 'replica')], { encoding: 'utf8' });
    // Which form a fast has comes from its id: sixty have about all of them.
    const day = (number) => new Date(Date.UTC(2026, 0, 1 + number)).toISOString().slice(0, 10);
    const rows = Array.from({ length: 60 }, (_, number) => `${day(number)}T00:00,${day(number)}T16:00`);
    writeFileSync(join(folder, 'rows.csv'), `Start,End\n${rows.join('\n')}\n`);
    atrest('import', join(folder, 'rows.csv'), '--yes');
    const picture = join(folder, 'forest.svg');
    atrest('forest', '--svg', picture);
    const theirs = symbols(readFileSync(picture, 'utf8'));
    assert(theirs.size >= 6, `${theirs.size} forms among sixty trees`);
    for (const [number, path] of theirs) assert.equal(ours.get(number), path, number);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
