// SPDX-License-Identifier: Apache-2.0
// Tells the core where and how the person reads: language, time zone with its changes, sky.

import { language } from './words.js';

const hour = 3_600_000;
/** Years before and after now for which the time zone's changes are told. */
const yearsBefore = 12;
const yearsAfter = 2;

/** @returns {import('./core.js').Environment} */
export function environment(now = Date.now()) {
  const locale = navigator.language || 'en';
  /** @type {any} */
  const known = new Intl.Locale(locale);
  // Weeks begin on 1, Monday, to 7, Sunday, for Intl; the core counts from Sunday as 1.
  const first = (known.getWeekInfo?.() ?? known.weekInfo)?.firstDay;
  return {
    locale: locale.replace('-', '_'),
    language,
    night: matchMedia('(prefers-color-scheme: dark)').matches,
    zone: zone(now),
    ...(first && { firstWeekday: (first % 7) + 1 }),
  };
}

/** What of the environment may change while the app is open: after a flight, and at dusk. */
export function surroundings() {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return `${timeZone} ${matchMedia('(prefers-color-scheme: dark)').matches}`;
}

/**
 * The offsets from UTC in minutes, each from an instant on, found by bisection to the minute.
 * @param {number} now
 */
function zone(now) {
  const start = now - yearsBefore * 365 * 24 * hour;
  const end = now + yearsAfter * 365 * 24 * hour;
  const changes = [{ from: start, offset: offset(start) }];
  for (let at = start; at < end; at += 14 * 24 * hour) {
    let low = at;
    let high = at + 14 * 24 * hour;
    if (offset(low) === offset(high)) continue;
    while (high - low > 60_000) {
      const middle = (low + high) / 2;
      if (offset(middle) === offset(low)) low = middle;
      else high = middle;
    }
    const from = Math.round(high / 60_000) * 60_000;
    changes.push({ from, offset: offset(from) });
  }
  return changes;
}

/** @param {number} at */
function offset(at) {
  return -new Date(at).getTimezoneOffset();
}
