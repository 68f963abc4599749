// SPDX-License-Identifier: Apache-2.0
// The app's files as a server sends them: what they hold, and how many bytes that takes.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

import { startServer } from './server.mjs';

/** The most that a first visit may load, in kB. */
const budgets = JSON.parse(readFileSync(new URL('../budgets.json', import.meta.url)))[
  process.env.UNOPTIMIZED ? 'unoptimized' : 'optimized'
];
const readers = { br: brotliDecompressSync, gzip: gunzipSync };

test('each file is the same in every coding, and the app is within its budget', async () => {
  const { assets } = JSON.parse(readFileSync(join(process.env.WEB, 'assets.json')));
  const server = await startServer('--web', process.env.WEB);
  try {
    const kB = { core: 0, app: 0 };
    for (const { path, sha256 } of assets) {
      for (const accepted of ['gzip, deflate, br, zstd', 'gzip, deflate', 'identity']) {
        const { headers, body } = await server.get(path, accepted);
        assert.equal(headers[':status'], 200, path);
        const contents = readers[headers['content-encoding']]?.(body) ?? body;
        assert.equal(createHash('sha256').update(contents).digest('hex'), sha256, path);
        if (!accepted.includes('br')) continue;
        kB.app += body.length / 1000;
        if (path.endsWith('.wasm')) kB.core = body.length / 1000;
      }
    }
    for (const [part, budget] of Object.entries(budgets)) {
      console.log(`${part}: ${Math.ceil(kB[part])} kB as served, of ${budget} kB`);
      assert(kB[part] > 0 && kB[part] <= budget, part);
    }
  } finally {
    await server.stop();
  }
});
