// SPDX-License-Identifier: Apache-2.0
// What a unit of work needs of a session with PostgreSQL: libpq's, or the simulator's model of one.

import AtrestPostgreSQL
import AtrestReplication

/// Opens a lane's sessions.
package protocol DatabaseSessions: Sendable {
  associatedtype Session: DatabaseSession

  /// Whether a session is open. One that is not with the server of the newest session is closed.
  func uses(_ session: Session, isolation: isolated (any Actor)?) async -> Bool

  /// - Throws: `StoreError.unavailable`.
  func open(isolation: isolated (any Actor)?) async throws(StoreError) -> Session
}

/// A session, in which one transaction follows the other.
package protocol DatabaseSession: Sendable {
  associatedtype Transaction: DatabaseTransaction

  /// Begins a transaction, in one trip: locks accounts in ascending order, then reads.
  ///
  /// - Parameters:
  ///   - accounts: Waits until nobody else has locked them. What is read is committed, and for the
  ///     accounts it stays so until the transaction ends. Nil: all reads of the transaction see one
  ///     snapshot, and nothing is locked.
  /// - Throws: Nothing has happened then.
  func begin(
    locking accounts: Set<AccountID>?, loading queries: StoreQueries,
    into reads: inout StagedReads, isolation: isolated (any Actor)?
  ) async throws(DatabaseFailure) -> Transaction

  func end(isolation: isolated (any Actor)?) async
}

/// An open transaction. After an error it has ended.
package protocol DatabaseTransaction {
  /// Reads more, in one trip.
  ///
  /// - Throws: The transaction did not happen.
  func load(
    _ queries: StoreQueries, into reads: inout StagedReads, isolation: isolated (any Actor)?
  ) async throws(DatabaseFailure)

  /// Writes and commits, in one trip.
  ///
  /// - Parameters: See `PostgresWrites.statements`.
  /// - Throws: Only if the meaning is `unknown` can the transaction have happened.
  func commit(
    _ changes: StagedChanges, touching accounts: Set<AccountID>,
    isolation: isolated (any Actor)?
  ) async throws(DatabaseFailure)

  /// Ends the transaction; it did not happen.
  func cancel(isolation: isolated (any Actor)?) async
}

/// Why a step of a transaction failed.
package enum DatabaseFailure: Error {
  case database(PostgresError)
  /// Wrong rows, or the work's own error.
  case store(StoreError)
}

// MARK: - libpq

extension PostgresConnection: DatabaseSession {
  package func begin(
    locking accounts: Set<AccountID>?, loading queries: StoreQueries,
    into reads: inout StagedReads, isolation: isolated (any Actor)?
  ) async throws(DatabaseFailure) -> PostgresTransaction {
    var opening: [PostgresStatement] = []
    if let accounts, !accounts.isEmpty {
      opening.append(PostgresLocks.statement(for: Array(accounts)))
    }
    let locks = opening.count
    let load = PostgresLoad(queries)
    opening += load.statements
    let (transaction, results): (PostgresTransaction, [PostgresResult])
    do throws(PostgresError) {
      (transaction, results) = try await PostgresTransaction.begin(
        opening, accounts == nil ? .repeatableRead : .readCommitted, on: self)
    } catch {
      throw .database(error)
    }
    do throws(StoreError) {
      let rows = results.prefix(locks).flatMap(\.rows)
      try PostgresLoad.presences(of: accounts ?? [], rows, into: &reads)
    } catch {
      await transaction.rollBack()
      throw .store(error)
    }
    try await transaction.read(
      results.dropFirst(locks), of: load, into: &reads, isolation: isolation)
    return transaction
  }

  package func end(isolation: isolated (any Actor)?) async { await close() }
}

extension PostgresTransaction: DatabaseTransaction {
  package func load(
    _ queries: StoreQueries, into reads: inout StagedReads, isolation: isolated (any Actor)?
  ) async throws(DatabaseFailure) {
    let load = PostgresLoad(queries)
    let results: [PostgresResult]
    do throws(PostgresError) {
      results = try await run(load.statements)
    } catch {
      throw .database(error)
    }
    try await read(results[...], of: load, into: &reads, isolation: isolation)
  }

  package func commit(
    _ changes: StagedChanges, touching accounts: Set<AccountID>,
    isolation: isolated (any Actor)?
  ) async throws(DatabaseFailure) {
    let writes = PostgresWrites.statements(changes, touching: accounts)
    do throws(PostgresError) {
      _ = try await commit(writes)
    } catch {
      throw .database(error)
    }
  }

  package func cancel(isolation: isolated (any Actor)?) async { await rollBack() }

  fileprivate func read(
    _ results: ArraySlice<PostgresResult>, of load: PostgresLoad, into reads: inout StagedReads,
    isolation: isolated (any Actor)?
  ) async throws(DatabaseFailure) {
    do throws(StoreError) { try load.read(results, into: &reads) } catch {
      await rollBack()
      throw .store(error)
    }
  }
}
