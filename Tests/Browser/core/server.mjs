// SPDX-License-Identifier: Apache-2.0
// A server of its own for a test, with calls to it, and the terminal's app as another device.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import http2 from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Programs of a debug build, unless PROGRAMS names another folder. */
const programs = process.env.PROGRAMS ?? '.build/debug';

/** Starts a server on a free port of this machine; `stop` ends it and what it called. */
export async function startServer(...options) {
  const folder = mkdtempSync(join(tmpdir(), 'atrest-web-'));
  const data = join(folder, 'data');
  // A test that is cut short leaves no server.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', join(programs, 'atrest-syncd'), 'serve',
    '--data', data, '--listen', '127.0.0.1:0', ...options], { stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = once(child, 'exit');
  let said = '';
  for await (const chunk of child.stdout) {
    said += chunk;
    if (said.includes('\n')) break;
  }
  const address = said.match(/listening on (\S+:\d+)/)?.[1];
  if (!address) {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`the server did not start: ${said}`);
  }
  // Its certificate is one that it made for itself; nobody else listens on this port.
  const session = http2.connect(`https://${address}`, { rejectUnauthorized: false });
  session.on('error', () => {});
  let devices = 0;

  const run = (program, ...words) =>
    execFileSync(join(programs, program), words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

  return {
    address,
    /** A code of a new account, or of another device. */
    link: (verb) => run('atrest-syncd', 'account', verb, 'home', '--data', data).match(/atrest:\S+/)[0],
    /** The terminal's app in a replica of its own; its `trunk` is the garden's app in the same. */
    terminal() {
      devices += 1;
      const replica = ['--replica', join(folder, `replica-${devices}`)];
      const atrest = (...words) => run('atrest', ...words, ...replica);
      return Object.assign(atrest, { trunk: (...words) => run('trunk', ...words, ...replica) });
    },
    /** A call: its messages one by one; throws `{status, message, details}`. */
    async *call({ method, token, message }) {
      const head = Buffer.alloc(5);
      head.writeUInt32BE(message.length, 1);
      const stream = session.request({
        ':method': 'POST', ':path': method, te: 'trailers', 'content-type': 'application/grpc+proto',
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      });
      let end = {};
      stream.on('response', (headers) => { end = headers; });
      stream.on('trailers', (headers) => { end = headers; });
      stream.end(Buffer.concat([head, message]));
      let buffered = Buffer.alloc(0);
      try {
        for await (const chunk of stream) {
          buffered = Buffer.concat([buffered, chunk]);
          while (buffered.length >= 5 && buffered.length >= 5 + buffered.readUInt32BE(1)) {
            const size = buffered.readUInt32BE(1);
            yield new Uint8Array(buffered.subarray(5, 5 + size));
            buffered = buffered.subarray(5 + size);
          }
        }
      } finally {
        stream.close();
      }
      if (end['grpc-status'] !== '0') {
        const details = end['grpc-status-details-bin'];
        throw {
          status: Number(end['grpc-status'] ?? 14), message: end['grpc-message'] ?? '',
          ...(details ? { details: new Uint8Array(Buffer.from(details, 'base64')) } : {}),
        };
      }
    },
    /** The message that a call is answered with. */
    async unary(call) {
      let answer;
      for await (const message of this.call(call)) answer = message;
      return answer;
    },
    /** A file of the app, as its bytes are on the wire. */
    async get(path, accepted) {
      const stream = session.request({ ':path': path, 'accept-encoding': accepted });
      const [headers] = await once(stream, 'response');
      return { headers, body: Buffer.concat(await stream.toArray()) };
    },
    async stop() {
      session.destroy();
      child.kill('SIGTERM');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
