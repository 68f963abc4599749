// SPDX-License-Identifier: Apache-2.0
// The core's interface for the shell: text and bytes into the WebAssembly module, and out of it.

import { failure } from './words.js';

/**
 * Rows to keep. `put` and `remove` belong into one transaction.
 * @typedef {{put: [key: string, value: Uint8Array][], remove: string[]}} Changes
 *
 * A fast. Times are milliseconds since 1970.
 * @typedef {{id: string, start: number, end?: number, outcome: 'active'|'completed'|'abandoned',
 *   target: number, elapsed: number, state?: 'established'|'incomplete', tone?: number,
 *   words: string}} Fast tone: 0 to 4, its tree's; none if it ended before its target
 *
 * What an entitlement opens.
 * @typedef {{entitlement: 'premium'|'trial'|'free'|'unknown', forest: boolean, paywall: boolean,
 *   account: boolean, goPremium: boolean}} Gates
 *
 * `view('timer', {id?}, now)`. With `id` an ended fast is shown, as right after its end. Durations
 * are milliseconds. `treeSVG` is absent where the entitlement shows none.
 * @typedef {{state: 'idle'|'fasting'|'complete'|'abandoned', fast?: Fast, elapsed?: number,
 *   target: number, remaining?: number, materialising: number, treeSVG?: string, hasStar: boolean,
 *   words: {prompt: string, elapsed?: string, spoken?: string, milestone?: string,
 *     vigil?: string, water: string, stillOpen?: string},
 *   water: {millilitres: number, text: string, quickAdd: number, quickAddText: string},
 *   vigil?: {line: string, citation: string, spoken: string, spokenCitation: string},
 *   vigilStart?: string, actions: {name: string, words: string}[], nextChangeAt: number,
 *   transitionDue: boolean, canUndo: boolean, hasGarden: boolean, gates: Gates, others: Fast[]}} TimerView
 *
 * `view('water', {days?}, now)`: the drinks of the last days, today's first. At most 400 days.
 * @typedef {{total: string, spoken: string, canUndo: boolean, quickAdd: {millilitres: number, text: string}[],
 *   empty: string, remove: string, unit: 'ml'|'oz', days: {day: string, title: string,
 *     total: string, entries: {id: string, at: number, clock: string, text: string}[]}[]}} WaterView
 *
 * `view('forest', {width, screenHeight}, now)`. `opened` is where to begin; `svg` the whole canvas.
 * @typedef {{width: number, height: number, opened: number, svg?: string, empty: string,
 *   trees: {id: string, x: number, y: number, size: number, depth: number, state: string,
 *     words: string}[], isOpen: boolean, title: string, back: string, starSpeed: number,
 *   vigil?: TimerView['vigil']}} ForestView
 *
 * `view('tree', {id, width?, height?}, now)`.
 * @typedef {{fast: Fast, svg?: string, lines: string[]}} TreeView
 *
 * `view('calendar', {month?: 'YYYY-MM', width?, height?}, now)`.
 * @typedef {{month: string, title: string, heading: string, previous: {month: string, words: string},
 *   next: {month: string, words: string}, weekdays: string[], svg: string, empty?: string,
 *   weeks: ({}|{day: string, number: number, isToday: boolean, fasts: (Fast & {lines:
 *     string[]})[]})[][]}} CalendarView
 *
 * `view('history', {before?, limit?}, now)`: latest first; `next` is the `before` of what follows.
 * @typedef {{fasts: (Fast & {lines: string[]})[], next?: number, empty: string}} HistoryView
 *
 * `view('settings', {}, now)`.
 * @typedef {{title: string, sections: {name: string, title: string, lines: {name: string,
 *   words: string, value?: string, choices?: {value: string, words: string}[]}[]}[],
 *   gates: Gates}} SettingsView
 *
 * `view('paywall', {}, now)`; prices are told, nothing is sold here.
 * @typedef {{isReachable: boolean, elements: {kind: 'glyph'|'words'|'price'|'link', name?: string,
 *   words?: string}[]}} PaywallView
 *
 * `view('transition', {}, now)`.
 * @typedef {{isDue: boolean, body: string, continue: string, later: string}} TransitionView
 *
 * `view('conflicts', {}, now)`: what lost against a later write, latest first.
 * @typedef {{conflicts: {id: string, kind: string, field: string, lost: string, kept: string,
 *   at: string, device: string, keptDevice: string}[]}} ConflictsView The devices are replicas.
 *
 * `view('replica', {}, now)`: the pairing and what waits.
 * @typedef {{isPaired: boolean, account?: string, server?: string, replica: string,
 *   lastSync?: number, waiting: number, refused: number, held: number, conflicts: number,
 *   ended?: string, serverOffset: number, records: number}} ReplicaView `ended` says that this
 *   device's access was.
 *
 * `view('export', {}, now)`: all that is not deleted, as a file of every device's format.
 * @typedef {{name: string, words: string, records: number, file: Uint8Array}} ExportView
 *
 * `view('import', {preferFile?}, now, file)`: what `act('import', …)` would do. `differs`: whether
 * `preferFile` would change what is here.
 * @typedef {{lines: string[], changesAnything: boolean, differs: boolean, new: number,
 *   updated: number, known: number}} ImportView
 *
 * `view('qr', {text}, now)`: for a camera; absent for more than 2,953 bytes.
 * @typedef {{svg?: string}} QRView
 *
 * `view('words', {}, now)`: the shell's own words by name.
 *
 * `view('garden', {node?, width?, height?}, now)`: the tree, `3`, or `3.5`. `spots` are parts of
 * the picture in points, `place` what they lead to, `rest` the sprouts of a twig without a spot.
 * @typedef {{place: string, title: string, words: string, progress: number}} SproutLine
 * @typedef {{title: string, label?: string, note?: string, soil: string, left: string,
 *   canUndo: boolean, up?: string, twig?: string, svg: string, width: number, height: number,
 *   spots: {place: string, words: string, x: number, y: number, width: number, height: number}[],
 *   growing?: SproutLine[], rest?: SproutLine[]}} GardenView
 *
 * `view('sprout', {id}, now)`.
 * @typedef {{id: string, state: 'draft'|'active'|'completed'|'failed', title: string, svg: string,
 *   place: string, where: string, plan: string, words: string, progress?: number, leaf?: string,
 *   blooms: {words: string, text: string}[], reflection?: string, left: string,
 *   said: {when: string, note?: string}[],
 *   results?: {value: number, words: string, bloom?: string, reward: string}[]}} SproutView
 *
 * `view('plan', {twig} | {id}, now)`: what the sheet of a sprout offers.
 * @typedef {{twig: string, soil: string, state?: string, title: string, season: string,
 *   environment: string, bloom1?: string, bloom3?: string, bloom5?: string, reflection?: string,
 *   leaf?: string, leaves: string[],
 *   seasons: {value: string, words: string, prices: string[]}[],
 *   grounds: {value: string, words: string, meaning: string}[]}} PlanView
 *
 * `view('journal', {skip?, limit?}, now)`: latest first; `next` is the `skip` of what follows.
 * @typedef {{entries: {when: string, line: string, note?: string, place?: string}[],
 *   next?: number, empty: string}} JournalView
 *
 * `view('garden.words', {}, now)`: the words of the garden's screens by name.
 *
 * Actions, with their arguments: `fast.start {at?, targetMinutes?}`, `fast.complete {at?}`,
 * `fast.cancel {at?}`, `fast.edit {id, start?, end?, outcome?, targetMinutes?}`, `fast.delete {id}`,
 * `water.add {millilitres?, at?}`, `water.delete {id}`, `settings.set {setting, value}`,
 * `transition.dismiss {}`, `undo {}`,
 * `water.undo {}` of drinks alone, `conflict.restore {id}`, `unpair {}`, `import {preferFile?}`
 * with a file, `purchase {}` with a signed transaction; in the garden
 * `garden.sprout {title, twig, season?, environment?, bloom1?, bloom3?, bloom5?, leaf?, isDraft?}`,
 * `garden.edit {id, …}` with the same and `note?`, `garden.plant {id}`, `garden.water {id, note?}`,
 * `garden.shine {twig, note?}`, `garden.harvest {id, result, note?}`, `garden.uproot {id}`,
 * `garden.delete {id}`, `garden.label {node, label?, note?}`, `garden.undo {}`. A `leaf` is named; a new name is a new leaf.
 *
 * Calls: `pair {code, name, server}` (its result has the six `digits`), `invite
 * {withoutApproval?}`, `pendingDevices {}`, `resolve {handle, allow}`, `events {}` (the
 * newest, which `devices` then tells from), `devices {}`, `rename {replica, name}`, `revoke {replica,
 * withDescendants?}` (its result has `words`), `account {}`, `submit {transfer?}` with a signed transaction.
 *
 * What an act returns besides the rows.
 * @typedef {{id?: string, words?: string, undone?: boolean, undo?: string}} ActResult
 *
 * @typedef {{exchanges: number, pushed: number, pulled: number, refused: number, conflicts: number,
 *   superseded: number, restarted: boolean, renewed: boolean, held?: {count: number, of: number}}}
 *   SyncReport
 * @typedef {{code: string, title: string, advice: string}} Failure
 * @typedef {{id: number, method: string, token: string|null, message: Uint8Array}} Send
 *
 * What to do next. Keep `rows` first, then carry out the rest.
 * - `send`: call, then tell `answered` or `failed` with its id.
 * - `backOff`: wait this long, at most, then tell `waited`.
 * - `watch.open`: open the stream and tell its `watched` with its id, one for each `watch.take`,
 *   then `ended`; `watch.close`: close it and drop all else that is under way.
 * - `news`: what a sync or an event of the stream brought, or why the connection was lost.
 * @typedef {{rows: Changes, send?: Send, backOff?: number, watch?: {open?: Send, take?: boolean,
 *   close?: boolean}, report?: SyncReport, news?: {report: SyncReport, error?: Failure},
 *   finished?: {report: SyncReport}|{error: Failure}}} Step
 *
 * @typedef {{type: 'answered', id: number, message: Uint8Array, sent: number, received: number}
 *   | {type: 'failed'|'ended', id: number, status: number, message: string, details?: Uint8Array}
 *   | {type: 'watched', id: number, message: Uint8Array}
 *   | {type: 'waited'} | {type: 'wrote'} | {type: 'cancelled'}} SyncEvent
 *
 * @typedef {{locale: string, language: string, night: boolean,
 *   zone: {from: number, offset: number}[], firstWeekday?: number}} Environment
 */

/** What the core could not do: what happened, then what to do. Nothing was changed. */
export class CoreError extends Error {
  /** @param {Failure} failure */
  constructor({ code, title, advice }) {
    super(advice ? `${title} ${advice}` : title);
    this.code = code;
    this.title = title;
    this.advice = advice;
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** The most bytes that one request may have. The module's memory is 4 GiB at most. */
const requestLimit = 1 << 29;

/** A replica in memory. If its rows cannot be kept, open another from those that were. */
export class Core {
  /** @type {any} */
  #exports;
  #isBroken = false;

  /** @param {any} exports */
  constructor(exports) {
    this.#exports = exports;
    this.sync = {
      /**
       * Begins a sync, or following the server's stream. What was under way is given up.
       * @param {{follow?: boolean, allowMassDeletion?: boolean}} options
       * @param {number} now
       * @returns {Step}
       */
      begin: (options, now) => this.#step({ do: 'sync.begin', argument: options, now }, []),
      /**
       * Tells what happened. An event that nobody waits for changes nothing.
       * @param {SyncEvent} event
       * @param {number} now
       * @returns {Step}
       */
      event: (event, now) => {
        const { message, details, ...rest } = /** @type {any} */ (event);
        const parts = [];
        /** @type {any} */
        const argument = rest;
        if (typeof message === 'string') argument.message = message;
        else if (message) parts.push(message);
        if (details) parts.push(details);
        return this.#step({ do: 'sync.event', argument, now }, parts);
      },
    };
  }

  /**
   * @param {Response|ArrayBuffer|Uint8Array} source The module.
   * @returns {Promise<Core>}
   */
  static async load(source) {
    if (typeof WebAssembly === 'undefined') throw failure('noWasm');
    /** @type {any} */
    let exports;
    const imports = {
      host: {
        /** @param {number} address @param {number} count */
        random: (address, count) => {
          const bytes = new Uint8Array(exports.memory.buffer, address, count);
          for (let start = 0; start < count; start += 65536) {
            crypto.getRandomValues(bytes.subarray(start, start + 65536));
          }
        },
      },
    };
    const isResponse = typeof Response !== 'undefined' && source instanceof Response;
    const { instance } = isResponse
      ? await WebAssembly.instantiateStreaming(source, imports)
      : await WebAssembly.instantiate(/** @type {BufferSource} */ (source), imports);
    exports = instance.exports;
    return new Core(exports);
  }

  /**
   * Opens the replica that these rows are; none is a new replica.
   * @param {{rows: [string, Uint8Array][], now: number, app: 'atrest'|'trunk',
   *   environment: Environment}} options
   * @returns {{fresh: boolean, rows: Changes}}
   * @throws {CoreError} If a row is damaged, missing, or of a newer version.
   */
  open({ rows, now, app, environment }) {
    const parts = rows.flatMap(([key, value]) => [encoder.encode(key), value]);
    const [answer, bytes] = this.#call({ do: 'open', app, argument: environment, now }, parts);
    return { ...answer.result, rows: changes(answer, bytes) };
  }

  /**
   * Draws or lists. Changes nothing.
   * @param {string} name
   * @param {object} argument Whole numbers, texts and switches.
   * @param {number} now Milliseconds since 1970.
   * @param {Uint8Array} [file] The file that it is about.
   * @returns {any} With a `file`, if it makes one.
   */
  view(name, argument, now, file) {
    const [{ result }, [made]] = this.#call({ do: 'view', name, argument, now }, file ? [file] : []);
    return made ? { ...result, file: made } : result;
  }

  /**
   * Changes the replica. It is done once `rows` are kept.
   * @param {string} name
   * @param {object} argument
   * @param {number} now
   * @param {Uint8Array} [file] The file that it is about.
   * @returns {{rows: Changes, result: ActResult}}
   */
  act(name, argument, now, file) {
    const [answer, bytes] = this.#call({ do: 'act', name, argument, now }, file ? [file] : []);
    return { rows: changes(answer, bytes), result: answer.result };
  }

  /**
   * The message of a call to the server. `rows` are kept before it is sent.
   * @param {string} name
   * @param {object} argument
   * @param {number} now
   * @param {Uint8Array} [file] The file that it is about.
   * @returns {{rows: Changes, method: string, token: string|null, message: Uint8Array,
   *   result: any}}
   */
  call(name, argument, now, file) {
    const [answer, bytes] = this.#call({ do: 'call', name, argument, now }, file ? [file] : []);
    const message = bytes.pop() ?? new Uint8Array();
    const { method, token, result } = answer;
    return { rows: changes(answer, bytes), method, token: token ?? null, message, result };
  }

  /**
   * What the server's answer to a call says.
   * @param {string} name
   * @param {Uint8Array} message
   * @param {number} now
   * @param {object} [argument] That of the call.
   * @param {Uint8Array} [file] That of the call.
   * @returns {{rows: Changes, result: any}}
   */
  answer(name, message, now, argument = {}, file) {
    const parts = file ? [message, file] : [message];
    const [answer, bytes] = this.#call({ do: 'answer', name, argument, now }, parts);
    return { rows: changes(answer, bytes), result: answer.result };
  }

  /**
   * What a failed call means.
   * @param {{status: number, message: string, details?: Uint8Array}} failure
   * @returns {CoreError}
   */
  failure({ status, message, details }) {
    const argument = { status, message: message.slice(0, 1000) };
    return new CoreError(this.#call({ do: 'failure', argument, now: 0 }, [
      details ?? new Uint8Array(),
    ])[0].result);
  }

  /** The bytes of memory that the core has. */
  get memoryBytes() {
    return this.#exports.memory.buffer.byteLength;
  }

  /** @param {object} request @param {Uint8Array[]} parts @returns {Step} */
  #step(request, parts) {
    const [answer, bytes] = this.#call(request, parts);
    const { put, remove, ...step } = answer;
    const count = (put ?? []).length;
    const rows = changes(answer, bytes.slice(0, count));
    /** @param {any} call @returns {Send} */
    const whole = ({ part, ...call }) => ({ token: null, ...call, message: bytes[count + part] });
    if (step.send) step.send = whole(step.send);
    if (step.watch?.open) step.watch.open = whole(step.watch.open);
    return { ...step, rows };
  }

  /**
   * @param {object} request
   * @param {Uint8Array[]} parts
   * @returns {[answer: any, parts: Uint8Array[]]}
   */
  #call(request, parts) {
    if (this.#isBroken) throw broken();
    const all = [encoder.encode(JSON.stringify(request)), ...parts];
    const size = all.reduce((sum, part) => sum + 4 + part.length, 4);
    if (size > requestLimit) throw broken();
    let answer;
    try {
      const address = this.#exports.reserve(size) >>> 0;
      if (address === 0) throw new RangeError('no memory');
      const view = new DataView(this.#exports.memory.buffer, address, size);
      const bytes = new Uint8Array(this.#exports.memory.buffer, address, size);
      let place = 4;
      view.setUint32(0, all.length, true);
      for (const part of all) {
        view.setUint32(place, part.length, true);
        bytes.set(part, place + 4);
        place += 4 + part.length;
      }
      const result = this.#exports.run(address, size) >>> 0;
      this.#exports.release(address);
      answer = read(this.#exports.memory.buffer, result);
      this.#exports.release(result);
    } catch {
      // Its memory may be half changed. The rows are not.
      this.#isBroken = true;
      throw broken();
    }
    const [text, ...rest] = answer;
    const value = JSON.parse(decoder.decode(text));
    if (value.error) throw new CoreError(value.error);
    return [value, rest];
  }
}

/** @param {ArrayBuffer} memory @param {number} address @returns {Uint8Array[]} Copies. */
function read(memory, address) {
  const view = new DataView(memory, address);
  const parts = [];
  let place = 4;
  for (let left = view.getUint32(0, true); left > 0; left -= 1) {
    const count = view.getUint32(place, true);
    parts.push(new Uint8Array(memory, address + place + 4, count).slice());
    place += 4 + count;
  }
  return parts;
}

/** @param {{put?: string[], remove?: string[]}} answer @param {Uint8Array[]} bytes @returns {Changes} */
function changes({ put = [], remove = [] }, bytes) {
  return { put: put.map((key, index) => [key, bytes[index]]), remove };
}

function broken() {
  return new CoreError(failure('broken'));
}
