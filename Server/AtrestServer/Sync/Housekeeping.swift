// SPDX-License-Identifier: Apache-2.0
// Prunes deleted records and expires journal entries. Has no clock and no randomness.

import AtrestProtocol
import AtrestReplication

/// Housekeeping of one account. A simulator runs the same code. Each changed record gets a new
/// sequence in the feed, so devices receive the change.
package enum Housekeeping {
  /// Maximum number of records per transaction, so that exchanges do not wait long.
  package static let slice = 500

  /// Processes due records, up to `limit`.
  ///
  /// A deleted record is pruned once every device with access has acknowledged the deletion, or 30
  /// days after the server accepted it. It is not pruned while the journal lists an action that
  /// lost to the deletion, so that a person can restore the whole record. A journal entry expires
  /// 90 days after the server detected the conflict. Devices that did not call in the last 30 days
  /// do not count: a device that was paired and never used would block pruning forever.
  /// - Parameters:
  ///   - feed: The account's feed in the current transaction. The caller finishes it and commits.
  ///   - now: The server's clock.
  /// - Returns: Whether more records may be due.
  package static func run(
    _ feed: AccountFeed, at now: WallTime, limit: Int = slice
  ) throws(StoreError) -> Bool {
    let acknowledged = try feed.transaction.acknowledgedSequence(
      of: feed.account, seenAfter: now.advanced(by: -Record.pruningMilliseconds))
    let due = try feed.transaction.recordsDue(
      of: feed.account, at: now, orKnownAt: Mutation.prunedTooEarly.isActive ? .max : acknowledged,
      limit: limit)
    for (key, found) in due {
      let record = try tidy(found, key, feed, now)
      // The record that waited for this entry may be pruned now.
      guard let record, let entry = try? Conflict(record), entry.listsAction else { continue }
      let listed = entry.key.storageKey
      if let waiting = try feed.find(key: listed), waiting.due == nil {
        _ = try tidy(waiting, listed, feed, now)
      }
    }
    try feed.transaction.pruneCommits(of: feed.account, keeping: keptCommits)
    return due.count == limit
  }

  /// Prunes a deleted record or expires a journal entry.
  /// - Returns: The record before the change, or nil if it is corrupt.
  private static func tidy(
    _ found: StoredRecord, _ key: [UInt8], _ feed: AccountFeed, _ now: WallTime
  ) throws(StoreError) -> Record? {
    guard let record = try? Record(decoding: found.body), record.key.storageKey == key else {
      // The record is corrupt. The next reader reports that. A background task must not stop the
      // server for it.
      try feed.transaction.setNotDue(key: key, account: feed.account)
      return nil
    }
    let result = record.isDeleted ? record.pruned() : end(record, now)
    if let result, result != record, try !isListed(record, feed) {
      let history = found.recordHistory.pruning(record, to: result)
      _ = try feed.replace(
        found, record, by: result, body: result.encoded, history: history, at: now)
    } else {
      try feed.transaction.setNotDue(key: key, account: feed.account)
    }
    return record
  }

  /// The number of commit names that are always kept. A device with an older cursor that never
  /// acknowledged it has to reconcile.
  package static let keptCommits = 4096

  /// Whether the journal has a current, undeleted entry for an action on this record that lost to a
  /// deletion.
  private static func isListed(_ record: Record, _ feed: AccountFeed) throws(StoreError) -> Bool {
    guard record.key.kind != .conflict, !Mutation.prunedThoughListed.isActive else { return false }
    let entries = Conflict.journalKeys(of: record.key, field: Register.deletedField)
    var isListed = false
    try feed.transaction.records(
      of: feed.account, from: entries.first.storageKey, to: entries.last.storageKey
    ) { _, body in
      guard let found = try? Record(decoding: body), !found.isDeleted,
        let entry = try? Conflict(found), entry.listsAction
      else { return true }
      isListed = true
      return false
    }
    return isListed
  }

  /// The expired form of a journal entry. Nil if the record is not one.
  private static func end(_ record: Record, _ now: WallTime) -> Record? {
    guard let entry = try? Conflict(record), let latest = record.latestTime else { return nil }
    // Use a deterministic stamp, so that every server expires the entry identically. The exception
    // is an entry with an impossible time.
    let due = min(entry.noticed.advanced(by: Conflict.retentionMilliseconds), now)
    let time = max(HybridTime(due), HybridTime(rawValue: latest.rawValue + 1))
    var result = record
    result.set(
      Register(
        field: Register.deletedField, stamp: Stamp(time: time, replica: entry.lost.stamp.replica),
        value: Register.deletedValue))
    return result.pruned()
  }
}

extension Conflict {
  /// Whether the entry stands for a whole action and everything it wrote: it lost to a deletion.
  fileprivate var listsAction: Bool {
    field == Register.deletedField && lost.value != Register.deletedValue
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
          account: account, in: transaction, commit: .random(in: 1 ... .max))
        let isMore = try Housekeeping.run(feed, at: now)
        try feed.finish()
        return isMore
      }
    }
  }
}
