// SPDX-License-Identifier: Apache-2.0
// Starts the app without a network. A new version waits until no page of the old one is open.

/** The folder is named after all its contents, and so is the cache. */
const folder = '/app/current/';
const cacheName = `atrest ${folder}`;
/**
 * The files of the folder, in whose place `assets.mjs` names them.
 * @type {string[]}
 */
const files = [];
/** What the app answers for. All else on its origin belongs to others. */
const own = new Set(['/', '/manifest.webmanifest', ...files.map((name) => folder + name)]);

/** @type {any} */
const worker = self;

worker.addEventListener('install', (/** @type {any} */ event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(cacheName);
    await cache.addAll([...own]
      .map((path) => new Request(path, { cache: path.startsWith(folder) ? 'default' : 'reload' })));
    // The page must be that of this version: a server updated in between has the next one.
    const page = await (await cache.match('/'))?.text();
    if (!page?.includes(folder)) {
      await caches.delete(cacheName);
      throw new Error('the app changed while it was loaded');
    }
  })());
});

worker.addEventListener('activate', (/** @type {any} */ event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) {
      if (name.startsWith('atrest ') && name !== cacheName) await caches.delete(name);
    }
  })());
});

worker.addEventListener('fetch', (/** @type {any} */ event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== worker.location.origin) return;
  if (!own.has(url.pathname)) return;
  event.respondWith((async () => {
    const kept = await (await caches.open(cacheName)).match(url.pathname);
    return kept ?? fetch(request);
  })());
});
