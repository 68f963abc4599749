// SPDX-License-Identifier: Apache-2.0
// An account as the server knows it in memory: its head, and who listens to it.

import AtrestLedger
import AtrestProtocol
import AtrestReplication
import Synchronization

/// An account. One object for the life of the process. Thread-safe.
package final class AccountState: Sendable {
  /// Its number in the store.
  package let id: AccountID
  /// Its name.
  package let name: String
  /// What all its devices together have the server hold.
  let payer = Holder()
  private let traces = Mutex(
    AttemptBucket(
      capacity: AccountState.tracesInARow, refillMilliseconds: AccountState.refillMilliseconds))
  private let renames = Mutex(
    AttemptBucket(
      capacity: AccountState.renamesInARow, refillMilliseconds: AccountState.refillMilliseconds))
  private let badStatements = Mutex(
    AttemptBucket(
      capacity: AccountState.badStatementsInARow,
      refillMilliseconds: AccountState.statementRefillMilliseconds))
  private let committedHead: Mutex<Cursor>
  private let watches = Mutex<[ObjectIdentifier: Watch]>([:])

  init(id: AccountID, name: String, head: Cursor) {
    self.id = id
    self.name = name
    committedHead = Mutex(head)
  }

  /// What devices may do in a row, and then once a minute, that leaves an event each time: nobody
  /// can remove those.
  static let tracesInARow = 64
  static let renamesInARow = 16
  static let refillMilliseconds: Int64 = 60_000
  /// Statements about purchases that did not verify, in a row, and then one each ten seconds. Each
  /// costs a shard about two milliseconds, and devices have no reason to hold many.
  static let badStatementsInARow = 32
  static let statementRefillMilliseconds: Int64 = 10_000

  /// Whether a device may make a code, send a pending device away or take another identity now;
  /// counts it if so.
  func mayLeaveTrace(at now: WallTime) -> Bool { traces.withLock { $0.take(at: now) } }

  /// Whether a device may be given a name now; counts it if so.
  func mayRename(at now: WallTime) -> Bool { renames.withLock { $0.take(at: now) } }

  /// Whether a statement about a purchase may be looked at that is not known yet.
  func mayShowStatements(at now: WallTime) -> Bool {
    badStatements.withLock { $0.hasLeft(at: now) }
  }

  /// Counts one that did not verify.
  func noteBadStatement(at now: WallTime) { _ = badStatements.withLock { $0.take(at: now) } }

  /// The last commit.
  package var head: Cursor { committedHead.withLock { $0 } }

  /// Called by the storage queue, after a commit.
  func advance(to head: Cursor) {
    committedHead.withLock { $0 = head }
  }

  /// Called on the storage queue, so that between the first event and the next no commit is missed.
  func add(_ watch: Watch) {
    watches.withLock { $0[ObjectIdentifier(watch)] = watch }
  }

  func remove(_ watch: Watch) {
    watches.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(watch)) }
  }

  /// Tells whoever listens what a commit did. On the storage queue.
  func publish(_ feed: AccountFeed, serverTime: WallTime) {
    // A copy: a stream that ends while it is written to takes itself off the list.
    let listening = watches.withLock { Array($0.values) }
    guard !listening.isEmpty else { return }
    // A commit too large for the stream is told like a heartbeat: nobody is at `after` yet, so
    // everybody exchanges.
    let after = feed.news == nil ? feed.head : feed.start
    let event = WatchEvent(
      after: after, records: feed.news ?? [], cursor: feed.head, serverTime: serverTime
    ).encoded
    for watch in listening { watch.send(event) }
  }
}
