// SPDX-License-Identifier: Apache-2.0
// A session with the shared database, as a server's lane has it and as the database does.

import AtrestHTTP2
import AtrestPostgreSQL
import AtrestReplication
import AtrestServer

/// One session. Its two ends may think differently of it.
final class SharedSession: DatabaseSession, @unchecked Sendable {
  // Sendable: a simulation has one thread.

  /// What the database does for the session.
  enum Backend {
    case idle
    case inTransaction
    /// Its commit is in the log, waits for the standby, and is not visible.
    case waitsForStandby(SharedDatabase.Commit)
    case ended
  }

  let database: SharedDatabase
  /// Which server's it is.
  let node: Int
  /// Whether the server's end is open.
  var isOpen = true
  var backend = Backend.idle
  var locked: Set<AccountID> = []
  var held: [SharedLock] = []
  var waitsFor: SharedLock?
  var snapshot: SharedTables?
  /// A rollback is on its way. What is sent after it arrives after it.
  var mustRollBack = false
  /// Ends the trip that is under way, because the session is lost.
  var lose: (() -> Void)?
  /// Conflicts in a row: nobody is so unlucky for ever.
  var conflicts = 0

  init(_ database: SharedDatabase, node: Int) {
    self.database = database
    self.node = node
  }

  func begin(
    locking accounts: Set<AccountID>?, loading queries: StoreQueries,
    into reads: inout StagedReads, isolation: isolated (any Actor)?
  ) async throws(DatabaseFailure) -> SharedTransaction {
    reads = try await answer { [known = reads] in
      self.database.begin(self, accounts, queries, known, $0)
    }
    return SharedTransaction(session: self)
  }

  func end(isolation: isolated (any Actor)?) async { database.lose(self) }

  /// Waits for the answer of a trip.
  fileprivate func answer<Value>(
    isolation: isolated (any Actor)? = #isolation,
    _ begin: @escaping (@escaping (Result<Value, PostgresError>) -> Void) -> Void
  ) async throws(DatabaseFailure) -> Value {
    let result = await database.scheduler.answer(begin)
    do throws(PostgresError) { return try result.get() } catch { throw .database(error) }
  }
}

/// The open transaction of a session.
struct SharedTransaction: DatabaseTransaction {
  let session: SharedSession

  func load(
    _ queries: StoreQueries, into reads: inout StagedReads, isolation: isolated (any Actor)?
  ) async throws(DatabaseFailure) {
    reads = try await session.answer { [known = reads] in
      session.database.load(session, queries, known, $0)
    }
  }

  func commit(
    _ changes: StagedChanges, touching accounts: Set<AccountID>,
    isolation: isolated (any Actor)?
  ) async throws(DatabaseFailure) {
    try await session.answer {
      session.database.commit(session, changes, touching: accounts, $0)
    }
  }

  func cancel(isolation: isolated (any Actor)?) async { session.database.rollBack(session) }
}

extension Scheduler {
  /// Waits for a completion, on this thread: a task of an actor would go on anywhere first.
  func answer<Value>(
    isolation: isolated (any Actor)? = #isolation,
    _ begin: @escaping (@escaping (Value) -> Void) -> Void
  ) async -> Value {
    nonisolated(unsafe) let begin = begin
    let box = await withTaskExecutorPreference(self) {
      await withUnsafeContinuation { (waiting: UnsafeContinuation<Sent<Value>, Never>) in
        begin { waiting.resume(returning: Sent(value: $0)) }
      }
    }
    return box.value
  }

  private struct Sent<Value>: @unchecked Sendable {
    // Sendable: a simulation has one thread.
    let value: Value
  }
}

/// The simulation's only thread, as lanes run on it.
final class SimulatedShard: LaneExecutor, @unchecked Sendable {
  // Sendable: a simulation has one thread.
  private let scheduler: Scheduler

  init(_ scheduler: Scheduler) { self.scheduler = scheduler }

  func enqueue(_ job: consuming ExecutorJob) { scheduler.enqueue(UnownedJob(job), of: self) }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  func checkIsolated() {}

  func isIsolatingCurrentContext() -> Bool? { true }

  func async(_ work: @escaping @Sendable () -> Void) { scheduler.after(0) { work() } }
}
