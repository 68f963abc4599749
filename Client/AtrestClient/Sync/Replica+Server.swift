// SPDX-License-Identifier: Apache-2.0
// A replica's talks with its server: syncing, comparing, watching; and the ground on which the
// other talks stand.

import AtrestProtocol
import AtrestReplication
import Foundation

extension Replica {
  /// Pushes what waits and pulls what is new.
  ///
  /// - Parameters:
  ///   - allowingMassDeletion: The person wants most of what there is deleted. Without it such
  ///     deletions wait, and the rest is exchanged.
  ///   - progress: Called after each round trip, with the sums so far.
  /// - Throws: `SyncError`; `.massDeletion` after everything else was exchanged.
  @discardableResult
  public func sync(
    allowingMassDeletion: Bool = false,
    progress: @escaping @Sendable (SyncReport) -> Void = { _ in }
  ) async throws(SyncError) -> SyncReport {
    try await withServer { replica, _, transport throws(SyncError) in
      try await SyncEngine(store: replica, transport: transport, clock: clock).sync(
        allowingMassDeletion: allowingMassDeletion, progress: progress)
    }
  }

  /// Compares everything held with the server, and changes nothing on either side.
  ///
  /// What waits to be pushed, and what other devices wrote since the last sync, is counted apart.
  public func compare() async throws(SyncError) -> Differences {
    let waiting = try await local { replica throws(ReplicaError) in
      Set(try replica.pending().map(\.key))
    }
    return try await withServer { replica, _, transport throws(SyncError) in
      try await SyncEngine(store: replica, transport: transport, clock: clock).differences(
        waiting: waiting)
    }
  }

  /// Syncs, compares everything held with the server, and makes both alike. Deletions that wait for
  /// a person's word go on waiting.
  @discardableResult
  public func repair() async throws(SyncError) -> SyncReport {
    try await local { replica throws(ReplicaError) in
      try replica.write { $0.demandReconcile(afterLoss: false) }
    }
    return try await withServer { replica, _, transport throws(SyncError) in
      try await SyncEngine(store: replica, transport: transport, clock: clock).runCycle()
    }
  }

  /// Stays in sync until the task is cancelled, or something lasting goes wrong. Reconnects by
  /// itself.
  ///
  /// - Parameter news: Called after each sync and each stored event, with what it did; and with an
  ///   error when the connection was lost, which is then waited out.
  public func watch(
    news: @escaping @Sendable (SyncReport, SyncError?) -> Void
  ) async throws(SyncError) {
    try await withServer { replica, _, transport throws(SyncError) in
      try await SyncEngine(store: replica, transport: transport, clock: clock).watch(news: news)
    }
  }

  func withServer<Value: Sendable>(
    _ body: (_ bound: Replica, _ server: String, GRPCSyncTransport) async throws(SyncError) ->
      Value
  ) async throws(SyncError) -> Value {
    let state = try await local { replica throws(ReplicaError) in
      try replica.read { ($0.state.pairing, $0.state.token) }
    }
    guard let pairing = state.0, let token = state.1 else { throw .notPaired }
    let replica = bound(to: pairing)
    return try await withTransport(server: pairing.server, token: token) {
      transport throws(SyncError) in
      try await body(replica, pairing.server, transport)
    }
  }

  func withTransport<Value: Sendable>(
    server: String, token: String?,
    _ body: (GRPCSyncTransport) async throws(SyncError) -> Value
  ) async throws(SyncError) -> Value {
    let address: ServerAddress
    do { address = try ServerAddress(parsing: server) } catch {
      throw .unreachable(error.userMessage)
    }
    let transport = try GRPCSyncTransport(server: address, token: token)
    do {
      let value = try await body(transport)
      await transport.close()
      return value
    } catch {
      await transport.close()
      throw error
    }
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

extension Replica {
  /// See `ReplicaStore`.
  public func renewal() async throws(ReplicaError) -> RenewRequest {
    try await writing { transaction in
      if let nonce = transaction.state.renewal { return RenewRequest(nonce: nonce) }
      let nonce = transaction.longNonce()
      transaction.state.renewal = nonce
      return RenewRequest(nonce: nonce)
    }
  }

  /// See `ReplicaStore`.
  public func adopt(
    renewed identity: PairResponse, insteadOf credential: String?
  ) async throws(ReplicaError) -> Bool {
    try await writing { transaction in
      guard transaction.state.token == credential else { return false }
      transaction.state.serverOffset.learn(
        identity.serverTime, now: transaction.now)
      // The times stay: what waits may be on the server under the old identity, and what somebody
      // wrote after seeing it must win.
      try transaction.restamp(as: identity.replica)
      try transaction.restartLog()
      transaction.state.renewal = nil
      // Its positions are as good as before. What it holds may not be: a copy shares stamps with
      // what it was copied from.
      transaction.demandReconcile(afterLoss: false)
      try transaction.take(identity)
      return true
    }
  }
}

extension ReplicaTransaction {
  /// Becomes what the server says.
  func take(_ identity: PairResponse) throws(ReplicaError) {
    // It travels in every call, as printable text without spaces.
    guard !identity.token.isEmpty,
      identity.token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw .invalid("the token is not text that can be sent") }
    state.replica = identity.replica
    state.account = shown(identity.accountName)
    state.token = identity.token
  }

  func requireUnpaired() throws(ReplicaError) {
    if let account = state.account { throw .alreadyPaired(account: account) }
  }
}
