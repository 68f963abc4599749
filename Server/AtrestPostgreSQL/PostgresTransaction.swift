// SPDX-License-Identifier: Apache-2.0
// A transaction of as few round trips as what it reads and writes allows.

import Synchronization

/// A transaction that is open on a connection.
///
///     ── begin: BEGIN, lock, load ──▶ open ── commit: writes, COMMIT ──▶ happened, unknown, or not
///                one trip              │             one trip
///                                      └─ rollback, an error, or the last reference ──▶ not
///
/// The connection holds other batches back while it is open, and rolls it back after any error.
/// Nobody's lock outlives its holder: a transaction that is forgotten is rolled back, and the
/// session's `idleTimeout` ends one whose daemon has vanished.
package final class PostgresTransaction: Sendable {
  /// How far a transaction is kept from others. PostgreSQL's words.
  package enum Isolation: String, Sendable {
    case readCommitted = "READ COMMITTED"
    case repeatableRead = "REPEATABLE READ"
    case serializable = "SERIALIZABLE"
  }

  private let connection: PostgresConnection
  private let id: PostgresPipeline.ID
  private let state = Mutex(State.open)

  private enum State {
    case open
    /// It did not happen.
    case failed(PostgresError)
    /// By its owner.
    case ended
  }

  private init(on connection: PostgresConnection, id: PostgresPipeline.ID) {
    self.connection = connection
    self.id = id
  }

  deinit {
    guard case .open = state.withLock({ $0 }) else { return }
    let (connection, id) = (connection, id)
    connection.shard.async { connection.assumeIsolated { $0.abandon(id) } }
  }

  /// Begins a transaction, with its first statements in the same trip. Waits until other
  /// transactions of the connection have ended.
  /// - Parameters:
  ///   - opening: Usually locks and loads.
  ///   - deadline: For this trip; nil for the connection's.
  /// - Returns: The open transaction, and a result for each statement of `opening`.
  /// - Throws: `PostgresError`. Nothing has happened then.
  package static func begin(
    _ opening: [PostgresStatement], _ isolation: Isolation = .readCommitted,
    on connection: PostgresConnection, within deadline: Duration? = nil
  ) async throws(PostgresError) -> (transaction: PostgresTransaction, results: [PostgresResult]) {
    // Not READ WRITE: whoever fenced the server with `default_transaction_read_only` is heard.
    let begin = PostgresStatement("BEGIN ISOLATION LEVEL \(isolation.rawValue)")
    let (id, results) = try await connection.begin(begin, opening, within: deadline)
    return (PostgresTransaction(on: connection, id: id), results)
  }

  /// One more trip. The transaction stays open. Trips may overlap.
  /// - Throws: `PostgresError`. The transaction has ended then, and did not happen: later calls
  ///   throw the same.
  package func run(
    _ statements: [PostgresStatement], within deadline: Duration? = nil
  ) async throws(PostgresError) -> [PostgresResult] {
    try check()
    let batch = PostgresBatch(statements, changes: false)
    do {
      return try await connection.submit(batch, role: .continues(id), within: deadline).results
    } catch {
      state.withLock { if case .open = $0 { $0 = .failed(error) } }
      throw error
    }
  }

  /// Writes and commits, in one trip. On return all of it is durable, as far as the
  /// `synchronous_commit` promises with which the session was opened.
  /// - Returns: A result for each statement of `writes`.
  /// - Throws: `PostgresError`. Only if its meaning is `unknown` can the transaction have happened.
  package func commit(
    _ writes: [PostgresStatement], within deadline: Duration? = nil
  ) async throws(PostgresError) -> [PostgresResult] {
    try check()
    state.withLock { $0 = .ended }
    let batch = PostgresBatch(statements: writes + [.commit], mayCommit: true)
    let answer = try await connection.submit(batch, role: .ends(id), within: deadline)
    return answer.results.dropLast()
  }

  /// Ends the transaction; it did not happen. Does not wait for the server.
  package func rollBack() async {
    let isOpen = state.withLock { state in
      defer { state = .ended }
      switch state {
      case .open: return true
      case .failed: return false
      case .ended: preconditionFailure("a transaction that has ended")
      }
    }
    if isOpen { await connection.abandon(id) }
  }

  private func check() throws(PostgresError) {
    switch state.withLock({ $0 }) {
    case .open: break
    case .failed(let error): throw error
    case .ended: preconditionFailure("a transaction that has ended")
    }
  }
}
