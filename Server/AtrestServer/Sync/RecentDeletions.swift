// SPDX-License-Identifier: Apache-2.0
// How many records an account lost lately, for the guard against mass deletions.

import AtrestReplication

/// The deletions of one day that no person confirmed. The day begins with the first of them.
///
/// A program that deletes everything, one record per request, is stopped at the same half as one
/// that deletes all at once. An account that is copied or moved to another store begins a new day.
package struct RecentDeletions: Hashable, Sendable {
  static let dayMilliseconds: Int64 = 24 * 3600 * 1000

  /// When the first was taken, by the store's time.
  package private(set) var since: WallTime
  package private(set) var count: Int

  /// - Parameter count: Taken as at most 2^40, more than any account holds: a store may be damaged.
  package init(since: WallTime = .epoch, count: Int = 0) {
    self.since = since
    self.count = min(max(0, count), 1 << 40)
  }

  /// How many there were in the day before this time, which may be before `since` if a clock was
  /// set back.
  func count(at now: WallTime) -> Int {
    now.milliseconds(since: since).magnitude < Self.dayMilliseconds.magnitude ? count : 0
  }

  /// Notes deletions; negative: records that were brought back.
  mutating func add(_ deletions: Int, at now: WallTime) {
    let before = count(at: now)
    if before == 0 { since = now }
    count = max(0, before + deletions)
  }
}
