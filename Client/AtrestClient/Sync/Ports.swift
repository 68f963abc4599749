// SPDX-License-Identifier: Apache-2.0
// The sync engine's ports: a store and a transport.

import AtrestSync
import AtrestWire

/// The connection to the server. An answer is returned only if it arrived complete.
package protocol SyncTransport: Sendable {
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
    _ request: WatchRequest, event: @Sendable (WatchResponse) async throws(SyncError) -> Bool
  ) async throws(SyncError)
}

/// A local replica as the sync engine sees it. May be called from several tasks at once.
package protocol ReplicaStore: Sendable {
  /// Runs one transaction.
  ///
  /// - Throws: `ReplicaError` if the store fails, and what the request says.
  func perform(_ request: StoreRequest) async throws(ReplicaError) -> StoreReply
}
