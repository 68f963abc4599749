// SPDX-License-Identifier: Apache-2.0
// Takes out what deletions left behind, and ends journal entries. No clock, no chance.

import Replication
import SyncProtocol

/// The work itself: the part that a simulator drives as it is. Each record it changes takes a new place in the feed, so that
/// devices follow.
package enum Housekeeping {
  /// Records of one transaction, so that exchanges do not wait for very many.
  package static let slice = 500

  /// Does what is due, up to `limit` records.
  ///
  /// A deleted record is stripped when every device that has access said that it holds the deletion, or 30 days after
  /// the server took it in; a journal entry ends 90 days after the server noticed the conflict. Devices that never called, or not for
  /// those 30 days, are not waited for: one that was made and never used would hold everything back.
  /// - Parameters:
  ///   - feed: The account's, in the transaction under way. Its owner finishes it and commits.
  ///   - now: The server's clock.
  /// - Returns: Whether there may be more.
  package static func run(
    _ feed: AccountFeed, at now: WallTime, limit: Int = slice
  ) throws(StoreError) -> Bool {
    let acknowledged = try feed.transaction.acknowledgedSequence(
      of: feed.account, seenAfter: now.advanced(by: -Record.strippingMilliseconds))
    let due = try feed.transaction.recordsDue(
      of: feed.account, at: now, orKnownAt: Mutation.prunedTooEarly.isActive ? .max : acknowledged,
      limit: limit)
    for (key, found) in due {
      guard let record = try? Record(decoding: found.body), record.key.storageKey == key else {
        // It rotted. That is for whoever reads it to say; an errand nobody asked for does not end the server.
        try feed.transaction.setNotDue(key: key, account: feed.account)
        continue
      }
      if let result = try record.isDeleted
        ? strip(record, found.recordHistory, feed, now) : end(record, now),
        result != record
      {
        let history = found.recordHistory.pruning(record, to: result)
        _ = try feed.replace(
          found, record, by: result, body: result.encoded, history: history, at: now)
      } else {
        try feed.transaction.setNotDue(key: key, account: feed.account)
      }
    }
    try feed.transaction.pruneCommits(of: feed.account, keeping: keptCommits)
    return due.count == limit
  }

  /// Names of commits that are kept whatever devices showed: whoever is further back, and never said so, reconciles.
  package static let keptCommits = 4096

  /// The record without what its deletion made unreachable; nil if that cannot be taken out without being lost.
  ///
  /// A write that lost to the deletion without knowing it is in the journal, but only its field 1 is: its values stayed in the
  /// record until now. They follow it.
  private static func strip(
    _ record: Record, _ history: RecordHistory, _ feed: AccountFeed, _ now: WallTime
  ) throws(StoreError) -> Record? {
    let result = record.stripped()
    guard record.key.kind != .conflict, let floor = result[Register.forgottenField] else {
      return result
    }
    var entries: [Record] = []
    for lost in record.registers
    where result[lost.field] != lost && !Mutation.prunedValueForgotten.isActive {
      let action = Conflict(
        key: record.key, field: Register.deletedField, lost: lost, kept: floor,
        noticed: feed.dated(now))
      guard lost.field != Register.forgottenField, !history.known.contains(lost.fingerprint),
        try isListed(action, feed, deletion: record[Register.deletedField])
      else { continue }
      let conflict = Conflict(
        key: record.key, field: lost.field, lost: lost, kept: floor, noticed: feed.dated(now))
      guard let entry = conflict.readableRecord else { return nil }
      entries.append(entry)
    }
    for entry in entries {
      _ = try feed.append(entry, key: entry.key.storageKey, body: entry.encoded, at: now)
    }
    return result
  }

  /// Whether the journal says that an action lost, and nobody has put the entry away since it lost to this deletion. Where it lost to an
  /// earlier one, somebody has brought the record back, perhaps by that very entry.
  ///
  /// It says nothing where the deletion's writer had seen the action: it made it itself, or wrote over that very one.
  private static func isListed(
    _ action: Conflict, _ feed: AccountFeed, deletion: Register?
  ) throws(StoreError) -> Bool {
    guard let found = try feed.find(key: action.journalKey.storageKey),
      let record = try? Record(decoding: found.body), let entry = try? Conflict(record),
      !record.isDeleted || entry.kept.stamp != deletion?.stamp
    else { return false }
    return deletion?.stamp.replica != entry.lost.stamp.replica
      && deletion?.replaced != entry.lost.stamp
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
    return result.stripped()
  }
}

extension SyncStore {
  /// Does all that is due in an account, in as many transactions as it takes: for tests and simulations.
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
