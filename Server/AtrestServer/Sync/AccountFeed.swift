// SPDX-License-Identifier: Apache-2.0
// One account's feed inside one transaction: assigns sequences and collects the records for Watch
// streams.

import AtrestProtocol
import AtrestReplication

/// The changes that one transaction makes to one account. Exchanges in the same commit share it.
package final class AccountFeed {
  /// Maximum bytes of records in one commit that Watch streams receive. A larger commit is only
  /// announced, and clients call Exchange. Well below the backlog limit of a slow reader.
  static let newsLimitBytes = 64 * 1024

  let account: AccountID
  let transaction: any StoreTransaction
  /// The head before this transaction.
  let start: Cursor
  /// The random name of this commit.
  let commit: UInt64
  /// The greatest sequence assigned.
  private(set) var last: UInt64
  /// Encoded records in commit order. Nil once they exceed the limit.
  private(set) var news: [[UInt8]]? = []
  /// Corrupt records found in this transaction.
  private(set) var unreadable: [UnreadableRecord] = []
  private var newsBytes = 0
  private let clockHighWater: WallTime?
  /// The greatest stamp time accepted in this transaction, and the greatest before it, which is
  /// read lazily.
  private var taken = HybridTime(rawValue: 0)
  private var takenBefore: HybridTime?
  /// The account's holdings before this transaction, read lazily.
  private var held: Holdings?
  private var change = Holdings()

  /// Opens the account's feed in a transaction.
  ///
  /// - Parameters:
  ///   - commit: A random name for the commit, used if it assigns sequences. Zero counts as 1.
  ///   - clockHighWater: See `StoreTransaction.noteClock`. Nil: use the current time.
  package init(
    account: AccountID, in transaction: any StoreTransaction, commit: UInt64,
    clockHighWater: WallTime? = nil
  ) throws(StoreError) {
    self.account = account
    self.clockHighWater = clockHighWater
    self.transaction = transaction
    self.commit = Mutation.commitsNotNamed.isActive ? 1 : max(1, commit)
    start = try transaction.head(of: account)
    last = start.sequence
  }

  /// The current head. A replica with this cursor has everything.
  var head: Cursor { last == start.sequence ? start : Cursor(commit: commit, sequence: last) }

  /// The cursor at a sequence that was assigned. Nil beyond the head.
  func position(of sequence: UInt64) throws(StoreError) -> Cursor? {
    guard sequence <= start.sequence else {
      return sequence <= last ? Cursor(commit: commit, sequence: sequence) : nil
    }
    return sequence == start.sequence
      ? start : try transaction.position(of: sequence, account: account)
  }

  /// Whether a device's cursor is in the account's history.
  func knows(_ position: Cursor) throws(StoreError) -> Bool {
    // No device can have seen this commit yet.
    guard position.sequence <= start.sequence else { return false }
    return try self.position(of: position.sequence) == position
  }

  /// Whether both positions that a device sends are in the account's history.
  ///
  /// Acknowledged writes lie before `lastKnownHead`, which may be far beyond the cursor.
  func knows(cursor: Cursor? = nil, lastKnownHead: Cursor?) throws(StoreError) -> Bool {
    if Mutation.restoreNotNoticed.isActive { return true }
    for position in [Mutation.headNotSent.isActive ? nil : lastKnownHead, cursor] {
      if let position, try !knows(position) { return false }
    }
    return true
  }

  /// The time for journal entries and retention periods. A clock that was set back must not end a
  /// period early.
  func dated(_ now: WallTime) -> WallTime { max(now, clockHighWater ?? now) }

  /// The greatest stamp time that the account ever accepted.
  func latestTime() throws(StoreError) -> HybridTime {
    if let takenBefore { return max(takenBefore, taken) }
    let before = try transaction.latestTime(of: account)
    takenBefore = before
    return max(before, taken)
  }

  private func take(_ record: Record) {
    guard record.key.kind != .entitlement, let time = record.latestTime else { return }
    taken = max(taken, time)
  }

  /// Writes the head and the holdings. Call once, before the commit.
  package func finish() throws(StoreError) {
    if last != start.sequence {
      let slip: UInt64 = Mutation.sequenceGivenTwice.isActive ? 1 : 0
      try transaction.setHead(Cursor(commit: commit, sequence: last - slip), of: account)
    }
    if taken > HybridTime(rawValue: 0) {
      try transaction.raiseLatestTime(to: taken, of: account)
    }
    if change != Holdings() { try transaction.add(change, to: account) }
  }

  /// The account's current holdings, including this transaction.
  func holdings() throws(StoreError) -> Holdings {
    if let held { return held + change }
    let held = try transaction.holdings(of: account)
    self.held = held
    return held + change
  }

  /// Appends a record. Nil if the account already has a record with this key.
  ///
  /// - Parameters:
  ///   - body: The record's canonical encoding.
  ///   - now: The server's clock.
  func append(
    _ record: Record, key: [UInt8], body: [UInt8], at now: WallTime
  ) throws(StoreError) -> UInt64? {
    let isNew = try transaction.append(
      key: key, body: body, sequence: last + 1, due: record.isDue(takenIn: dated(now)),
      account: account)
    guard isNew else { return nil }
    take(record)
    change.records += 1
    change.bytes += body.count
    if record.isLive { change.live += 1 }
    return advance(body)
  }

  /// Notes a corrupt record that was skipped.
  func passOver(key: [UInt8], sequence: UInt64) {
    unreadable.append(
      UnreadableRecord(
        account: account, kind: RecordKey(storageKey: key)?.kind, sequence: sequence))
  }

  func find(key: [UInt8]) throws(StoreError) -> StoredRecord? {
    try transaction.record(key: key, account: account)
  }

  /// Replaces a stored record.
  ///
  /// - Parameters:
  ///   - found: The stored record, and `old` its decoded form.
  ///   - body: The new record's canonical encoding.
  ///   - history: The new record's merge history.
  func replace(
    _ found: StoredRecord, _ old: Record, by new: Record, body: [UInt8], history: RecordHistory,
    at now: WallTime
  ) throws(StoreError) -> UInt64 {
    take(new)
    var due = new.isDue(takenIn: dated(now))
    // Pruning an unchanged deletion stays due at the time that was set first.
    if due != nil, let known = found.due, new.isDeleted,
      old[Register.deletedField] == new[Register.deletedField]
    {
      due = known
    }
    let stored = StoredRecord(
      sequence: last + 1, body: body, due: due, history: history.encoded)
    try transaction.replace(key: new.key.storageKey, by: stored, account: account)
    change.bytes += stored.bytes - found.bytes
    if old.isLive { change.live -= 1 }
    if new.isLive { change.live += 1 }
    return advance(body)
  }

  /// Updates the merge history of a record that stays as it is.
  func note(_ history: RecordHistory, key: [UInt8], _ found: StoredRecord) throws(StoreError) {
    var stored = found
    stored.history = history.encoded
    guard stored != found else { return }
    try transaction.replace(key: key, by: stored, account: account)
    change.bytes += stored.bytes - found.bytes
  }

  private func advance(_ body: [UInt8]) -> UInt64 {
    last += 1
    newsBytes += body.count
    if newsBytes > Self.newsLimitBytes || (news?.count ?? 0) >= Page.records {
      news = nil
    } else {
      news?.append(body)
    }
    return last
  }
}

/// A corrupt stored record, as the log may name it: without any of its contents.
struct UnreadableRecord: Hashable, Sendable {
  let account: AccountID
  /// Nil if the key is corrupt, too.
  let kind: RecordKind?
  let sequence: UInt64
}
