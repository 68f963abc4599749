// SPDX-License-Identifier: Apache-2.0
// Carries out the core's sync: calls, waits, and the server's stream while the page is seen.

import { CallError, stream, unary } from './transport.js';
import { failure } from './words.js';

/** @typedef {import('./core.js').Step} Step */

const exchangeTime = 60_000;
/** The server speaks every 30 s at least: later than this a connection is gone, and nobody said so. */
const silence = 75_000;

export class Sync {
  /**
   * What a person may want to know: whether it goes on, or why not.
   * @type {{isRunning: boolean, error: import('./core.js').Failure|null}}
   */
  status = { isRunning: false, error: null };
  /**
   * Told when there is an error, another one, or none any more.
   * @type {() => void}
   */
  onStatus = () => {};
  /** @type {import('./replica.js').Replica} */
  #replica;
  #isSeen;
  #closing = new AbortController();
  #run = new AbortController();
  #isFollowing = false;
  /** @type {AbortController|null} */
  #watch = null;
  /** Messages that the core asked for, of the stream that is open. */
  #asked = { count: 0, wake: () => {} };
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  #timer;

  /**
   * @param {import('./replica.js').Replica} replica
   * @param {() => boolean} isSeen Whether a person sees the app, in this tab or another.
   */
  constructor(replica, isSeen) {
    this.#replica = replica;
    this.#isSeen = isSeen;
    const { signal } = this.#closing;
    addEventListener('online', () => this.start(), { signal });
    addEventListener('offline', () => this.start(), { signal });
  }

  /** Ends for good: another tab has the replica. */
  close() {
    this.#closing.abort();
    this.stop();
  }

  /** The app came into sight, or went out of it. */
  look() {
    // A phone that slept may have a connection that is gone: it begins anew.
    if (this.#isSeen()) this.start();
    else this.#pause();
  }

  /**
   * Begins anew, if the replica is paired. `navigator.onLine` does not decide: a server on this
   * machine needs no network.
   */
  start() {
    this.stop();
    if (this.#closing.signal.aborted) return;
    if (!this.#replica.view('replica', {}).isPaired) {
      this.#status({ isRunning: false, error: null });
      return;
    }
    this.#run = new AbortController();
    this.#isFollowing = true;
    this.#status({ isRunning: true, error: null });
    this.#tell((core, now) => core.sync.begin({ follow: true }, now));
  }

  /** Gives up what is under way. Nothing that was kept is lost. */
  stop() {
    this.#run.abort();
    this.#watch?.abort();
    this.#watch = null;
    clearTimeout(this.#timer);
    this.#isFollowing = false;
    this.#status({ isRunning: false, error: this.status.error });
  }

  /** The person changed something: it is pushed at once. */
  wrote() {
    if (this.#isFollowing) this.#tell((core, now) => core.sync.event({ type: 'wrote' }, now));
    else this.start();
  }

  /** Out of sight the stream ends once all is pushed. */
  #pause() {
    if (this.#isFollowing && this.#replica.view('replica', {}).waiting === 0) this.stop();
  }

  /** @param {(core: import('./core.js').Core, now: number) => Step} body */
  async #tell(body) {
    const run = this.#run;
    try {
      const step = await this.#replica.change((core, now) =>
        run.signal.aborted ? { rows: { put: [], remove: [] } } : body(core, now), 'sync');
      if (!run.signal.aborted) this.#carryOut(step, run.signal);
    } catch (error) {
      if (run.signal.aborted) return;
      this.stop();
      const problem = /** @type {any} */ (error);
      const { code, title, advice } = problem.title ? problem : failure('stopped');
      this.#status({ isRunning: false, error: { code, title, advice } });
    }
  }

  /** @param {Step} step @param {AbortSignal} signal */
  #carryOut({ send, backOff, watch, news, finished }, signal) {
    if (watch?.close) {
      this.#watch?.abort();
      this.#watch = null;
    }
    if (send) this.#send(send, signal);
    if (backOff !== undefined) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#event({ type: 'waited' }, signal), backOff);
    }
    if (watch?.open) this.#follow(watch.open, signal);
    if (watch?.take) {
      this.#asked.count += 1;
      this.#asked.wake();
    }
    if (news) {
      const isOffline = news.error?.code === 'unreachable' && !navigator.onLine;
      this.#status({ isRunning: true, error: isOffline ? null : news.error ?? null });
      if (!this.#isSeen()) this.#pause();
    }
    if (finished) {
      this.#isFollowing = false;
      this.#status({ isRunning: false, error: 'error' in finished ? finished.error : null });
    }
  }

  /** @param {import('./core.js').SyncEvent} event @param {AbortSignal} signal */
  #event(event, signal) {
    if (!signal.aborted) this.#tell((core, now) => core.sync.event(event, now));
  }

  /** @param {import('./core.js').Send} send @param {AbortSignal} signal */
  async #send(send, signal) {
    const sent = Date.now();
    try {
      const message = await unary(send, { deadline: exchangeTime, signal });
      this.#event({ type: 'answered', id: send.id, message, sent, received: Date.now() }, signal);
    } catch (error) {
      this.#event({ type: 'failed', id: send.id, ...reason(error) }, signal);
    }
  }

  /** @param {import('./core.js').Send} open @param {AbortSignal} run */
  async #follow(open, run) {
    const watch = new AbortController();
    this.#watch?.abort();
    this.#watch = watch;
    const asked = { count: 0, wake: () => {} };
    this.#asked = asked;
    const close = () => watch.abort();
    run.addEventListener('abort', close);
    watch.signal.addEventListener('abort', () => asked.wake());
    let end = { status: 0, message: '' };
    let isSilent = false;
    const listen = () => setTimeout(() => { isSilent = true; close(); }, silence);
    let timer = listen();
    try {
      for await (const message of stream(open, { signal: watch.signal })) {
        clearTimeout(timer);
        timer = listen();
        while (asked.count === 0 && !watch.signal.aborted) {
          await new Promise((resolve) => (asked.wake = () => resolve(undefined)));
        }
        if (watch.signal.aborted) break;
        asked.count -= 1;
        this.#event({ type: 'watched', id: open.id, message }, run);
      }
    } catch (error) {
      end = reason(error);
    }
    clearTimeout(timer);
    run.removeEventListener('abort', close);
    if (isSilent) end = { status: 14, message: 'the server fell silent' };
    if (isSilent || !watch.signal.aborted) this.#event({ type: 'ended', id: open.id, ...end }, run);
  }

  /** @param {Sync['status']} status */
  #status(status) {
    const isNews = status.error?.code !== this.status.error?.code;
    this.status = status;
    if (isNews) this.onStatus();
  }
}

/** @param {unknown} error */
function reason(error) {
  const { status, message, details } =
    error instanceof CallError ? error : new CallError(14, 'the server was not reached');
  return { status, message, ...(details && { details }) };
}
