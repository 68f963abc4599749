// SPDX-License-Identifier: Apache-2.0
// An account in the server's memory: its head and its Watch streams.

import AtrestLedger
import AtrestProtocol
import AtrestReplication
import AtrestWire
import Synchronization

/// An account. There is one object per account for the life of the process. Thread-safe.
package final class AccountState: Sendable {
  /// The account's number in the store.
  package let id: AccountID
  package let name: String
  /// Charged with the memory that all its devices cause.
  let payer = Balance()
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

  /// Burst sizes for actions that each leave an event, which cannot be removed. Refilled once a
  /// minute.
  static let tracesInARow = 64
  static let renamesInARow = 16
  static let refillMilliseconds: Int64 = 60_000
  /// Burst size for purchase statements that fail verification, refilled every ten seconds. Each
  /// costs a shard about two milliseconds, and devices have no reason to hold many.
  static let badStatementsInARow = 32
  static let statementRefillMilliseconds: Int64 = 10_000

  /// Consumes a token for creating a code, rejecting a pending device, or taking another identity.
  /// False if none is left.
  func mayLeaveTrace(at now: WallTime) -> Bool { traces.withLock { $0.take(at: now) } }

  /// Consumes a token for renaming a device. False if none is left.
  func mayRename(at now: WallTime) -> Bool { renames.withLock { $0.take(at: now) } }

  /// Whether an unknown purchase statement may be verified. Consumes nothing.
  func mayShowStatements(at now: WallTime) -> Bool {
    badStatements.withLock { $0.hasLeft(at: now) }
  }

  /// Consumes a token for a statement that failed verification.
  func noteBadStatement(at now: WallTime) { _ = badStatements.withLock { $0.take(at: now) } }

  /// The latest commit.
  package var head: Cursor { committedHead.withLock { $0 } }

  /// Called on the storage queue, after a commit.
  func advance(to head: Cursor) {
    committedHead.withLock { $0 = head }
  }

  /// Called on the storage queue, so that no commit falls between the first event and the next.
  func add(_ watch: Watch) {
    watches.withLock { $0[ObjectIdentifier(watch)] = watch }
  }

  /// The number of open Watch streams.
  var watchCount: Int { watches.withLock { $0.count } }

  func remove(_ watch: Watch) {
    watches.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(watch)) }
  }

  /// Sends a commit to all Watch streams. Called on the storage queue.
  func publish(_ feed: AccountFeed, serverTime: WallTime) {
    // Iterate over a copy: a stream that ends during the write removes itself from the list.
    let listening = watches.withLock { Array($0.values) }
    guard !listening.isEmpty else { return }
    // A commit that is too large for the stream is sent like a heartbeat. No replica is at `after`
    // yet, so all of them call Exchange.
    let after = feed.news == nil ? feed.head : feed.start
    let event = WatchEvent(
      after: after, records: feed.news ?? [], cursor: feed.head, serverTime: serverTime
    ).packed
    for watch in listening { watch.send(event) }
  }
}
