// SPDX-License-Identifier: Apache-2.0
// Runs staged work in a transaction of PostgreSQL, in as few round trips as its reads allow.

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
  ///   - onCommit: Called when the transaction was committed. Work that locked nothing and wrote
  ///     nothing commits nothing.
  ///   - body: A function of what it reads: it may run several times, each on a new transaction.
  /// - Returns: What `body` returned in the run that was committed.
  /// - Throws: What `body` throws in a run that lacks nothing; nothing happened then. Or
  ///   `StoreError`: after `outcomeUnknown` it may have happened, after others not. `unavailable`
  ///   may be repeated on another connection, `busy` on this one, with less work.
  /// - Complexity: Two trips if `accounts` and `queries` have all; a trip more for each round of
  ///   reads that depend on others.
  static func write<R>(
    accounts: Set<AccountID>, queries: StoreQueries,
    on session: some DatabaseSession, isolation: isolated (any Actor)? = #isolation,
    onCommit: () -> Void = {}, body: (StagedTransaction) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    var plan = Plan(locked: accounts, queries: queries)
    return try await repeating {
      () async throws(DatabaseFailure) -> R in
      let (result, transaction, staging) = try await run(&plan, on: session, body)
      // A frozen account stays as it is.
      let locked = (plan.locked ?? []).subtracting(staging.moving)
      guard !locked.isEmpty || !staging.changes.isEmpty else {
        await transaction.cancel(isolation: isolation)
        return result
      }
      try await transaction.commit(
        staging.changes, touching: locked, isolation: isolation)
      onCommit()
      return result
    }
  }

  /// Runs work that only reads, on a snapshot: all that was committed before, nothing later.
  ///
  /// - Parameters: See `write`. No account is locked.
  /// - Throws: See `write`; `failed` if the work writes.
  /// - Complexity: One trip if `queries` has all.
  static func read<R>(
    queries: StoreQueries, on session: some DatabaseSession,
    isolation: isolated (any Actor)? = #isolation,
    body: (StagedTransaction) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    var plan = Plan(locked: nil, queries: queries)
    return try await repeating {
      () async throws(DatabaseFailure) -> R in
      let (result, transaction, staging) = try await run(&plan, on: session, body)
      await transaction.cancel(isolation: isolation)
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
    func lacksWrite(_ staging: Staging) -> Bool {
      guard let locked, !locked.contains(.server) else { return false }
      return locked.contains {
        staging.reads.presences[$0] == .absent && staging.changes.addedAccounts[$0] == nil
      }
    }

    mutating func countTrip() throws(DatabaseFailure) {
      trips += 1
      guard trips <= PostgresUnitOfWork.trips else {
        throw .store(.failed(reason: "a transaction needs too many round trips"))
      }
    }
  }

  /// Repeats what failed because of another transaction.
  private static func repeating<R>(
    isolation: isolated (any Actor)? = #isolation,
    _ attempt: () async throws(DatabaseFailure) -> R
  ) async throws(StoreError) -> R {
    var count = 0
    while true {
      do throws(DatabaseFailure) {
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
  private static func run<R, Session: DatabaseSession>(
    _ plan: inout Plan, on session: Session, isolation: isolated (any Actor)? = #isolation,
    _ body: (StagedTransaction) throws(StoreError) -> R
  ) async throws(DatabaseFailure) -> (
    result: R, transaction: Session.Transaction, staging: Staging
  ) {
    while true {
      try plan.countTrip()
      var reads = StagedReads()
      let transaction = try await session.begin(
        locking: plan.locked, loading: plan.queries, into: &reads, isolation: isolation)
      var isLocked = true
      while isLocked {
        let staged = StagedTransaction(reads, locked: plan.locked)
        let outcome = Result { () throws(StoreError) in try body(staged) }
        let staging = staged.staging
        if staging.isComplete, plan.lacksWrite(staging) {
          await transaction.cancel(isolation: isolation)
          plan.locked?.insert(.server)
          break
        }
        if staging.isComplete {
          do throws(StoreError) {
            return (try outcome.get(), transaction, staging)
          } catch {
            await transaction.cancel(isolation: isolation)
            throw .store(error)
          }
        }
        plan.queries.formUnion(staging.missing)
        if staging.missingLocks.isEmpty {
          do throws(DatabaseFailure) { try plan.countTrip() } catch {
            await transaction.cancel(isolation: isolation)
            throw error
          }
          try await transaction.load(staging.missing, into: &reads, isolation: isolation)
        } else {
          // Not one more lock in this transaction: only one statement takes them in order.
          await transaction.cancel(isolation: isolation)
          plan.locked?.formUnion(staging.missingLocks)
          isLocked = false
        }
      }
    }
  }
}
