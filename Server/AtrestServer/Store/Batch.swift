// SPDX-License-Identifier: Apache-2.0

import AtrestReplication

/// One transaction, shared by its jobs.
package final class Batch {
  /// The store's.
  package let transaction: any StoreTransaction
  /// Whether the disk is nearly full: the remaining space is reserved for deletions. Checked before
  /// the first job that writes.
  package internal(set) var isDiskFull = false
  /// Sums of accounts; nil in a transaction that writes, which reads uncommitted records. Whoever
  /// ends the transaction keeps them.
  let sums: TransactionSums?
  private(set) var feeds: [AccountID: AccountFeed] = [:]
  private var removed: Set<AccountID> = []
  private var revoked: Set<ReplicaID> = []

  private let environment: Environment
  /// By which what is kept for a time grows old, if the store has no clock of its own.
  private let time: WallTime

  /// Whether other daemons write to the store, too.
  private let isShared: Bool

  init(
    _ transaction: any StoreTransaction, environment: Environment, isShared: Bool = false,
    sums: SumsCache? = nil
  ) {
    self.sums = sums.map { TransactionSums($0) }
    self.isShared = isShared
    self.transaction = transaction
    self.environment = environment
    if let mark = environment.retention?.mark {
      transaction.note(mark)
      time = mark.time
    } else {
      time = environment.now()
    }
  }

  /// An account's feed, shared by the jobs of the batch.
  package func feed(of account: AccountID) throws(StoreError) -> AccountFeed {
    if let feed = feeds[account] { return feed }
    let feed = try AccountFeed(
      account: account, in: transaction, commit: environment.randomNumber(), at: time)
    feeds[account] = feed
    return feed
  }

  /// Removes an account, and what earlier jobs of this batch did to it.
  func remove(_ account: AccountID) throws(StoreError) {
    try transaction.accounts.remove(account)
    feeds[account] = nil
    removed.insert(account)
  }

  /// Ends the access of devices, for later jobs of this batch, too.
  func revoke(
    _ devices: [ReplicaID], of account: AccountID, at now: WallTime
  ) throws(StoreError) {
    try transaction.devices.revoke(
      devices.map { DeviceAddress(account: account, replica: $0) }, at: now)
    revoked.formUnion(devices)
  }

  /// Writes what the feeds have in memory. Once, before the commit.
  ///
  /// - Returns: The feeds.
  func finish() throws(StoreError) -> [AccountFeed] {
    let feeds = feeds.values.sorted { $0.account.rawValue < $1.account.rawValue }
    for feed in feeds { try feed.settle() }
    let changes = feeds.compactMap(\.change)
    if !changes.isEmpty { try transaction.accounts.advance(changes) }
    return feeds
  }

  /// Whether a device still has access. The registry learns of a revocation by an earlier job of
  /// this batch only after the commit.
  func allows(_ session: DeviceSession) throws(StoreError) -> Bool {
    guard !session.isRevoked, !revoked.contains(session.replica),
      !removed.contains(session.account.id)
    else { return false }
    // Another daemon may have revoked it, and its word may be under way.
    guard isShared else { return true }
    guard let device = try transaction.devices.find(session.replica) else { return false }
    // Its account went to another cell and came back: the device has to be looked up again.
    guard device.account == session.account.id else { throw .moving }
    return device.revoked == nil
  }
}
