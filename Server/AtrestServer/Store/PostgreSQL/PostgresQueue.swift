// SPDX-License-Identifier: Apache-2.0
// The storage queue of a daemon whose store is PostgreSQL.

import AtrestHTTP2
import AtrestPostgreSQL
import AtrestReplication
import AtrestSockets
import Logging
import Synchronization

/// The lanes of a daemon, on its shards, and what other daemons are told. Thread-safe.
package final class PostgresQueue: StorageQueue {
  package let counter = EventCounter()
  private let lanes: PostgresLanes<ShardSessions>
  /// Those of the lanes.
  let shards: [Shard]
  private let sessions: PostgresSessions
  private let exchange: NewsExchange
  private let registry: SessionRegistry
  private let logger: Logger
  /// Of the lanes' transactions, and of what is tried beside them.
  let writes = WriteWatch()
  private let now: @Sendable () -> Instant
  private let trial = Mutex<(task: Task<Void, Never>?, isOver: Bool)>((nil, false))

  /// Accounts whose notes are written before the end. What is beyond costs little: a time on a
  /// list is older, and something is pruned later.
  private static let lastNotes = 10_000

  /// How many sessions a daemon has, beside the two for news.
  package struct Lanes: Sendable {
    package var writers = 4
    package var readers = 2
    package var shards = 2

    package init() {}
  }

  /// - Parameter exchange: Tells other daemons, and hears them.
  init(
    _ lanes: Lanes, sessions: PostgresSessions, shards: [Shard], exchange: NewsExchange,
    registry: SessionRegistry, environment: Environment, logger: Logger
  ) {
    self.lanes = PostgresLanes(
      writers: lanes.writers, readers: lanes.readers, registry: registry,
      environment: environment, logger: logger, writes: writes,
      place: { index in
        let shard = shards[index % shards.count]
        return (shard, ShardSessions(sessions: sessions, shard: shard))
      }, announce: { exchange.tell($0) })
    now = environment.instant
    self.shards = shards
    self.sessions = sessions
    self.exchange = exchange
    self.registry = registry
    self.logger = logger
  }

  /// Whether the database could be reached when it was tried last.
  package var isReachable: Bool { sessions.isReachable }

  package func submit(_ job: any StorageJob) -> Bool { lanes.submit(job) }

  package func announce(_ news: [StoreNews]) { exchange.tell(news) }

  /// Commits a write of the server's own row, on a separate session, to see whether it is
  /// acknowledged; unless one is being tried.
  func tryWrite() {
    trial.withLock { trial in
      guard trial.task == nil, !trial.isOver else { return }
      trial.task = Task {
        await self.write()
        self.trial.withLock { $0.task = nil }
      }
    }
  }

  private func write() async {
    writes.begins(at: now())
    var isAcknowledged = false
    defer { writes.ended(isAcknowledged: isAcknowledged, at: now()) }
    guard let session = try? await sessions.open(on: shards[0]) else { return }
    try? await PostgresUnitOfWork.write(
      accounts: [.server], queries: StoreQueries(), on: session,
      onCommit: { isAcknowledged = true }, body: { _ throws(StoreError) in })
    await session.close()
  }

  /// Removes what is left of accounts that were removed. The files are PostgreSQL's: VACUUM frees
  /// the space, and overwrites it as it is used again.
  package func erase(_ done: @escaping @Sendable (Bool) -> Void) {
    let shard = shards[0]
    Task { [sessions, logger] in
      do throws(StoreError) {
        try await sessions.withSession(on: shard) { connection throws(PostgresError) in
          try await PostgresRemoval.goOn(on: connection)
        }
        done(true)
      } catch {
        logger.warning(
          "What is left of a removed account is removed by the next round of housekeeping.",
          metadata: ["error": "\(error.userMessage)"])
        done(false)
      }
    }
  }

  package func close() async {
    for account in registry.accountsWithNotes(limit: Self.lastNotes) {
      _ = submit(Operation(writingNotesOf: account))
    }
    let trial = trial.withLock { trial in
      trial.isOver = true
      return trial.task
    }
    await lanes.close()
    await trial?.value
    // After the last commit, which is told, too.
    await exchange.stop()
    for shard in shards { await shard.stop() }
  }
}

/// Opens the sessions of a lane on its shard.
private struct ShardSessions: DatabaseSessions {
  let sessions: PostgresSessions
  let shard: Shard

  func uses(
    _ session: PostgresConnection, isolation: isolated (any Actor)?
  ) async -> Bool {
    await session.isOpen
  }

  func open(
    isolation: isolated (any Actor)?
  ) async throws(StoreError) -> PostgresConnection {
    try await sessions.open(on: shard)
  }
}
