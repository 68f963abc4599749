// SPDX-License-Identifier: Apache-2.0
// The words of the shell. They come from the core; only what may be said without it is here.

/** @typedef {'en'|'de'} Language */

/**
 * The first of the person's languages that Atrest has.
 * @param {readonly string[]} preferred
 * @returns {Language}
 */
export function chosen(preferred) {
  for (const each of preferred) {
    const [language] = each.toLowerCase().split('-');
    if (language === 'en' || language === 'de') return language;
  }
  return 'en';
}

export const language = chosen(globalThis.navigator?.languages ?? []);

/** @type {Record<string, string>} */
let words = {};

/** @param {Record<string, string>} said The core's `view('words')`. */
export function learn(said) {
  words = said;
}

/**
 * A word of the core.
 * @param {string} name
 * @param {string[]} values They replace `%@`, one after the other.
 */
export function say(name, ...values) {
  return (words[name] ?? '').replace(/%@/g, () => values.shift() ?? '');
}

/**
 * What is said before the core is there, or when it is gone: what happened, then what to do.
 * @type {Record<string, Record<Language, [title: string, advice: string]>>}
 */
const early = {
  start: {
    en: ['Atrest could not start.', 'Load the page again.'],
    de: ['Atrest konnte nicht starten.', 'Lade die Seite neu.'],
  },
  noWasm: {
    en: ['This browser does not run WebAssembly, which Atrest is made of.',
      'If the device is in Lockdown Mode, exclude this page from it.'],
    de: ['Dieser Browser führt kein WebAssembly aus, und daraus besteht Atrest.',
      'Ist das Gerät im Blockierungsmodus, dann nimm diese Seite davon aus.'],
  },
  lost: {
    en: ['The browser removed what Atrest kept on this device.',
      'Pair this device again to have what is on your server, or begin anew.'],
    de: ['Der Browser hat entfernt, was Atrest auf diesem Gerät behalten hat.',
      'Kopple dieses Gerät wieder, um zu haben, was auf deinem Server ist, oder fang neu an.'],
  },
  full: {
    en: ['There is no room left in this browser, so that was not kept.',
      'Free some space on the device, then do it again.'],
    de: ['In diesem Browser ist kein Platz mehr, deshalb wurde das nicht behalten.',
      'Schaffe Platz auf dem Gerät, dann mach es noch einmal.'],
  },
  superseded: {
    en: ['Atrest went on in another tab.', 'Use that one.'],
    de: ['Atrest läuft in einem anderen Tab weiter.', 'Nimm den.'],
  },
  blocked: {
    en: ['This browser keeps nothing for this page.',
      'Allow the page to store data, or open it outside a private window.'],
    de: ['Dieser Browser behält nichts für diese Seite.',
      'Erlaube der Seite, Daten zu speichern, oder öffne sie außerhalb eines privaten Fensters.'],
  },
  failed: {
    en: ['The browser could not write to its storage.',
      'Load the page again. What was shown as kept is kept.'],
    de: ['Der Browser konnte nicht in seinen Speicher schreiben.',
      'Lade die Seite neu. Was als behalten gezeigt wurde, ist behalten.'],
  },
  moved: {
    en: ['Another tab was closed while it worked on this.',
      'See whether it was done, and do it again if not.'],
    de: ['Ein anderer Tab wurde geschlossen, während er daran arbeitete.',
      'Sieh nach, ob es getan ist, und mach es sonst noch einmal.'],
  },
  broken: {
    en: ['Atrest stopped working on this page.',
      'Nothing that was kept is lost. Load the page again.'],
    de: ['Atrest arbeitet auf dieser Seite nicht mehr.',
      'Nichts, was behalten wurde, ist verloren. Lade die Seite neu.'],
  },
  stopped: {
    en: ['The sync stopped.', 'Load the page again.'],
    de: ['Der Abgleich hat angehalten.', 'Lade die Seite neu.'],
  },
  unknown: {
    en: ['That did not work.', 'Load the page again.'],
    de: ['Das hat nicht geklappt.', 'Lade die Seite neu.'],
  },
};

/**
 * A failure without the core.
 * @param {string} code
 * @returns {import('./core.js').Failure}
 */
export function failure(code) {
  const [title, advice] = (early[code] ?? early.unknown)[language];
  return { code, title, advice };
}

/** The buttons of the page that tells a failed start. */
export const startButtons = {
  en: { again: 'Load again', anew: 'Begin anew' },
  de: { again: 'Neu laden', anew: 'Neu anfangen' },
}[language];
