// SPDX-License-Identifier: Apache-2.0
// Decides which tab owns the replica. The others send it what they want, and take over when it goes.

import { failure } from './words.js';

/**
 * @typedef {{view: (name: string, argument: object, file?: Uint8Array) => any,
 *   act: (name: string, argument: object, file?: Uint8Array) => Promise<any>,
 *   call: (name: string, argument: object, onSent?: (result: any) => void,
 *     file?: Uint8Array) => Promise<any>,
 *   status: () => any, close: () => void}} Owner `close` ends what it does by itself.
 */

/** How long an owner may be silent before it counts as frozen, in milliseconds. */
const silence = 2000;

export class Tabs {
  /**
   * Told when something to see has changed.
   * @type {() => void}
   */
  onChange = () => {};
  /**
   * Told when the app comes into sight, or goes out of it: the first tab, or the last.
   * @type {() => void}
   */
  onSight = () => {};
  /**
   * Told when this tab's replica cannot be opened.
   * @type {(error: any) => void}
   */
  onFailure = () => {};
  /** @type {Owner|null} */
  #owner = null;
  #isStealing = false;
  /** Gives the lock back. */
  #letGo = () => {};
  /** The tabs that a person sees, by a name of their own. */
  #seen = new Set();
  #id = crypto.randomUUID();
  /** @type {(isOver: () => boolean) => Promise<Owner>} */
  #open;
  #name;
  #channel;
  /** @type {Map<string, {request: any, resolve: (value: any) => void, reject: (error: any) => void,
   *   onSent: (result: any) => void, timer: any, isTaken: boolean}>} */
  #pending = new Map();

  /**
   * @param {string} name
   * @param {(isOver: () => boolean) => Promise<Owner>} open Opens the replica from its rows, unless
   *   they are another tab's by now.
   */
  constructor(name, open) {
    this.#name = name;
    this.#open = open;
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = ({ data }) => this.#receive(data);
    document.addEventListener('visibilitychange', () => this.#look());
    addEventListener('pagehide', () => this.#look(false));
    addEventListener('pageshow', () => this.#look());
    this.#look();
  }

  /** Whether a person sees any of the tabs. */
  get isSeen() {
    return this.#seen.size > 0;
  }

  /** Tells all tabs whether this one is seen. */
  #look(isSeen = document.visibilityState === 'visible') {
    this.#saw(this.#id, isSeen);
    this.#channel.postMessage({ type: 'sight', id: this.#id, isSeen });
  }

  /** @param {string} id @param {boolean} isSeen */
  #saw(id, isSeen) {
    const wasSeen = this.isSeen;
    if (isSeen) this.#seen.add(id);
    else this.#seen.delete(id);
    if (wasSeen !== this.isSeen) this.onSight();
  }

  /** Waits for the replica, or for the tab that has it. */
  async start() {
    const isFree = await new Promise((resolve) => this.#request({ ifAvailable: true }, resolve));
    if (!isFree) this.#request({}, () => {});
  }

  /**
   * @param {string} name @param {object} [argument] @param {Uint8Array} [file]
   * @returns {Promise<any>}
   */
  view(name, argument = {}, file = undefined) {
    return this.#ask({ do: 'view', name, argument, file });
  }

  /**
   * @param {string} name @param {object} [argument] @param {Uint8Array} [file]
   * @returns {Promise<any>}
   */
  act(name, argument = {}, file = undefined) {
    return this.#ask({ do: 'act', name, argument, file });
  }

  /**
   * @param {string} name @param {object} [argument] @param {(result: any) => void} [onSent]
   * @param {Uint8Array} [file]
   */
  call(name, argument = {}, onSent = () => {}, file = undefined) {
    return this.#ask({ do: 'call', name, argument, file }, onSent);
  }

  /** @returns {Promise<{isRunning: boolean, error: import('./core.js').Failure|null}>} */
  status() {
    return this.#ask({ do: 'status' });
  }

  /** Whether this tab owns the replica. */
  get isOwner() {
    return this.#owner !== null;
  }

  /** Gives the replica up, which another tab wrote to, and waits for it, or for the tab that has it. */
  release() {
    this.#letGo();
  }

  /** What the tabs hold was erased: whichever owns it begins from what is there now. */
  erased() {
    this.#channel.postMessage({ type: 'erased' });
    this.release();
  }

  /** Something changed here: all tabs show it. */
  changed() {
    this.#channel.postMessage({ type: 'changed' });
    this.onChange();
  }

  /** @param {LockOptions} options @param {(isFree: boolean) => void} told */
  async #request(options, told) {
    /** @type {Owner|null} */
    let owner = null;
    let isOver = false;
    try {
      await navigator.locks.request(this.#name, options, async (lock) => {
        if (!lock) {
          told(false);
          return;
        }
        try {
          owner = await this.#open(() => isOver);
        } catch (error) {
          if (isOver) return;
          told(true);
          this.onFailure(error);
          return;
        }
        // The lock may have been taken away meanwhile, and with it the replica.
        if (isOver) {
          owner.close();
          return;
        }
        this.#owner = owner;
        told(true);
        this.#channel.postMessage({ type: 'owner' });
        this.#resend();
        this.onChange();
        await new Promise((resolve) => (this.#letGo = () => resolve(undefined)));
        if (isOver) return;
        isOver = true;
        owner.close();
        this.#owner = null;
        this.#request({}, () => {});
      });
    } catch (error) {
      const wasOver = isOver;
      isOver = true;
      /** @type {Owner|null} */ (owner)?.close();
      if (this.#owner === owner) this.#owner = null;
      told(true);
      if (error instanceof DOMException && error.name === 'AbortError') {
        // Another tab took the lock from a page that had been frozen. This one asks it from now on.
        if (!wasOver) this.#request({}, () => {});
      } else {
        this.onFailure(failure('blocked'));
      }
    }
  }

  /** Takes the lock from an owner that does not answer; once, however many requests wait. */
  #steal() {
    if (this.#isStealing || this.#owner) return;
    this.#isStealing = true;
    this.#request({ steal: true }, () => (this.#isStealing = false));
  }

  /** @param {any} request @param {(result: any) => void} [onSent] @returns {Promise<any>} */
  #ask(request, onSent = () => {}) {
    if (this.#owner) return this.#run(request, onSent);
    return new Promise((resolve, reject) => {
      const id = crypto.randomUUID();
      const entry = { request, resolve, reject, onSent, timer: undefined, isTaken: false };
      this.#pending.set(id, entry);
      this.#send(id, entry);
    });
  }

  /** @param {string} id @param {any} entry */
  #send(id, entry) {
    this.#channel.postMessage({ type: 'ask', id, ...entry.request });
    entry.timer = setTimeout(() => this.#steal(), silence);
  }

  /** @param {any} request @param {(result: any) => void} onSent */
  async #run(request, onSent) {
    const owner = this.#owner;
    if (!owner) throw failure('moved');
    switch (request.do) {
      case 'view': return owner.view(request.name, request.argument, request.file);
      case 'act': return owner.act(request.name, request.argument, request.file);
      case 'call': return owner.call(request.name, request.argument, onSent, request.file);
      default: return owner.status();
    }
  }

  /** @param {any} data */
  async #receive(data) {
    const entry = this.#pending.get(data.id);
    switch (data.type) {
      case 'changed': this.onChange(); break;
      case 'erased': this.release(); this.onChange(); break;
      case 'sight': this.#saw(data.id, data.isSeen); break;
      case 'owner': this.#look(); this.#resend(); this.onChange(); break;
      case 'taken':
        if (!entry) break;
        clearTimeout(entry.timer);
        entry.isTaken = true;
        break;
      case 'sent': entry?.onSent(data.result); break;
      case 'answer':
        clearTimeout(entry?.timer);
        this.#pending.delete(data.id);
        if (data.error) entry?.reject(data.error);
        else entry?.resolve(data.result);
        break;
      case 'ask': if (this.#owner) await this.#answer(data); break;
    }
  }

  /** @param {any} request */
  async #answer(request) {
    const { id } = request;
    this.#channel.postMessage({ type: 'taken', id });
    const onSent = (/** @type {any} */ result) => this.#channel.postMessage({ type: 'sent', id, result });
    try {
      const result = await this.#run(request, onSent);
      this.#channel.postMessage({ type: 'answer', id, result });
    } catch (error) {
      const { code, title, advice } = /** @type {any} */ (error);
      this.#channel.postMessage({ type: 'answer', id, error: { code, title, advice } });
    }
  }

  /** A view is asked again of the new owner. What may have been done already is not. */
  #resend() {
    for (const [id, entry] of this.#pending) {
      clearTimeout(entry.timer);
      const isRepeatable = !entry.isTaken || ['view', 'status'].includes(entry.request.do);
      if (!isRepeatable) {
        this.#pending.delete(id);
        entry.reject(failure('moved'));
      } else if (this.#owner) {
        this.#pending.delete(id);
        this.#run(entry.request, entry.onSent).then(entry.resolve, entry.reject);
      } else {
        this.#send(id, entry);
      }
    }
  }
}
