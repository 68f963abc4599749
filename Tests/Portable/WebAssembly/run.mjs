// SPDX-License-Identifier: Apache-2.0
// Runs the cases of a WebAssembly module, and the merge vectors: node run.mjs MODULE VECTORS.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const bytes = (address, count) =>
  Buffer.from(new Uint8Array(instance.exports.memory.buffer, address, count));
let parts = [];
const module = new WebAssembly.Module(readFileSync(process.argv[2]));
const instance = new WebAssembly.Instance(module, {
  host: {
    // Seeds of hash tables. Fixed, so that a failure repeats.
    random: (address, count) =>
      new Uint8Array(instance.exports.memory.buffer, address, count).fill(7),
    report: (address, count) => console.error(bytes(address, count).toString()),
    take: (address, count) => parts.push(bytes(address, count)),
  },
});
const cases = instance.exports.run();
if (cases <= 0) process.exit(1);
console.log(`${cases} cases, all as on other platforms`);

/** What the module makes of one offer. */
function replay(offer, now) {
  const { memory, reserve, release } = instance.exports;
  const address = reserve(offer.length) >>> 0;
  new Uint8Array(memory.buffer, address, offer.length).set(offer);
  parts = [];
  const count = instance.exports.offer(address, offer.length, BigInt(now));
  release(address);
  assert.equal(parts.length, count);
  const [superseded, result, ...journal] = parts;
  return { superseded: superseded[0] === 1, result, journal };
}

const base64 = (all) => all.map((each) => each.toString("base64"));
/** The key of a journal entry, which its record begins with: kind and id, each after its tag. */
const key = (entry) => entry.toString("hex", 0, 4 + entry[3]);
let offers = 0;
for (const line of readFileSync(process.argv[3], "utf8").trim().split("\n")) {
  const { case: number, server_ms: now, steps = [] } = JSON.parse(line);
  instance.exports.begin();
  const listed = new Set();
  // Whether an offer is taken at all, a server decides.
  for (const step of steps.filter(({ refused }) => !refused)) {
    const found = replay(Buffer.from(step.offer, "base64"), now);
    // A write is listed once, whatever it loses to.
    const news = found.journal.filter((entry) => !listed.has(key(entry)) && listed.add(key(entry)));
    assert.deepEqual(
      [found.superseded, ...base64([found.result]), ...base64(news).sort()],
      [step.superseded, step.result, ...step.journal.toSorted()], `case ${number}`);
    offers += 1;
  }
}
assert(offers > 3000);
console.log(`${offers} offers of the merge vectors, all as they say`);
