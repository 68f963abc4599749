// SPDX-License-Identifier: Apache-2.0
// One account's feed inside one transaction: gives sequences, and gathers what the commit will tell watchers.

import Replication
import SyncProtocol

/// What one transaction does to one account. Exchanges that share a commit share this.
package final class AccountFeed {
  /// Bytes of records one commit tells watchers of; a larger one only tells them that something happened, and
  /// they exchange. Well below what may wait for a slow reader.
  static let newsLimitBytes = 64 * 1024

  let account: AccountID
  let transaction: any StoreTransaction
  /// The head before the transaction.
  let start: UInt64
  /// The head now.
  private(set) var head: UInt64
  /// Bodies in commit order; nil once there are too many.
  private(set) var news: [[UInt8]]? = []
  /// Stored records that were met and cannot be read.
  private(set) var unreadable: [UnreadableRecord] = []
  private var newsBytes = 0
  /// What was held before the transaction; read when somebody asks.
  private var held: Holdings?
  private var change = Holdings()

  /// The account's feed as the transaction finds it.
  package init(account: AccountID, in transaction: any StoreTransaction) throws(StoreError) {
    self.account = account
    self.transaction = transaction
    start = try transaction.head(of: account)
    head = start
  }

  /// Notes the head, and what is held. Once, before the commit.
  package func finish() throws(StoreError) {
    let slip: UInt64 = PlantedBug.sequenceGivenTwice.isPlanted ? 1 : 0
    if head != start { try transaction.setHead(head - slip, of: account) }
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
      key: key, body: body, sequence: head + 1, due: record.isDue(takenIn: now), account: account)
    guard isNew else { return nil }
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
  func replace(
    _ found: StoredRecord, _ old: Record, by new: Record, body: [UInt8], at now: WallTime
  ) throws(StoreError) -> UInt64 {
    var due = new.isDue(takenIn: now)
    // The time since the deletion was taken in goes on.
    if due != nil, let known = found.due, new.isDeleted,
      old[Register.deletedField] == new[Register.deletedField]
    {
      due = known
    }
    try transaction.replace(
      key: new.key.storageKey, body: body, sequence: head + 1, due: due, account: account)
    change.bytes += body.count - found.body.count
    if old.isLive { change.live -= 1 }
    if new.isLive { change.live += 1 }
    return advance(body)
  }

  private func advance(_ body: [UInt8]) -> UInt64 {
    head += 1
    newsBytes += body.count
    if newsBytes > Self.newsLimitBytes || (news?.count ?? 0) >= Page.records {
      news = nil
    } else {
      news?.append(body)
    }
    return head
  }
}

/// A record whose stored bytes are not a record any more, as its owner may hear of it: nothing of what it held.
struct UnreadableRecord: Hashable, Sendable {
  let account: AccountID
  /// Nil if its key is no key either.
  let kind: RecordKind?
  let sequence: UInt64
}
