// SPDX-License-Identifier: Apache-2.0

import AtrestReplication

/// An LRU cache of accounts' `KeySums`. Belongs to one `ReadQueue`, and is used on it only.
final class SumsCache {
  /// Accounts, and blocks of all of them together: about six megabytes.
  private static let accounts = 64
  private static let blocks = 65_536
  /// How long sums are valid, in milliseconds: a bit that flips in the file shows after that.
  private static let lifetimeMilliseconds: Int64 = 60_000

  private struct Entry {
    var sums: KeySums
    /// When all sums were complete; nil: not yet.
    var readAt: WallTime?
    var lastUse: UInt64
  }

  private var entries: [AccountID: Entry] = [:]
  private var uses: UInt64 = 0

  /// Reads a slice of what an account's sums lack.
  ///
  /// - Parameters:
  ///   - isFirst: Whether this begins a comparison: expired sums are then read again.
  /// - Returns: The sums; nil if they lack more.
  func catchUp(
    _ account: AccountID, in transaction: any StoreTransaction, records limit: Int, isFirst: Bool,
    at now: WallTime
  ) throws(StoreError) -> KeySums? {
    uses += 1
    var entry =
      entries.removeValue(forKey: account) ?? Entry(sums: KeySums(of: account), lastUse: 0)
    if isFirst, let readAt = entry.readAt,
      abs(now.milliseconds - readAt.milliseconds) >= Self.lifetimeMilliseconds
    {
      entry = Entry(sums: KeySums(of: account), lastUse: 0)
    }
    let isDone = try entry.sums.catchUp(transaction, records: limit)
    if isDone, entry.readAt == nil { entry.readAt = now }
    entry.lastUse = uses
    makeRoom(for: entry.sums.count)
    entries[account] = entry
    return isDone ? entry.sums : nil
  }

  private func makeRoom(for count: Int) {
    while let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }),
      entries.count >= Self.accounts
        || entries.values.reduce(count, { $0 + $1.sums.count }) > Self.blocks
    {
      entries[oldest.key] = nil
    }
  }
}
