// SPDX-License-Identifier: Apache-2.0
// One account's feed inside one transaction: gives sequences, and gathers what the commit will tell
// watchers.

import AtrestProtocol
import AtrestReplication

/// What one transaction does to one account. Exchanges that share a commit share this.
package final class AccountFeed {
  /// Bytes of records one commit tells watchers of; a larger one only tells them that something
  /// happened, and they exchange. Well below what may wait for a slow reader.
  static let newsLimitBytes = 64 * 1024

  let account: AccountID
  let transaction: any StoreTransaction
  /// The head before the transaction.
  let start: Cursor
  /// The name of this commit.
  let commit: UInt64
  /// The greatest sequence given.
  private(set) var last: UInt64
  /// Bodies in commit order; nil once there are too many.
  private(set) var news: [[UInt8]]? = []
  /// Stored records that were met and cannot be read.
  private(set) var unreadable: [UnreadableRecord] = []
  private var newsBytes = 0
  private let clockHighWater: WallTime?
  /// The greatest time of any stamp that was taken in this transaction; and before it, read when
  /// somebody asks.
  private var taken = HybridTime(rawValue: 0)
  private var takenBefore: HybridTime?
  /// What was held before the transaction; read when somebody asks.
  private var held: Holdings?
  private var change = Holdings()

  /// The account's feed as the transaction finds it.
  ///
  /// - Parameters:
  ///   - commit: Random: the name of the commit, if it gives sequences. Zero counts as 1.
  ///   - clockHighWater: See `StoreTransaction.noteClock`; nil: what the clock shows.
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

  /// The head now: whoever holds everything up to it is there.
  var head: Cursor { last == start.sequence ? start : Cursor(commit: commit, sequence: last) }

  /// The position of a sequence that was given; nil beyond the head.
  func position(of sequence: UInt64) throws(StoreError) -> Cursor? {
    guard sequence <= start.sequence else {
      return sequence <= last ? Cursor(commit: commit, sequence: sequence) : nil
    }
    return sequence == start.sequence
      ? start : try transaction.position(of: sequence, account: account)
  }

  /// Whether a position that a device shows is in the account's past.
  func knows(_ position: Cursor) throws(StoreError) -> Bool {
    // What this commit brings nobody can have seen.
    guard position.sequence <= start.sequence else { return false }
    return try self.position(of: position.sequence) == position
  }

  /// Whether all that a device shows of what it saw is in the account's past.
  ///
  /// What was acknowledged lies before the last known head, which may be far beyond the cursor.
  func knows(cursor: Cursor? = nil, lastKnownHead: Cursor?) throws(StoreError) -> Bool {
    if Mutation.restoreNotNoticed.isActive { return true }
    for position in [Mutation.headNotSent.isActive ? nil : lastKnownHead, cursor] {
      if let position, try !knows(position) { return false }
    }
    return true
  }

  /// What dates a journal entry, and the wait until something is pruned: a clock that went back
  /// does not end them early.
  func dated(_ now: WallTime) -> WallTime { max(now, clockHighWater ?? now) }

  /// The greatest time of any stamp that the account took.
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

  /// Notes the head, and what is held. Once, before the commit.
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

  /// What the account holds now.
  func holdings() throws(StoreError) -> Holdings {
    if let held { return held + change }
    let held = try transaction.holdings(of: account)
    self.held = held
    return held + change
  }

  /// Appends a record unless there is one with its key; nil if there is.
  ///
  /// - Parameters:
  ///   - body: The record's canonical bytes.
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

  /// Notes that a stored record cannot be read, and was left out.
  func passOver(key: [UInt8], sequence: UInt64) {
    unreadable.append(
      UnreadableRecord(
        account: account, kind: RecordKey(storageKey: key)?.kind, sequence: sequence))
  }

  func find(key: [UInt8]) throws(StoreError) -> StoredRecord? {
    try transaction.record(key: key, account: account)
  }

  /// Replaces a record by what it became.
  ///
  /// - Parameters:
  ///   - found: As it is stored, and `old` what that holds.
  ///   - body: The new record's canonical bytes.
  ///   - history: What is remembered of it.
  func replace(
    _ found: StoredRecord, _ old: Record, by new: Record, body: [UInt8], history: RecordHistory,
    at now: WallTime
  ) throws(StoreError) -> UInt64 {
    take(new)
    var due = new.isDue(takenIn: dated(now))
    // The time since the deletion was taken in goes on.
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

  /// Notes what was judged of a record that stays as it is.
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

/// A record whose stored bytes are not a record any more, as its owner may hear of it: nothing of
/// what it held.
struct UnreadableRecord: Hashable, Sendable {
  let account: AccountID
  /// Nil if its key is no key either.
  let kind: RecordKind?
  let sequence: UInt64
}
