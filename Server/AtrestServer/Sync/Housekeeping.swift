// SPDX-License-Identifier: Apache-2.0
// Takes out what deletions left behind, and ends journal entries. No clock, no chance.

import AtrestProtocol
import AtrestReplication

/// The work itself: the part that a simulator drives as it is. Each record it changes takes a new
/// place in the feed, so that devices follow.
package enum Housekeeping {
  /// Records of one transaction, so that exchanges do not wait for very many.
  package static let slice = 500

  /// Does what is due, up to `limit` records.
  ///
  /// A deleted record is pruned when every device that has access said that it holds the deletion,
  /// or 30 days after the server took it in; not while the journal lists an action that lost to a
  /// deletion of it: whoever wants that back gets it whole. A journal entry ends 90 days after the
  /// server noticed the conflict. Devices that never called, or not for those 30 days, are not
  /// waited for: one that was made and never used would hold everything back.
  /// - Parameters:
  ///   - feed: The account's, in the transaction under way. Its owner finishes it and commits.
  ///   - now: The server's clock.
  /// - Returns: Whether there may be more.
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
      // What waited for this entry may go now.
      guard let record, let entry = try? Conflict(record), entry.listsAction else { continue }
      let listed = entry.key.storageKey
      if let waiting = try feed.find(key: listed), waiting.due == nil {
        _ = try tidy(waiting, listed, feed, now)
      }
    }
    try feed.transaction.pruneCommits(of: feed.account, keeping: keptCommits)
    return due.count == limit
  }

  /// Prunes a deleted record, or ends a journal entry.
  /// - Returns: The record as it was; nil if it cannot be read.
  private static func tidy(
    _ found: StoredRecord, _ key: [UInt8], _ feed: AccountFeed, _ now: WallTime
  ) throws(StoreError) -> Record? {
    guard let record = try? Record(decoding: found.body), record.key.storageKey == key else {
      // It rotted. That is for whoever reads it to say; an errand nobody asked for does not end the
      // server.
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

  /// Names of commits that are kept whatever devices showed: whoever is further back, and never
  /// said so, reconciles.
  package static let keptCommits = 4096

  /// Whether the journal has an entry, which nobody has put away and which has not ended, of an
  /// action on a record that lost to a deletion.
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

  /// A journal entry that has ended; nil if it is none.
  private static func end(_ record: Record, _ now: WallTime) -> Record? {
    guard let entry = try? Conflict(record), let latest = record.latestTime else { return nil }
    // Each server ends it with the same stamp, unless what the entry says of its time cannot be.
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
  /// Whether the entry stands for a whole action, and so for all that it wrote: a deletion won.
  fileprivate var listsAction: Bool {
    field == Register.deletedField && lost.value != Register.deletedValue
  }
}

extension SyncStore {
  /// Does all that is due in an account, in as many transactions as it takes: for tests and
  /// simulations.
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
