// SPDX-License-Identifier: Apache-2.0
// The storage queue of a daemon whose store is PostgreSQL.

import AtrestPostgreSQL
import AtrestReplication
import AtrestSockets
import Logging

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
  /// Of the lanes' transactions.
  let writes = WriteWatch()

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

  /// Commits a write of the server's own row, to see whether it is acknowledged.
  func tryWrite() {
    _ = submit(
      Operation(by: .server, use: .clears) { _ throws(StoreError) in
      } completion: { _, _ in
      })
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
    await lanes.close()
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
