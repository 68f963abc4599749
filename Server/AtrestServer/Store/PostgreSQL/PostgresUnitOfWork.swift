// SPDX-License-Identifier: Apache-2.0
// Runs staged work in a transaction of PostgreSQL, in as few round trips as its reads allow.

import AtrestPostgreSQL
import AtrestReplication

/// Transactions of PostgreSQL around a `StagedTransaction`.
///
///                               ┌─ lacks rows: load them, one trip ─┐
///                               ▼                                   │
///     ── BEGIN, lock, load ──▶ run ── complete ──▶ write, COMMIT ──▶ done
///           ▲  one trip         │                     one trip
///           │                   └─ lacks locks: roll back, lock these as well
///           └───────────────────── conflict: again, on what is there by then
///
/// Statements after the lock see what was committed before it was granted: READ COMMITTED is
/// isolation enough, because whoever writes to an account holds its lock.
enum PostgresUnitOfWork {
  /// Attempts that others' transactions may thwart, before the caller is told to come back later.
  static let attempts = 8
  /// Trips that load. Work that goes over a whole feed makes one for each chunk.
  static let trips = 1000

  /// Runs work that may write, and commits.
  ///
  /// - Parameters:
  ///   - accounts: Those that the work is known to touch. Others are locked when it turns out.
  ///   - queries: What it is known to read.
  ///   - clock: See `FeedState.clock`.
  ///   - body: A function of what it reads: it may run several times, each on a new transaction.
  /// - Returns: What `body` returned in the run that was committed.
  /// - Throws: What `body` throws in a run that lacks nothing; nothing happened then. Or
  ///   `StoreError`: after `outcomeUnknown` it may have happened, after others not. `unavailable`
  ///   may be repeated on another connection, `busy` on this one, with less work.
  /// - Complexity: Two trips if `accounts` and `queries` have all; a trip more for each round of
  ///   reads that depend on others.
  static func write<R>(
    accounts: Set<AccountID>, queries: StoreQueries, clock: WallTime,
    on connection: PostgresConnection, isolation: isolated (any Actor)? = #isolation,
    body: (StagedTransaction) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    var plan = Plan(locked: accounts, queries: queries)
    return try await repeating {
      () async throws(Failure) -> R in
      let (result, transaction, staging) = try await run(&plan, on: connection, body)
      let locked = plan.locked ?? []
      let writes = PostgresWrites.statements(staging.changes, touching: locked, clock: clock)
      guard !writes.isEmpty else {
        await transaction.rollBack()
        return result
      }
      do throws(PostgresError) {
        _ = try await transaction.commit(writes)
      } catch {
        throw .database(error)
      }
      return result
    }
  }

  /// Runs work that only reads, on a snapshot: all that was committed before, nothing later.
  ///
  /// - Parameters: See `write`. No account is locked.
  /// - Throws: See `write`; `failed` if the work writes.
  /// - Complexity: One trip if `queries` has all.
  static func read<R>(
    queries: StoreQueries, on connection: PostgresConnection,
    isolation: isolated (any Actor)? = #isolation,
    body: (StagedTransaction) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    var plan = Plan(locked: nil, queries: queries)
    return try await repeating {
      () async throws(Failure) -> R in
      let (result, transaction, staging) = try await run(&plan, on: connection, body)
      await transaction.rollBack()
      guard staging.changes.isEmpty else {
        throw .store(.failed(reason: "a write in a transaction that reads"))
      }
      return result
    }
  }

  // MARK: Rounds

  /// What a transaction needs, as far as that is known.
  private struct Plan {
    /// Nil: a snapshot.
    var locked: Set<AccountID>?
    var queries: StoreQueries
    var trips = 0

    /// Whether the server's own row has to be written, which is always there.
    ///
    /// An acknowledgement commits a write of its own. If it says that something is gone, its
    /// account may be gone with it, by a commit whose wait for a standby was cut short.
    func lacksWrite(_ staging: Staging, found: Set<AccountID>) -> Bool {
      guard let locked, !locked.contains(.server) else { return false }
      return locked.contains { !found.contains($0) && staging.changes.addedAccounts[$0] == nil }
    }

    mutating func countTrip() throws(Failure) {
      trips += 1
      guard trips <= PostgresUnitOfWork.trips else {
        throw .store(.failed(reason: "a transaction needs too many round trips"))
      }
    }
  }

  private enum Failure: Error {
    case database(PostgresError)
    /// The body's own, or wrong rows.
    case store(StoreError)
  }

  /// Repeats what failed because of another transaction.
  private static func repeating<R>(
    isolation: isolated (any Actor)? = #isolation,
    _ attempt: () async throws(Failure) -> R
  ) async throws(StoreError) -> R {
    var count = 0
    while true {
      do throws(Failure) {
        return try await attempt()
      } catch {
        switch error {
        case .store(let error): throw error
        case .database(let error):
          count += 1
          guard error.meaning == .conflict, count < attempts else { throw StoreError(error) }
        }
      }
    }
  }

  /// Runs the body until it lacks nothing. The transaction is open then.
  private static func run<R>(
    _ plan: inout Plan, on connection: PostgresConnection,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (StagedTransaction) throws(StoreError) -> R
  ) async throws(Failure) -> (result: R, transaction: PostgresTransaction, staging: Staging) {
    while true {
      var (transaction, found, reads) = try await begin(&plan, on: connection)
      var isLocked = true
      while isLocked {
        let staged = StagedTransaction(reads, locked: plan.locked)
        let outcome = Result { () throws(StoreError) in try body(staged) }
        let staging = staged.staging
        if staging.isComplete, plan.lacksWrite(staging, found: found) {
          await transaction.rollBack()
          plan.locked?.insert(.server)
          break
        }
        if staging.isComplete {
          do throws(StoreError) {
            return (try outcome.get(), transaction, staging)
          } catch {
            await transaction.rollBack()
            throw .store(error)
          }
        }
        plan.queries.formUnion(staging.missing)
        if staging.missingLocks.isEmpty {
          try await load(staging.missing, &plan, in: transaction, into: &reads)
        } else {
          // Not one more lock in this transaction: only one statement takes them in order.
          await transaction.rollBack()
          plan.locked?.formUnion(staging.missingLocks)
          isLocked = false
        }
      }
    }
  }

  private static func begin(
    _ plan: inout Plan, on connection: PostgresConnection,
    isolation: isolated (any Actor)? = #isolation
  ) async throws(Failure) -> (PostgresTransaction, found: Set<AccountID>, StagedReads) {
    try plan.countTrip()
    var opening: [PostgresStatement] = []
    if let locked = plan.locked, !locked.isEmpty {
      opening.append(PostgresLocks.statement(for: Array(locked)))
    }
    let locks = opening.count
    let load = PostgresLoad(plan.queries)
    opening += load.statements
    let (transaction, results): (PostgresTransaction, [PostgresResult])
    do throws(PostgresError) {
      (transaction, results) = try await PostgresTransaction.begin(
        opening, plan.locked == nil ? .repeatableRead : .readCommitted, on: connection)
    } catch {
      throw .database(error)
    }
    let found = Set(
      results.prefix(locks).flatMap(\.rows).compactMap { $0.first?.int8.map(AccountID.init) })
    var reads = StagedReads()
    try await read(results.dropFirst(locks), load, in: transaction, into: &reads)
    return (transaction, found, reads)
  }

  private static func load(
    _ queries: StoreQueries, _ plan: inout Plan, in transaction: PostgresTransaction,
    into reads: inout StagedReads, isolation: isolated (any Actor)? = #isolation
  ) async throws(Failure) {
    do throws(Failure) { try plan.countTrip() } catch {
      await transaction.rollBack()
      throw error
    }
    let load = PostgresLoad(queries)
    let results: [PostgresResult]
    do throws(PostgresError) {
      results = try await transaction.run(load.statements)
    } catch {
      throw .database(error)
    }
    try await read(results[...], load, in: transaction, into: &reads)
  }

  private static func read(
    _ results: ArraySlice<PostgresResult>, _ load: PostgresLoad,
    in transaction: PostgresTransaction, into reads: inout StagedReads,
    isolation: isolated (any Actor)? = #isolation
  ) async throws(Failure) {
    do throws(StoreError) { try load.read(results, into: &reads) } catch {
      await transaction.rollBack()
      throw .store(error)
    }
  }
}
