// SPDX-License-Identifier: Apache-2.0
// Prunes deleted records and expires journal entries. Has no clock and no randomness.

import AtrestProtocol
import AtrestReplication
import AtrestWire

/// Housekeeping of one account: loads due records, decides in memory, and writes. A simulator runs
/// the same code. Each changed record gets a new sequence in the feed, so devices receive the
/// change.
package enum Housekeeping {
  /// Maximum number of records per transaction, so that exchanges do not wait long.
  package static let slice = 500

  /// Processes due records, up to `limit`.
  ///
  /// A deleted record is pruned 30 days after the server accepted the deletion. A journal entry
  /// expires 90 days after the server detected the conflict.
  /// - Parameters:
  ///   - feed: The account's feed in the current transaction. The caller finishes it and commits.
  /// - Returns: Whether more records may be due.
  package static func run(
    _ feed: AccountFeed, limit: Int = slice
  ) throws(StoreError) -> Bool {
    let due = try feed.loadDue(limit: limit)
    var candidates = due.map { Candidate($0.key, $0.record) }
    candidates += try released(by: candidates, feed)
    let needed = try neededByOldEntries(candidates, feed)
    for candidate in candidates {
      apply(candidate, isNeeded: needed.contains(candidate.key), feed)
    }
    try feed.settle()
    try feed.transaction.accounts.pruneCommits(of: feed.account, keeping: keptCommits)
    return due.count == limit
  }

  /// A record due for housekeeping, and its new form if nothing keeps it.
  struct Candidate {
    let key: [UInt8]
    let found: StoredRecord
    /// Nil if the record is corrupt.
    let record: Record?
    /// The pruned or expired record. Nil if there is nothing to do.
    let result: Record?

    init(_ key: [UInt8], _ found: StoredRecord) {
      self.key = key
      self.found = found
      guard let record = try? Record(unpacking: found.body), record.key.storageKey == key else {
        // The record is corrupt. The next reader reports that. A background task must not stop the
        // server for it.
        (record, result) = (nil, nil)
        return
      }
      self.record = record
      let result = record.isDeleted ? record.pruned() : end(record)
      self.result = result == record ? nil : result
    }
  }

  private static func apply(
    _ candidate: Candidate, isNeeded: Bool, _ feed: AccountFeed
  ) {
    guard let record = candidate.record, let result = candidate.result, !isNeeded else {
      return feed.setNotDue(key: candidate.key, candidate.found)
    }
    let history = candidate.found.recordHistory.pruning(record, to: result)
    _ = feed.replace(
      candidate.found, record, by: result, key: candidate.key, body: result.packed,
      history: history)
  }

  /// The number of commit names that are always kept. A device with an older cursor that never
  /// acknowledged it has to reconcile.
  package static let keptCommits = 4096

  /// The expired form of a journal entry. Nil if the record is not one.
  private static func end(_ record: Record) -> Record? {
    guard let entry = try? Conflict(record), let latest = record.latestTime else { return nil }
    // Every server expires the entry identically, and no clock has a say.
    let time = HybridTime(rawValue: latest.rawValue + 1)
    var result = record
    result.set(
      Register(
        field: Register.deletedField, stamp: Stamp(time: time, replica: entry.lost.stamp.replica),
        value: Register.deletedValue))
    return result.pruned()
  }
}

extension SyncStore {
  /// Processes everything that is due in an account, in as many transactions as needed. For tests
  /// and simulations.
  package func housekeep(account: AccountID, at now: WallTime) throws(StoreError) {
    var isMore = true
    while isMore {
      isMore = try transaction { transaction throws(StoreError) in
        let feed = try AccountFeed(
          account: account, in: transaction, commit: .random(in: 1 ... .max), at: now)
        let isMore = try Housekeeping.run(feed)
        try feed.finish()
        return isMore
      }
    }
  }
}
