// SPDX-License-Identifier: Apache-2.0
// Calls the server by gRPC-Web: unary and server streaming over fetch, with trailers in the body.

/** A call that failed. `status` is gRPC's; 14 when the server was not reached. */
export class CallError extends Error {
  /** @param {number} status @param {string} message @param {Uint8Array} [details] */
  constructor(status, message, details) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

/** The most bytes of one message, as the server's own limit. */
const messageLimit = 16 * 1024 * 1024;
/** The most bytes of the trailers. */
const trailerLimit = 64 * 1024;

/**
 * @typedef {{method: string, token: string|null, message: Uint8Array}} Call
 * @typedef {{deadline?: number, signal?: AbortSignal}} CallOptions `deadline` in milliseconds.
 */

/**
 * @param {Call} call
 * @param {CallOptions} options
 * @returns {Promise<Uint8Array>} The one message of the answer.
 * @throws {CallError}
 */
export async function unary(call, options = {}) {
  let answer;
  for await (const message of stream(call, options)) {
    if (answer) throw new CallError(13, 'the server sent two answers');
    answer = message;
  }
  if (!answer) throw new CallError(13, 'the server sent no answer');
  return answer;
}

/**
 * @param {Call} call
 * @param {CallOptions} options
 * @returns {AsyncGenerator<Uint8Array>} The messages, until the server ends with status 0.
 * @throws {CallError}
 */
export async function* stream({ method, token, message }, { deadline, signal } = {}) {
  const abort = new AbortController();
  const cancel = () => abort.abort();
  signal?.addEventListener('abort', cancel);
  if (signal?.aborted) cancel();
  let isLate = false;
  const timer = deadline && setTimeout(() => { isLate = true; cancel(); }, deadline);
  try {
    const response = await fetch(method, {
      method: 'POST', body: framed(message), signal: abort.signal, cache: 'no-store',
      credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer',
      headers: {
        'content-type': 'application/grpc-web+proto', 'x-grpc-web': '1',
        ...(token && { authorization: `Bearer ${token}` }),
        ...(deadline && { 'grpc-timeout': `${Math.min(deadline, 99_999_999)}m` }),
      },
    });
    // An error without messages has its status in the headers.
    const status = response.headers.get('grpc-status');
    if (status !== null && status !== '0') throw failure((name) => response.headers.get(name));
    if (!response.ok || !response.body) throw new CallError(14, `not the server's answer: HTTP status ${response.status}`);
    if (!response.headers.get('content-type')?.startsWith('application/grpc-web')) {
      throw new CallError(14, 'not the server\'s answer: no gRPC-Web');
    }
    yield* messages(response.body.getReader());
  } catch (error) {
    if (error instanceof CallError) throw error;
    if (isLate) throw new CallError(4, 'the server did not answer in time');
    if (signal?.aborted) throw new CallError(1, 'cancelled');
    throw new CallError(14, 'the server was not reached');
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
    cancel();
  }
}

/** @param {ReadableStreamDefaultReader<Uint8Array>} reader */
async function* messages(reader) {
  const input = new Input(reader);
  for (;;) {
    const head = await input.take(5);
    if (!head) throw new CallError(14, 'the connection ended early');
    const length = new DataView(head.buffer, head.byteOffset).getUint32(1);
    const isTrailer = head[0] === 0x80;
    if (!isTrailer && head[0] !== 0) throw new CallError(13, 'a frame of an unknown kind');
    if (length > (isTrailer ? trailerLimit : messageLimit)) {
      throw new CallError(8, 'the server sent too long a message');
    }
    const body = await input.take(length);
    if (!body) throw new CallError(14, 'the connection ended early');
    if (!isTrailer) {
      yield body;
      continue;
    }
    const fields = new Map(new TextDecoder().decode(body).split('\r\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
    }));
    if (fields.get('grpc-status') === '0') return;
    throw failure((name) => fields.get(name) ?? null);
  }
}

/** Bytes that arrive in pieces, taken by length. */
class Input {
  /** @type {ReadableStreamDefaultReader<Uint8Array>} */
  #reader;
  /** @type {Uint8Array[]} */
  #pieces = [];
  #count = 0;

  /** @param {ReadableStreamDefaultReader<Uint8Array>} reader */
  constructor(reader) {
    this.#reader = reader;
  }

  /** @param {number} length @returns {Promise<Uint8Array|null>} A copy; null at a premature end. */
  async take(length) {
    while (this.#count < length) {
      const { done, value } = await this.#reader.read();
      if (done) return null;
      this.#pieces.push(value);
      this.#count += value.length;
    }
    const result = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const piece = this.#pieces[0];
      const part = piece.subarray(0, length - filled);
      result.set(part, filled);
      filled += part.length;
      if (part.length === piece.length) this.#pieces.shift();
      else this.#pieces[0] = piece.subarray(part.length);
    }
    this.#count -= length;
    return result;
  }
}

/** @param {Uint8Array} message */
function framed(message) {
  const frame = new Uint8Array(5 + message.length);
  new DataView(frame.buffer).setUint32(1, message.length);
  frame.set(message, 5);
  return frame;
}

/** @param {(name: string) => string|null} field */
function failure(field) {
  const status = Number(field('grpc-status'));
  let message = field('grpc-message') ?? '';
  try { message = decodeURIComponent(message); } catch { /* As it is. */ }
  let details;
  try {
    const text = field('grpc-status-details-bin');
    if (text) details = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch { /* Without details the status speaks. */ }
  if (!Number.isInteger(status) || status < 1) {
    return new CallError(14, 'not the server\'s answer: no grpc-status');
  }
  return new CallError(status, message, details);
}
