// SPDX-License-Identifier: Apache-2.0
// Runs the cases of a WebAssembly module: node run.mjs MODULE.

import { readFileSync } from "node:fs";

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
const instance = new WebAssembly.Instance(module, {
  host: {
    // Seeds of hash tables. Fixed, so that a failure repeats.
    random: (address, count) =>
      new Uint8Array(instance.exports.memory.buffer, address, count).fill(7),
    report: (address, count) =>
      console.error(Buffer.from(instance.exports.memory.buffer, address, count).toString()),
  },
});
const cases = instance.exports.run();
if (cases <= 0) process.exit(1);
console.log(`${cases} cases, all as on other platforms`);
