// SPDX-License-Identifier: Apache-2.0
// Which accounts' sums are kept in memory, and when what a transaction read of them counts.

import AtrestReplication

/// An LRU cache of accounts' `KeySums`. Belongs to one queue of reads, and is used on it only.
final class SumsCache {
  /// Accounts, and blocks of all of them together: about six megabytes.
  private static let accounts = 64
  private static let blocks = 65_536
  /// How long sums are valid, in milliseconds: a bit that flips in the file shows after that.
  private static let lifetimeMilliseconds: Int64 = 60_000

  fileprivate struct Entry {
    var sums: KeySums
    /// When all sums were complete; nil: not yet.
    var readAt: WallTime?
    var lastUse: UInt64 = 0

    func isValid(at now: WallTime) -> Bool {
      guard let readAt else { return true }
      let (age, overflow) = now.milliseconds.subtractingReportingOverflow(readAt.milliseconds)
      return !overflow && age.magnitude < UInt64(SumsCache.lifetimeMilliseconds)
    }
  }

  private var entries: [AccountID: Entry] = [:]
  private var uses: UInt64 = 0

  fileprivate func entry(of account: AccountID) -> Entry? { entries[account] }

  fileprivate func keep(_ entry: Entry, of account: AccountID) {
    uses += 1
    entries[account] = nil
    makeRoom(for: entry.sums.count)
    entries[account] = entry
    entries[account]?.lastUse = uses
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

/// The sums that one run of a transaction reads, over those of the cache.
///
/// A run that lacks rows is repeated from the start, and what it read counts for nothing. So the
/// cache changes in `keep` only.
final class TransactionSums {
  private let cache: SumsCache
  private var entries: [AccountID: SumsCache.Entry] = [:]
  /// Accounts whose sums were in memory, and those whose were not.
  private(set) var hits = 0
  private(set) var misses = 0

  init(_ cache: SumsCache) {
    self.cache = cache
  }

  /// Reads a slice of what an account's sums lack.
  ///
  /// - Returns: The sums; nil if they lack more.
  /// - Throws: `StoreError`. What is known of the account is then as it was.
  func catchUp(
    _ account: AccountID, in transaction: any StoreTransaction, _ sizes: ComparisonSizes,
    at now: WallTime
  ) throws(StoreError) -> KeySums? {
    let cached = cache.entry(of: account).flatMap { $0.isValid(at: now) ? $0 : nil }
    if entries[account] == nil { if cached == nil { misses += 1 } else { hits += 1 } }
    let known = entries[account] ?? cached
    var entry = known ?? SumsCache.Entry(sums: KeySums(of: account, sizes))
    let isDone = try entry.sums.catchUp(transaction, records: sizes.turnRecords)
    if isDone, entry.readAt == nil { entry.readAt = now }
    entries[account] = entry
    return isDone ? entry.sums : nil
  }

  /// Takes what was read into the cache. Called by the run that counts, when it has ended.
  func keep() {
    for (account, entry) in entries { cache.keep(entry, of: account) }
  }
}
