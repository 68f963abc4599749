// SPDX-License-Identifier: Apache-2.0
// A replica's calls to its server: sync, compare, watch, and the scaffolding for the others.

import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation

extension Replica {
  /// Pushes waiting writes and pulls new records.
  ///
  /// - Parameters:
  ///   - allowingMassDeletion: Whether the person confirmed that most records be deleted. Without
  ///     it such deletions are held, and everything else is exchanged.
  ///   - progress: Called after each round trip with the totals so far.
  /// - Throws: `SyncError`; `.massDeletion` after everything else was exchanged.
  @discardableResult
  public func sync(
    allowingMassDeletion: Bool = false,
    progress: @escaping @Sendable (SyncReport) -> Void = { _ in }
  ) async throws(SyncError) -> SyncReport {
    try await showing { show throws(SyncError) in
      try await withServer { replica, _, transport throws(SyncError) in
        try await SyncEngine(store: replica, transport: transport, clock: clock).sync(
          allowingMassDeletion: allowingMassDeletion
        ) {
          show($0)
          progress($0)
        }
      }
    }
  }

  /// Compares all records with the server and changes nothing on either side.
  ///
  /// Waiting writes, and records that other devices wrote since the last sync, are counted
  /// separately.
  /// - Throws: `SyncError`.
  public func compare() async throws(SyncError) -> Differences {
    let waiting = try await local { replica throws(ReplicaError) in
      Set(try replica.pending().map(\.key))
    }
    return try await withServer { replica, _, transport throws(SyncError) in
      try await SyncEngine(store: replica, transport: transport, clock: clock).differences(
        waiting: waiting)
    }
  }

  /// Syncs, compares all records with the server, and repairs every difference. Held deletions stay
  /// held.
  ///
  /// - Throws: `SyncError`.
  @discardableResult
  public func repair() async throws(SyncError) -> SyncReport {
    try await local { replica throws(ReplicaError) in
      try replica.write { $0.work.demandReconcile(afterLoss: false) }
    }
    return try await showing { show throws(SyncError) in
      try await withServer { replica, _, transport throws(SyncError) in
        try await SyncEngine(store: replica, transport: transport, clock: clock).runCycle(
          show)
      }
    }
  }

  /// Keeps the replica in sync until the task is cancelled or a permanent error occurs. Reconnects
  /// by itself.
  ///
  /// - Parameter news: Called after each sync and each stored event with its report, and with an
  ///   error when the connection is lost. A lost connection is retried.
  /// - Throws: `SyncError`; never a transient one.
  public func watch(
    news: @escaping @Sendable (SyncReport, SyncError?) -> Void
  ) async throws(SyncError) {
    let states = observation.syncState
    do {
      try await withServer { replica, _, transport throws(SyncError) in
        try await SyncEngine(store: replica, transport: transport, clock: clock).watch(
          news: news
        ) { states.send($0) }
      }
    } catch {
      states.send(.failed(error))
      throw error
    }
  }

  /// Closes the connection to the server, which is kept between calls. The next call opens another.
  /// Releasing the replica, or a minute without a call, closes it too.
  public func disconnect() async { await connection.close() }

  func withServer<Value: Sendable>(
    _ body: (_ bound: Replica, _ server: String, ServerClient) async throws(SyncError) -> Value
  ) async throws(SyncError) -> Value {
    let state = try await local { replica throws(ReplicaError) in
      try replica.read { ($0.state.pairing, $0.state.token) }
    }
    guard let pairing = state.0, let token = state.1 else { throw .notPaired }
    let bound = bound(to: pairing)
    do {
      return try await body(bound, pairing.server, client(of: pairing.server, token: token))
    } catch {
      if error.code == .accessEnded { await noteEndOfAccess(in: bound) }
      throw error
    }
  }

  /// Has `status` say it later. Where that cannot be written, the error of the call says it once.
  private func noteEndOfAccess(in bound: Replica) async {
    do {
      try await offload { () throws(ReplicaError) in
        try bound.write { $0.state.hasAccessEnded = true }
      }
    } catch {}
  }

  /// A client that shares the replica's connection.
  func client(of server: String, token: String?) throws(SyncError) -> ServerClient {
    let address: ServerAddress
    do { address = try ServerAddress(parsing: server) } catch {
      throw .unreachable(error.userMessage)
    }
    return try ServerClient(server: address, token: token, connection: connection)
  }

  func local<Value: Sendable>(
    _ body: @escaping @Sendable (Replica) throws(ReplicaError) -> Value
  ) async throws(SyncError) -> Value {
    do {
      return try await offload { () throws(ReplicaError) in try body(self) }
    } catch {
      throw .replica(error)
    }
  }
}
