// SPDX-License-Identifier: Apache-2.0
// The replica of the tab that owns it: one action after another, each kept before it is answered.

import { Core, CoreError } from './core.js';
import { environment } from './environment.js';
import { unary } from './transport.js';

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
  /** @type {ArrayBuffer} */
  #module;
  /** @type {import('./store.js').Store} */
  #store;
  #last = Promise.resolve();

  /** @param {Core} core @param {ArrayBuffer} module @param {import('./store.js').Store} store */
  constructor(core, module, store) {
    this.core = core;
    this.#module = module;
    this.#store = store;
  }

  /**
   * @param {ArrayBuffer} module
   * @param {import('./store.js').Store} store
   * @throws {CoreError|import('./store.js').StoreError} If what was kept cannot be read.
   */
  static async open(module, store) {
    const replica = new Replica(await Core.load(module), module, store);
    await replica.#read(await store.takeOver());
    return replica;
  }

  /** @param {string} name @param {object} argument @param {Uint8Array} [file] */
  view(name, argument, file) {
    return this.core.view(name, argument, Date.now(), file);
  }

  /**
   * @param {string} name @param {object} argument @param {Uint8Array} [file]
   * @returns {Promise<any>}
   */
  act(name, argument, file) {
    return this.change((core, now) => core.act(name, argument, now, file), true);
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
    const changes = name === 'pair';
    return this.change((core, now) => core.answer(name, message, now, argument, file), changes);
  }

  /**
   * Runs one change after those before it, and answers when its rows are kept.
   * @param {(core: Core, now: number) => {rows: Changes, result?: any}} body
   * @param {boolean} [isOwn] Whether the person made it, so that the server is told soon.
   * @returns {Promise<any>} The `result`, or the step itself.
   */
  change(body, isOwn = false) {
    const done = this.#last.then(async () => {
      const step = body(this.core, Date.now());
      const { put, remove } = step.rows;
      try {
        await this.#store.keep(step.rows);
      } catch (error) {
        // The core is ahead of the disk: go back to what was kept.
        await this.#reopen();
        throw error;
      }
      if (put.length + remove.length > 0) this.onChange(isOwn);
      return 'result' in step ? step.result : step;
    });
    this.#last = done.then(() => {}, () => {});
    return done;
  }

  async #reopen() {
    this.core = await Core.load(this.#module);
    await this.#read(await this.#store.rows());
  }

  /** @param {[string, Uint8Array][]} rows */
  async #read(rows) {
    const opened = this.core.open(
      { rows, now: Date.now(), app: 'atrest', environment: environment() });
    await this.#store.keep(opened.rows);
  }
}
