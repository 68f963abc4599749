// SPDX-License-Identifier: Apache-2.0
// Which accounts have notes to be written, and whose turn it is. Pure.

import AtrestReplication

/// Notes that wait for a commit, by account: the oldest ones first.
struct WaitingNotes {
  typealias Notes = SessionRegistry.Notes

  private struct Entry {
    var notes = Notes()
    let number: UInt64
  }

  /// Accounts at most. What is dropped beyond it costs little: a time on a list is older, and
  /// something is pruned later.
  let limit: Int
  private var entries: [AccountID: Entry] = [:]
  /// In the order of arrival. Those that were taken since are passed over.
  private var order: [(account: AccountID, number: UInt64)] = []
  private var first = 0
  private var count: UInt64 = 0

  init(limit: Int = 100_000) {
    self.limit = limit
  }

  subscript(account: AccountID) -> Notes? { entries[account]?.notes }

  /// Changes an account's notes. Amortised O(1).
  mutating func change(_ account: AccountID, _ change: (inout Notes) -> Void) {
    if entries[account] == nil {
      if entries.count >= limit, let oldest = oldest(1).first { entries[oldest] = nil }
      count += 1
      entries[account] = Entry(number: count)
      order.append((account, count))
      compact()
    }
    if var entry = entries.removeValue(forKey: account) {
      change(&entry.notes)
      entries[account] = entry
    }
  }

  /// Takes an account's notes.
  mutating func take(_ account: AccountID) -> Notes? {
    entries.removeValue(forKey: account)?.notes
  }

  /// Takes all notes.
  mutating func takeAll() -> [Notes] {
    defer { (entries, order, first) = ([:], [], 0) }
    return entries.values.map(\.notes)
  }

  /// The accounts whose notes have waited the longest.
  mutating func oldest(_ most: Int) -> [AccountID] {
    while first < order.count, !isWaiting(order[first]) { first += 1 }
    var found: [AccountID] = []
    var index = first
    while index < order.count, found.count < most {
      if isWaiting(order[index]) { found.append(order[index].account) }
      index += 1
    }
    return found
  }

  private func isWaiting(_ place: (account: AccountID, number: UInt64)) -> Bool {
    entries[place.account]?.number == place.number
  }

  private mutating func compact() {
    guard order.count > 2 * entries.count + 64 else { return }
    order = order[first...].filter { isWaiting($0) }
    first = 0
  }
}
