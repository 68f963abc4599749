// SPDX-License-Identifier: Apache-2.0
// An account in the server's memory: its head and its Watch streams.

import AtrestHTTP2
import AtrestLedger
import AtrestProtocol
import AtrestReplication
import AtrestSockets
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
  private let known: Mutex<KnownHead>
  /// Nil: nobody else writes to the store.
  private let trust: CacheTrust?
  private let watches = Mutex<[ObjectIdentifier: Watch]>([:])

  /// A head, and when it was certainly the account's.
  private struct KnownHead {
    var cursor: Cursor
    /// Before it was read.
    var learned: Instant
    /// When it was first known here: what began to read before may have read an earlier one.
    var noted: Instant
    /// When another commit was heard of: what was read until then is not trusted.
    var doubted: Instant
  }

  /// - Parameters:
  ///   - learned: An instant before the head was read. The start of time: it is not trusted.
  ///   - trust: Whether what was learned still holds. Nil: nobody else writes to the store.
  init(
    id: AccountID, name: String, head: Cursor, learned: Instant = Instant(nanoseconds: 0),
    trust: CacheTrust? = nil
  ) {
    self.id = id
    self.name = name
    self.trust = trust
    known = Mutex(
      KnownHead(
        cursor: head, learned: learned, noted: trust?.now() ?? learned,
        doubted: Instant(nanoseconds: 0)))
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

  /// Returns the token of an action that left no event after all.
  func hasLeftNoTrace() { traces.withLock { $0.giveBack() } }

  /// Consumes a token for renaming a device. False if none is left.
  func mayRename(at now: WallTime) -> Bool { renames.withLock { $0.take(at: now) } }

  /// Whether an unknown purchase statement may be verified. Consumes nothing.
  func mayShowStatements(at now: WallTime) -> Bool {
    badStatements.withLock { $0.hasLeft(at: now) }
  }

  /// Consumes a token for a statement that failed verification.
  func noteBadStatement(at now: WallTime) { _ = badStatements.withLock { $0.take(at: now) } }

  /// The latest commit that this daemon knows of.
  package var head: Cursor { known.withLock { $0.cursor } }

  /// The latest commit; nil if there may be a later one.
  var trustedHead: Cursor? {
    let known = known.withLock { $0 }
    guard let trust else { return known.cursor }
    return known.learned > known.doubted && trust.covers(known.learned) ? known.cursor : nil
  }

  /// Called on the storage queue, after a commit of this daemon that alone writes to the store.
  func advance(to head: Cursor) {
    known.withLock { $0.cursor = head }
  }

  /// Learns the head as the store has it.
  ///
  /// - Parameter instant: Before the head was read, or before the transaction began that advanced
  ///   it. A read may begin after a commit began and before it ended, and end last: so an earlier
  ///   head, as a database has that went back, counts only if the read began once the other one was
  ///   known.
  /// - Returns: Whether it is another head than the one that was known. Streams have to be told.
  func learn(_ head: Cursor, at instant: Instant) -> Bool {
    let now = trust?.now() ?? instant
    return known.withLock { known in
      let isNew = head != known.cursor
      let isLater = instant > (isNew ? known.noted : known.learned)
      guard isLater || head.sequence > known.cursor.sequence else { return false }
      if isNew { known.noted = now }
      (known.cursor, known.learned) = (head, instant)
      return isNew
    }
  }

  /// Ends the trust in what was read until now, because somebody tells of a commit. News carry no
  /// truth: they may be late, of a database that went back, or of nobody who may write to it.
  ///
  /// - Parameter head: What is told of. Nil: unknown.
  /// - Returns: False if it is what is known already.
  func doubt(unless head: Cursor?, at now: Instant) -> Bool {
    known.withLock { known in
      guard known.cursor != head else { return false }
      known.doubted = max(known.doubted, now)
      return true
    }
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

  /// Tells all Watch streams that the account has another head, without the records.
  func announceHead(serverTime: WallTime) {
    let listening = watches.withLock { Array($0.values) }
    for watch in listening { watch.sendHeartbeat(at: serverTime) }
  }

  /// Sends a commit to all Watch streams. Called on the storage queue.
  ///
  /// Records go to devices that are known to have access at this moment. The others are told that
  /// there is something: whoever fetches it asks the store.
  func publish(_ feed: AccountFeed, serverTime: WallTime) {
    // Iterate over a copy: a stream that ends during the write removes itself from the list.
    let listening = watches.withLock { Array($0.values) }
    guard !listening.isEmpty else { return }
    // No replica is at `after` yet, so all of them call Exchange. The same for a commit that is too
    // large for the stream.
    let hint = WatchResponse(
      after: feed.head, records: [], cursor: feed.head, serverTime: serverTime)
    let event = feed.news.map {
      WatchResponse(after: feed.start, records: $0, cursor: feed.head, serverTime: serverTime)
    }
    let whole = (event ?? hint).packed
    for watch in listening {
      let isKnown = trust?.covers(watch.session.confirmed) ?? true
      watch.send(isKnown ? whole : hint.packed)
    }
  }
}
