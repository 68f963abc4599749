// SPDX-License-Identifier: Apache-2.0
// What the sync engine needs from outside: a store and a way to the server. Bring your own to run
// it elsewhere.

import AtrestProtocol
import AtrestReplication

/// The way to the server. An answer is returned only if it arrived complete.
public protocol SyncTransport: Sendable {
  /// Makes the calls from now on in the name of this credential.
  ///
  /// - Throws: `.badAnswer` if it cannot be sent.
  func use(_ credential: String) throws(SyncError)

  /// One round trip.
  ///
  /// - Throws: `SyncError`: `.unreachable` for what may pass by itself, anything else for what will
  ///   not.
  func exchange(_ request: ExchangeRequest) async throws(SyncError) -> ExchangeResponse

  /// One round of a comparison. Throws as `exchange`.
  func reconcile(_ request: ReconcileRequest) async throws(SyncError) -> ReconcileResponse

  /// Asks for a new identity beside the one in use, which stays in use. Throws as `exchange`.
  func renew(_ request: RenewRequest) async throws(SyncError) -> PairResponse

  /// Opens a stream of what is committed from now on.
  ///
  /// - Parameter event: Called for each event, in order; the next one waits until it returned. It
  ///   returns false to end the stream.
  /// - Throws: As `exchange`; returns when the server ended the stream or `event` returned false.
  func watch(
    _ request: WatchRequest, event: @Sendable (WatchEvent) async throws(SyncError) -> Bool
  ) async throws(SyncError)
}

/// A page of the outbox, as it goes into a request.
public struct OutboxPage: Hashable, Sendable {
  /// The entries, as the store names them.
  public var sequences: [Int64]
  /// Encoded `Offer`s, one for each entry.
  public var offers: [[UInt8]]
  /// Where they lie in the outbox; nil for an empty page. The bytes under a number never change.
  public var segment: OutboxSegment?

  /// A page.
  public init(sequences: [Int64] = [], offers: [[UInt8]] = [], segment: OutboxSegment? = nil) {
    self.sequences = sequences
    self.offers = offers
    self.segment = segment
  }
}

/// A device's clocks when an answer was read.
public struct Reading: Hashable, Sendable {
  /// What its wall clock showed.
  public var now: WallTime
  /// Milliseconds since the question, by a clock that nobody sets; nil if that is not known.
  public var waited: Int64?

  /// A reading.
  public init(now: WallTime, waited: Int64?) {
    self.now = now
    self.waited = waited
  }
}

extension ReplicaStore {
  /// Stores an answer that came at once.
  func apply(
    _ answer: ExchangeResponse, to request: ExchangeRequest, page: OutboxPage, at now: WallTime
  ) async throws(ReplicaError) -> AppliedAnswer {
    try await apply(answer, to: request, page: page, at: Reading(now: now, waited: 0))
  }
}

/// What storing an answer did.
public struct AppliedAnswer: Hashable, Sendable {
  /// Offers that left the outbox.
  public var acknowledged = 0
  /// Offers that stayed because the server refused them.
  public var refused = 0
  /// How many of them, because the account is full.
  public var overQuota = 0
  /// Whether one of them was refused for a stamp too far ahead of the server's clock.
  public var hasClockSkew = false
  /// Whether the server is at a position of the outbox that this replica never was at: it is a
  /// copy, and the other went on. Nothing is noted on the offers.
  public var isForked = false
  /// Whether the server is at an older position, and did not look at some of the offers. They are
  /// to be offered again.
  public var isUnread = false
  /// Whether another sync of this replica was told of another head since the request was made.
  /// Nothing was stored: the server is to be asked again.
  public var isOvertaken = false
  /// Those that were refused because they would delete most of what there is; nil for none.
  public var heldDeletions: HeldDeletions?
  /// Received records that did not change what was held.
  public var unchanged = 0
  /// Received records of the conflict journal.
  public var conflicts = 0
  /// Whether the server had lost something, so that everything held is to be compared with it.
  public var isRestarted = false

  /// Nothing.
  public init() {}
}

/// Deletions that wait for a person's word, because together they would take away most of what
/// there is.
public struct HeldDeletions: Hashable, Sendable {
  /// How many records they would delete.
  public var count: Int
  /// Of how many.
  public var of: Int

  /// Deletions.
  public init(count: Int, of: Int) {
    self.count = count
    self.of = of
  }
}

/// A local replica, as the sync engine sees it. Every method is one transaction: on return all of
/// it is durable, on a throw nothing was changed. Methods may be called from several tasks at once.
public protocol ReplicaStore: Sendable {
  /// Where the replica is.
  func position() async throws(ReplicaError) -> SyncPosition

  /// The oldest waiting writes numbered above `number`, then those without a number, which are
  /// given some: at most `Page.records` and `Page.recordBytes` of them; empty at the end. Numbers
  /// and the token that goes with them are durable before this returns.
  ///
  /// What the server refused is left out, and so are deletions that wait for a person's word.
  func nextPage(after number: UInt64) async throws(ReplicaError) -> OutboxPage

  /// The youngest write the server refused, as the store names it; 0 if there is none.
  func lastRefused() async throws(ReplicaError) -> Int64

  /// Lets refused writes be offered once more, up to the one named `sequence`.
  func retryRefused(through sequence: Int64) async throws(ReplicaError)

  /// Whether a write waits that can be offered and was not refused.
  func hasWaitingWrites() async throws(ReplicaError) -> Bool

  /// Decides anew which deletions wait for a person's word: all of them, if together they would
  /// delete more than half of 20 records or more that the server knows; else none.
  ///
  /// - Parameter areAllowed: The person said yes: none waits.
  /// - Returns: What waits now, or nil.
  func holdMassDeletion(areAllowed: Bool) async throws(ReplicaError) -> HeldDeletions?

  /// Stores an answer: merges its records, takes what it acknowledges out of the outbox, notes
  /// refusals, moves the cursor, learns the account's head, the time, and how far the server has
  /// gone through the outbox. If the server lost something, the cursor becomes the head, and a
  /// demand to reconcile is noted.
  ///
  /// - Parameters:
  ///   - request: What was asked.
  ///   - page: The offers that it carried.
  ///   - reading: This device's clocks when the answer came.
  /// - Throws: `.invalid` if the answer breaks the contract.
  func apply(
    _ answer: ExchangeResponse, to request: ExchangeRequest, page: OutboxPage, at reading: Reading
  ) async throws(ReplicaError) -> AppliedAnswer

  /// Stores an event if the replica is where the event begins, and knows of nothing beyond.
  ///
  /// - Returns: nil if it is elsewhere; nothing is changed then.
  func apply(_ event: WatchEvent, at now: WallTime) async throws(ReplicaError) -> AppliedAnswer?

  /// Stamps writes that were refused for their stamps again, and those that would be, in the order
  /// of each record, none later than the server's clock where that order allows; takes the refusals
  /// back, and notes a demand to reconcile. For a device whose clock was ahead.
  func restamp(at now: WallTime) async throws(ReplicaError)

  /// The request for a new identity. It is durable, and the same until an identity was taken: what
  /// is repeated gives no second one.
  func renewal() async throws(ReplicaError) -> RenewRequest

  /// Takes a new identity, stamps all that waits with it, begins another outbox, and notes a demand
  /// to reconcile. For a replica that is a copy, or was put back from one.
  ///
  /// - Parameter credential: The one to give up.
  /// - Returns: Whether it did; not if another sync of this replica has taken a new identity
  ///   meanwhile.
  /// - Throws: `.invalid` if the answer cannot be used.
  func adopt(
    renewed identity: PairResponse, insteadOf credential: String?
  ) async throws(ReplicaError) -> Bool

  /// The demand to compare everything held with the server; nil if there is none. Each demand has
  /// another number.
  func reconcileDemand() async throws(ReplicaError) -> UInt64?

  /// The keys and hashes of everything held, ascending by key. O(records): each is hashed.
  func hashes() async throws(ReplicaError) -> [KeyRange.Item]

  /// Merges records that a comparison brought, and queues what the server has otherwise or not at
  /// all to be offered again, as it is held.
  ///
  /// - Parameters:
  ///   - wanted: Keys. Those of which a write waits already are left out, and those whose merged
  ///     record is the received one.
  ///   - head: The last known head when the comparison was asked for. Nothing is stored if it is
  ///     another one by now.
  /// - Throws: `.invalid` if a record breaks the contract.
  func merge(
    records: [[UInt8]], offering wanted: [RecordKey], asKnowing head: Cursor?
  ) async throws(ReplicaError) -> AppliedAnswer

  /// Everything was compared since `demand` was read: forgets the demand, unless another one has
  /// come meanwhile.
  func endReconcile(_ demand: UInt64) async throws(ReplicaError)

  /// Notes that a sync came to its end.
  func noteSync(at now: WallTime) async throws(ReplicaError)
}
