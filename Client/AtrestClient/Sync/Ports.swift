// SPDX-License-Identifier: Apache-2.0
// The sync engine's ports: a store and a transport. Implement them to run the engine elsewhere.

import AtrestReplication
import AtrestSync
import AtrestWire

/// The connection to the server. An answer is returned only if it arrived complete.
public protocol SyncTransport: Sendable {
  /// Sets the credential for all later calls.
  ///
  /// - Throws: `.badAnswer` if it cannot be sent.
  func use(_ credential: String) throws(SyncError)

  /// One round trip.
  ///
  /// - Throws: `SyncError`: `.unreachable` for transient failures, anything else for permanent
  ///   ones.
  func exchange(_ request: ExchangeRequest) async throws(SyncError) -> ExchangeResponse

  /// One round of a comparison. Throws like `exchange`.
  func reconcile(_ request: ReconcileRequest) async throws(SyncError) -> ReconcileResponse

  /// Requests a new identity. The one in use stays valid. Throws like `exchange`.
  func renew(_ request: RenewRequest) async throws(SyncError) -> PairResponse

  /// Opens a stream of later commits.
  ///
  /// - Parameter event: Called for each event, in order. The next event waits until it returns,
  ///   which is the backpressure. It returns false to end the stream.
  /// - Throws: Like `exchange`. Returns when the server ends the stream or `event` returns false.
  func watch(
    _ request: WatchRequest, event: @Sendable (WatchEvent) async throws(SyncError) -> Bool
  ) async throws(SyncError)
}

extension ReplicaStore {
  /// Stores an answer that took no time.
  func apply(
    _ answer: ExchangeResponse, to request: ExchangeRequest, page: OutboxPage, at now: WallTime
  ) async throws(ReplicaError) -> AppliedAnswer {
    try await apply(answer, to: request, page: page, at: Reading(now: now, waited: 0))
  }
}

/// A local replica as the sync engine sees it. Every method is one transaction: durable on return,
/// without effect on a throw. Methods may be called from several tasks at once. All of them throw
/// `ReplicaError` if the store fails.
public protocol ReplicaStore: Sendable {
  /// The replica's sync position.
  func position() async throws(ReplicaError) -> SyncPosition

  /// The oldest waiting writes with a number above `number`, then unnumbered ones, which are
  /// numbered now; at most `Page.records` and `Page.recordBytes` of them, and none at the end.
  /// Numbers and their token are durable before this returns.
  ///
  /// Leaves out refused writes and held deletions.
  func nextPage(after number: UInt64) async throws(ReplicaError) -> OutboxPage

  /// The sequence of the newest refused write; 0 if there is none.
  func lastRefused() async throws(ReplicaError) -> Int64

  /// Makes refused writes eligible again, up to the one with sequence `sequence`.
  func retryRefused(through sequence: Int64) async throws(ReplicaError)

  /// Whether a write waits that is neither refused nor held.
  func hasWaitingWrites() async throws(ReplicaError) -> Bool

  /// Decides anew which deletions to hold: all of them, if together they would delete more than
  /// half of at least 20 records that the server knows; otherwise none.
  ///
  /// - Parameter areAllowed: Whether the person confirmed: then none is held.
  /// - Returns: The held deletions, or nil.
  func holdMassDeletion(areAllowed: Bool) async throws(ReplicaError) -> HeldDeletions?

  /// Stores an answer: merges its records, removes acknowledged entries from the outbox, records
  /// refusals, and updates the cursor, the head, the clock offset and the server's outbox position.
  /// If the server lost something, the cursor becomes the head and a reconcile is demanded.
  ///
  /// - Parameters:
  ///   - request: The request that was answered.
  ///   - page: The offers that it carried.
  ///   - reading: This device's clocks when the answer arrived.
  /// - Throws: `.invalid` if the answer breaks the contract.
  func apply(
    _ answer: ExchangeResponse, to request: ExchangeRequest, page: OutboxPage, at reading: Reading
  ) async throws(ReplicaError) -> AppliedAnswer

  /// Stores an event if the replica's cursor and head are where the event begins.
  ///
  /// - Returns: nil if they are elsewhere; then nothing is changed.
  func apply(_ event: WatchEvent, at now: WallTime) async throws(ReplicaError) -> AppliedAnswer?

  /// Restamps writes that were, or would be, refused for their stamps. Keeps the order within each
  /// record, and uses no time later than the server's clock where that order allows. Clears the
  /// refusals and demands a reconcile. For a device whose clock was ahead.
  func restamp(at now: WallTime) async throws(ReplicaError)

  /// The request for a new identity. Durable, and the same until an identity was taken, so a
  /// repeated request yields no second one.
  func renewal() async throws(ReplicaError) -> RenewRequest

  /// Takes a new identity, restamps all waiting writes, starts a new outbox log and demands a
  /// reconcile. For a replica that is a copy or was restored from one.
  ///
  /// - Parameter credential: The credential to replace.
  /// - Returns: Whether it did; false if another sync of this replica took a new identity in the
  ///   meantime.
  /// - Throws: `.invalid` if the answer cannot be used.
  func adopt(
    renewed identity: PairResponse, insteadOf credential: String?
  ) async throws(ReplicaError) -> Bool

  /// The pending demand to reconcile; nil if there is none. Each demand has a different number.
  func reconcileDemand() async throws(ReplicaError) -> UInt64?

  /// The keys and hashes of all records, ascending by key. O(records): each is hashed.
  func hashes() async throws(ReplicaError) -> [KeyRange.Item]

  /// Merges records from a comparison, and queues records that the server lacks or has differently.
  ///
  /// - Parameters:
  ///   - wanted: Keys of records to queue. Skips those that have a waiting write, and those whose
  ///     merged record equals the received one.
  ///   - head: The last known head at the time of the comparison. Nothing is stored if it has
  ///     changed.
  /// - Throws: `.invalid` if a record breaks the contract.
  func merge(
    records: [[UInt8]], offering wanted: [RecordKey], asKnowing head: Cursor?
  ) async throws(ReplicaError) -> AppliedAnswer

  /// Clears a demand after a full comparison, unless a newer demand has replaced it.
  func endReconcile(_ demand: UInt64) async throws(ReplicaError)

  /// Records the completion of a sync.
  func noteSync(at now: WallTime) async throws(ReplicaError)
}
