// SPDX-License-Identifier: Apache-2.0
// Keeps the replica's rows in IndexedDB: a write is done when its transaction is on the disk.

import { failure } from './words.js';

/** @typedef {import('./core.js').Changes} Changes */

/** What the browser's storage did: what happened, then what to do. */
export class StoreError extends Error {
  /** @param {'blocked'|'full'|'lost'|'superseded'|'failed'} code */
  constructor(code) {
    const { title, advice } = failure(code);
    super(`${title} ${advice}`);
    this.code = code;
    this.title = title;
    this.advice = advice;
  }
}

/** The replica's database, and what its tabs share. */
export const databaseName = 'atrest';

/** The mark outside the database by which a vanished database is not taken for a new one. */
const mark = 'atrest.kept';

/** How long a transaction may take before it is done once more, in milliseconds. */
const answerTime = 5000;

export class Store {
  /** @type {IDBDatabase} */
  #database;
  #name;
  #generation = 0;
  /**
   * Ends the wait for the transaction that is under way.
   * @type {(() => void)|null}
   */
  #giveUp = null;

  /** @param {string} name @param {IDBDatabase} database */
  constructor(name, database) {
    this.#name = name;
    this.#database = database;
  }

  /** @param {string} name @returns {Promise<Store>} @throws {StoreError} */
  static async open(name) {
    return new Store(name, await connect(name));
  }

  /**
   * Takes the rows over from whoever wrote them last, whose later writes then fail: a page that
   * the browser froze must not go on from what it remembers.
   * @returns {Promise<[string, Uint8Array][]>} All rows.
   * @throws {StoreError} `lost` if there were rows and the browser removed them.
   */
  async takeOver() {
    await this.#transact(['owner'], 'readwrite', (transaction) => {
      const owner = transaction.objectStore('owner');
      const generation = owner.get('generation');
      generation.onsuccess = () => {
        this.#generation = (generation.result ?? 0) + 1;
        owner.put(this.#generation, 'generation');
      };
    });
    const rows = await this.rows();
    if (rows.length === 0 && marked()) {
      throw new StoreError('lost');
    }
    return rows;
  }

  /**
   * All rows. Needs no room, so that a full disk does not end the app.
   * @returns {Promise<[string, Uint8Array][]>}
   * @throws {StoreError}
   */
  async rows() {
    /** @type {string[]} */
    let keys = [];
    /** @type {Uint8Array[]} */
    let values = [];
    await this.#transact(['rows'], 'readonly', (transaction) => {
      const rows = transaction.objectStore('rows');
      const readKeys = rows.getAllKeys();
      readKeys.onsuccess = () => (keys = /** @type {string[]} */ (readKeys.result));
      const readValues = rows.getAll();
      readValues.onsuccess = () => (values = readValues.result);
    });
    return keys.map((key, index) => [key, values[index]]);
  }

  /**
   * Returns when the rows are on the disk.
   * @param {Changes} changes
   * @throws {StoreError} Then none of them was kept.
   */
  async keep({ put, remove }) {
    if (put.length === 0 && remove.length === 0) return;
    let isSuperseded = false;
    await this.#transact(['rows', 'owner'], 'readwrite', (transaction) => {
      const rows = transaction.objectStore('rows');
      const generation = transaction.objectStore('owner').get('generation');
      generation.onsuccess = () => {
        if (generation.result !== this.#generation) {
          isSuperseded = true;
          transaction.abort();
          return;
        }
        for (const key of remove) rows.delete(key);
        for (const [key, value] of put) rows.put(value, key);
      };
    }).catch((error) => {
      throw isSuperseded ? new StoreError('superseded') : error;
    });
    setMark();
  }

  /** The page is seen again: what is under way from before may never be answered. */
  wake() {
    const before = this.#giveUp;
    if (before) setTimeout(() => before === this.#giveUp && before(), answerTime);
  }

  /**
   * Runs a transaction, and once more over another connection if the first one failed, or is not
   * answered: Safari ends those of an app that was put away. The second one waits for the first, and
   * as long as a slow disk takes.
   * @param {string[]} stores
   * @param {IDBTransactionMode} mode
   * @param {(transaction: IDBTransaction) => void} body
   */
  async #transact(stores, mode, body) {
    try {
      const done = this.#once(stores, mode, body);
      this.wake();
      await done;
    } catch (error) {
      if (/** @type {StoreError} */ (error).code !== 'failed') throw error;
      this.#database.close();
      this.#database = await this.#orGivenUp(connect(this.#name));
      await this.#once(stores, mode, body);
    }
  }

  /**
   * @param {string[]} stores
   * @param {IDBTransactionMode} mode
   * @param {(transaction: IDBTransaction) => void} body
   */
  #once(stores, mode, body) {
    return this.#orGivenUp(new Promise((resolve, reject) => {
      /** @type {IDBTransaction} */
      let transaction;
      try {
        transaction = this.#database.transaction(stores, mode, { durability: 'strict' });
      } catch (error) {
        reject(storageFailure(error));
        return;
      }
      transaction.oncomplete = () => resolve(undefined);
      transaction.onabort = () => reject(storageFailure(transaction.error));
      body(transaction);
    }));
  }

  /**
   * What is under way, which may be given up.
   * @template T
   * @param {Promise<T>} done
   * @returns {Promise<T>}
   */
  #orGivenUp(done) {
    const givenUp = new Promise((_, reject) => (this.#giveUp = () => reject(new StoreError('failed'))));
    return Promise.race([done, /** @type {Promise<never>} */ (givenUp)]).finally(() => { this.#giveUp = null; });
  }
}

/** @param {string} name @returns {Promise<IDBDatabase>} @throws {StoreError} */
function connect(name) {
  return new Promise((resolve, reject) => {
    /** @type {IDBOpenDBRequest} */
    let request;
    try {
      request = indexedDB.open(name, 1);
    } catch (error) {
      reject(openFailure(error));
      return;
    }
    request.onupgradeneeded = () => {
      request.result.createObjectStore('rows');
      request.result.createObjectStore('owner');
    };
    request.onsuccess = () => {
      const { result } = request;
      // Another version of the app waits for the database; this page has nothing open to lose.
      result.onversionchange = () => result.close();
      resolve(result);
    };
    request.onerror = () => reject(openFailure(request.error));
  });
}

/**
 * Asks the browser to keep the data until the person removes it.
 * @returns {Promise<boolean>} Whether it promised to. In a private window none does.
 */
export async function persist() {
  try {
    return (await navigator.storage.persisted()) || (await navigator.storage.persist());
  } catch {
    return false;
  }
}

/**
 * Whether nothing will stay: a private window, or a browser that keeps nothing.
 * @returns {Promise<boolean>} Firefox and Safari refuse files to a private window, and older
 *   browsers give it a part of the memory as its space. Chromium hides what it is.
 */
export async function isTemporary() {
  try {
    await navigator.storage.getDirectory?.();
    // Safari before 17 does not say how much room there is.
    const { quota = Infinity } = await navigator.storage.estimate?.() ?? {};
    return quota < 300 * 1024 * 1024;
  } catch {
    return true;
  }
}

/** @param {unknown} error @returns {StoreError} */
function storageFailure(error) {
  const name = error instanceof DOMException ? error.name : '';
  if (name === 'QuotaExceededError') {
    return new StoreError('full');
  }
  return new StoreError(name === 'SecurityError' ? 'blocked' : 'failed');
}

/**
 * Why a database could not be opened: old private windows say InvalidStateError, and a browser
 * without databases has no `indexedDB`.
 * @param {unknown} error
 */
function openFailure(error) {
  const isBlocked = !(error instanceof DOMException) || error.name === 'InvalidStateError';
  return isBlocked ? new StoreError('blocked') : storageFailure(error);
}

function marked() {
  try { return localStorage.getItem(mark) !== null; } catch { return false; }
}

function setMark() {
  try { localStorage.setItem(mark, '1'); } catch { /* Then a loss cannot be told; no more. */ }
}

/**
 * Removes all that this browser holds. A tab that has the replica in memory has to give it up.
 * @param {string} name
 * @throws {StoreError} Then all of it is still there.
 */
export async function erase(name) {
  await new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = resolve;
    request.onerror = () => reject(storageFailure(request.error));
    request.onblocked = () => reject(new StoreError('failed'));
  });
  forgetLoss();
}

/** What the browser removed is given up: an empty database is a new one from now on. */
export function forgetLoss() {
  try { localStorage.removeItem(mark); } catch { /* There is none. */ }
}
