// SPDX-License-Identifier: Apache-2.0

import AtrestReplication

/// Sums of the accounts that were compared last. Of one queue that reads, and used on it only.
final class SumsCache {
  /// Accounts, and blocks of all of them: about six megabytes.
  private static let accounts = 64
  private static let blocks = 65_536
  /// How long sums count that were read, in milliseconds: a bit of the file that flips shows after
  /// that.
  private static let lifetimeMilliseconds: Int64 = 60_000

  private struct Entry {
    var sums: KeySums
    /// When everything was read; nil: not yet.
    var readAt: WallTime?
    var lastUse: UInt64
  }

  private var entries: [AccountID: Entry] = [:]
  private var uses: UInt64 = 0

  /// Reads of an account what is not known, a slice of it.
  ///
  /// - Parameters:
  ///   - isFirst: Whether this begins a comparison: sums that are old are read again then.
  /// - Returns: Its sums; nil: there is more to read.
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
