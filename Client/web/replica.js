// SPDX-License-Identifier: Apache-2.0
// The replica of the tab that owns it: one action after another, each kept before it is answered.

import { Core, CoreError } from './core.js';
import { environment, surroundings } from './environment.js';
import { unary } from './transport.js';
import { failure } from './words.js';

/** @typedef {import('./core.js').Changes} Changes */

/** How long a person may take to let a new device in, in milliseconds. */
const approvalTime = 10 * 60 * 1000;
const callTime = 20_000;

export class Replica {
  /** @type {Core} */
  core;
  /**
   * Told after rows were kept.
   * @type {(isOwn: boolean) => void}
   */
  onChange = () => {};
  /**
   * Told when the core was opened anew: what was under way in it is gone. Not told by a sync whose
   * own step could not be kept, which ends with the error.
   */
  onReopen = () => {};
  /** Told when another page took the rows over: this one can keep nothing any more. */
  onSuperseded = () => {};
  /** @type {ArrayBuffer} */
  #module;
  /** @type {import('./store.js').Store} */
  #store;
  #last = Promise.resolve();
  /** Whether the core has what is not kept: then it shows nothing until it is opened anew. */
  #isAhead = false;
  #surroundings = surroundings();

  /** @param {Core} core @param {ArrayBuffer} module @param {import('./store.js').Store} store */
  constructor(core, module, store) {
    this.core = core;
    this.#module = module;
    this.#store = store;
  }

  /**
   * @param {ArrayBuffer} module
   * @param {import('./store.js').Store} store
   * @param {() => boolean} [isOver] Whether the rows are another page's by now.
   * @throws {CoreError|import('./store.js').StoreError} If what was kept cannot be read.
   */
  static async open(module, store, isOver = () => false) {
    const core = await Core.load(module);
    if (isOver()) throw failure('moved');
    await read(core, await store.takeOver(), store);
    return new Replica(core, module, store);
  }

  /** @param {string} name @param {object} argument @param {Uint8Array} [file] */
  view(name, argument, file) {
    if (this.#isAhead) throw failure('failed');
    return this.core.view(name, argument, Date.now(), file);
  }

  /**
   * What a screen shows: while the core goes back to what was kept, it waits.
   * @param {string} name @param {object} argument @param {Uint8Array} [file]
   */
  async show(name, argument, file) {
    if (this.#isAhead) await this.#last;
    return this.view(name, argument, file);
  }

  /**
   * @param {string} name @param {object} argument @param {Uint8Array} [file]
   * @returns {Promise<any>}
   */
  act(name, argument, file) {
    return this.change((core, now) => core.act(name, argument, now, file), 'person');
  }

  /**
   * Calls the server, outside of a sync.
   * @param {string} name
   * @param {object} argument
   * @param {(result: any) => void} [onSent] Told what the core says before the server answers.
   * @param {Uint8Array} [file]
   * @returns {Promise<any>}
   * @throws {CoreError}
   */
  async call(name, argument, onSent = () => {}, file = undefined) {
    const call = await this.change((core, now) => {
      const { rows, ...result } = core.call(name, argument, now, file);
      return { rows, result };
    });
    onSent(call.result);
    /** @type {Uint8Array} */
    let message;
    try {
      message = await unary(call, { deadline: name === 'pair' ? approvalTime : callTime });
    } catch (error) {
      const { status = 14, message: text = '', details } = /** @type {any} */ (error);
      throw this.core.failure({ status, message: text, details });
    }
    const by = name === 'pair' ? 'person' : 'call';
    return this.change((core, now) => core.answer(name, message, now, argument, file), by);
  }

  /**
   * Runs one change after those before it, and answers when its rows are kept.
   * @param {(core: Core, now: number) => {rows: Changes, result?: any}} body
   * @param {'person'|'call'|'sync'} [by] Of what a person changed the server is told soon.
   * @returns {Promise<any>} The `result`, or the step itself.
   */
  change(body, by = 'call') {
    return this.#next(async () => {
      if (this.#isAhead) {
        await this.#reopen();
        this.onReopen();
      }
      const step = body(this.core, Date.now());
      const { put, remove } = step.rows;
      try {
        await this.#store.keep(step.rows);
      } catch (error) {
        if (!await this.#goBack(step.rows, by, error)) throw error;
      }
      if (put.length + remove.length > 0) this.onChange(by === 'person');
      return 'result' in step ? step.result : step;
    });
  }

  /**
   * Goes back to what was kept; if that cannot be read now, before the next change.
   * @param {Changes} rows What could not be kept.
   * @param {'person'|'call'|'sync'} by
   * @param {any} error
   * @returns {Promise<boolean>} Whether the rows were kept after all, and only nobody said so.
   */
  async #goBack(rows, by, error) {
    this.#isAhead = true;
    if (error.code === 'superseded') {
      this.onSuperseded();
      return false;
    }
    try {
      const kept = await this.#reopen();
      if (by !== 'sync') this.onReopen();
      return by !== 'sync' && has(kept, rows);
    } catch {
      return false;
    }
  }

  /** The page is seen again: its clocks may be others by now, and its rows can be read again. */
  wake() {
    this.#store.wake();
    if (!this.#isAhead && surroundings() === this.#surroundings) return;
    this.#next(async () => {
      await this.#reopen();
      this.onReopen();
    }).catch(() => {});
  }

  /**
   * Runs one body after those before it.
   * @template T
   * @param {() => Promise<T>} body
   * @returns {Promise<T>}
   */
  #next(body) {
    const done = this.#last.then(body);
    this.#last = done.then(() => {}, () => {});
    return done;
  }

  /** @returns The rows that were kept. */
  async #reopen() {
    const core = await Core.load(this.#module);
    const rows = await this.#store.rows();
    await read(core, rows, this.#store);
    this.core = core;
    this.#isAhead = false;
    this.#surroundings = surroundings();
    return rows;
  }
}

/**
 * @param {Core} core
 * @param {[string, Uint8Array][]} rows
 * @param {import('./store.js').Store} store
 */
async function read(core, rows, store) {
  const opened = core.open({ rows, now: Date.now(), app: 'atrest', environment: environment() });
  await store.keep(opened.rows);
}

/**
 * Whether the rows are as these changes make them.
 * @param {[string, Uint8Array][]} rows
 * @param {Changes} changes
 */
function has(rows, { put, remove }) {
  const kept = new Map(rows);
  return remove.every((key) => !kept.has(key)) && put.every(([key, value]) => {
    const other = kept.get(key);
    return other?.length === value.length && value.every((byte, index) => byte === other[index]);
  });
}
