// SPDX-License-Identifier: Apache-2.0
// Lays out the app's files for a server: node assets.mjs CORE SHELL OUT.
//
// Everything but what has to keep its name goes into one folder named after all contents, so that
// modules import each other as they are and never mix versions. `/app/current/` in the rest names
// that folder, and `const files = []` what is kept of it for a start without a network.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

import { outlines } from './outlines.mjs';

const types = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
};
/** Files that the browser asks for by name. */
const named = new Set(['index.html', 'service-worker.js', 'manifest.webmanifest']);
/** Folders and files that are compiled, not served. */
const sources = new Set(['core', 'wasm']);

const [core, shell, out] = process.argv.slice(2);
const hash = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** Tests do not wait for the smallest files. */
const effort = process.env.UNOPTIMIZED ? 5 : constants.BROTLI_MAX_QUALITY;

/** The forms in which contents are served. Where compression pays, they are read from the gzip. */
function forms(bytes) {
  const gzip = gzipSync(bytes, { level: 9 });
  if (gzip.length >= bytes.length) return [{ coding: 'identity', suffix: '', bytes }];
  const brotli = brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: effort,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
  return [
    { coding: 'br', suffix: '.br', bytes: brotli }, { coding: 'gzip', suffix: '.gz', bytes: gzip },
  ];
}

function files(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      if (entry.isDirectory()) {
        if (sources.has(entry.name)) return [];
        return files(join(folder, entry.name)).map((name) => join(entry.name, name));
      }
      return extname(entry.name) in types ? [entry.name] : [];
    })
    .sort();
}

const contents = new Map(files(shell).map((name) => [name, readFileSync(join(shell, name))]));
contents.set('atrest-core.wasm', readFileSync(core));
contents.set('trees.svg',
  Buffer.from(outlines(join(shell, '../../Sources/AtrestDomain/Silhouettes'))));
const all = [...contents].map(([name, bytes]) => `${name} ${hash(bytes)}\n`).join('');
const version = hash(all).slice(0, 16);

/** Icons are asked for by the system's own launcher, once. */
const kept = [...contents.keys()].filter((name) => !named.has(name) && !name.endsWith('.png'));
const written = (/** @type {Buffer} */ bytes) => Buffer.from(bytes.toString()
  .replaceAll('/app/current/', `/app/${version}/`)
  .replace('const files = [];', `const files = ${JSON.stringify(kept)};`));

rmSync(join(out, 'files'), { recursive: true, force: true });
const assets = [];
for (const [name, bytes] of contents) {
  const isNamed = named.has(name);
  const file = join('files', name);
  const text = isNamed ? written(bytes) : bytes;
  mkdirSync(dirname(join(out, file)), { recursive: true });
  writeFileSync(join(out, file), text);
  assets.push({
    path: isNamed ? (name === 'index.html' ? '/' : `/${name}`) : `/app/${version}/${name}`,
    sha256: hash(text),
    type: types[extname(name)],
    immutable: !isNamed,
    forms: forms(text).map(({ coding, suffix, bytes }) => {
      writeFileSync(join(out, file + suffix), bytes);
      return { coding, file: file + suffix, sha256: hash(bytes) };
    }),
  });
}
writeFileSync(join(out, 'assets.json'), `${JSON.stringify({ version, assets }, null, 1)}\n`);
console.log(`${assets.length} files, version ${version}`);
