// SPDX-License-Identifier: Apache-2.0
// What the sync engine needs from outside: a store and a way to the server. Bring your own to run it elsewhere.

import Replication
import SyncProtocol

/// The way to the server. An answer is returned only if it arrived complete.
public protocol SyncTransport: Sendable {
  /// One round trip.
  ///
  /// - Throws: `SyncError`: `.unreachable` for what may pass by itself, anything else for what will not.
  func exchange(_ request: ExchangeRequest) async throws(SyncError) -> ExchangeResponse

  /// Opens a stream of what is committed from now on.
  ///
  /// - Parameter event: Called for each event, in order; the next one waits until it returned. It returns false to end the stream.
  /// - Throws: As `exchange`; returns when the server ended the stream or `event` returned false.
  func watch(
    _ request: WatchRequest, event: @Sendable (WatchEvent) async throws(SyncError) -> Bool
  ) async throws(SyncError)
}

/// A page of the outbox, as it goes into a request.
public struct OutboxPage: Hashable, Sendable {
  /// The entries' numbers, ascending. The bytes under a number never change.
  public var sequences: [Int64]
  /// Encoded `Offer`s, one for each number.
  public var offers: [[UInt8]]
  /// Whether these are entries that were refused before.
  public var isRetry: Bool

  /// A page.
  public init(sequences: [Int64] = [], offers: [[UInt8]] = [], isRetry: Bool = false) {
    self.sequences = sequences
    self.offers = offers
    self.isRetry = isRetry
  }
}

/// What storing an answer did.
public struct AppliedAnswer: Hashable, Sendable {
  /// Offers that left the outbox.
  public var acknowledged = 0
  /// Offers that stayed because the server refused them.
  public var refused = 0
  /// Whether one of them was refused for a stamp too far ahead of the server's clock.
  public var clockSkew = false
  /// Received records that did not change what was held.
  public var unchanged = 0
  /// Received records of the conflict journal.
  public var conflicts = 0
  /// Whether everything held was queued to be offered again.
  public var requeued = false

  /// Nothing.
  public init() {}
}

/// A local replica, as the sync engine sees it. Every method is one transaction: on return all of it is durable, on a
/// throw nothing was changed. Methods may be called from several tasks at once.
public protocol ReplicaStore: Sendable {
  /// Where the replica stands; nil before the first answer.
  func cursor() async throws(ReplicaError) -> Cursor?

  /// The oldest waiting writes numbered above `sequence`, at most `Page.records` and `Page.recordBytes` of them; empty at the end.
  ///
  /// - Parameter refused: Whether to read those the server refused before, or those it did not.
  func outboxPage(after sequence: Int64, refused: Bool) async throws(ReplicaError) -> OutboxPage

  /// The number of the youngest write the server refused; 0 if there is none.
  func lastRefused() async throws(ReplicaError) -> Int64

  /// Whether a write waits that the server did not refuse.
  func hasWaitingWrites() async throws(ReplicaError) -> Bool

  /// Stores an answer: merges its records, takes what it acknowledges out of the outbox, notes refusals, moves the cursor, and
  /// learns the time. If the server lost data, everything held is queued again.
  ///
  /// - Parameters:
  ///   - request: The cursor that the request carried.
  ///   - page: The offers that it carried.
  ///   - now: This device's clock when the answer came.
  /// - Throws: `.invalid` if the answer breaks the contract.
  func apply(
    _ answer: ExchangeResponse, request: Cursor?, page: OutboxPage, at now: WallTime
  ) async throws(ReplicaError) -> AppliedAnswer

  /// Stores an event if the replica stands where the event begins.
  ///
  /// - Returns: nil if it stands elsewhere; nothing is changed then.
  func apply(_ event: WatchEvent, at now: WallTime) async throws(ReplicaError) -> AppliedAnswer?

  /// Stamps every write the server has not acknowledged again, in the same order, none later than the server's clock where the
  /// order allows, and takes the refusals back. For a device whose clock was ahead.
  func restamp(at now: WallTime) async throws(ReplicaError)

  /// Notes that a sync came to its end.
  func noteSync(at now: WallTime) async throws(ReplicaError)
}
