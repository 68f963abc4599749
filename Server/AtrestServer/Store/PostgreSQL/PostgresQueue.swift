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
  private let shards: [Shard]
  private let sessions: PostgresSessions
  private let exchange: NewsExchange

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
      environment: environment, logger: logger,
      place: { index in
        let shard = shards[index % shards.count]
        return (shard, ShardSessions(sessions: sessions, shard: shard))
      }, announce: { exchange.tell($0) })
    self.shards = shards
    self.sessions = sessions
    self.exchange = exchange
  }

  /// Whether the database could be reached when it was tried last.
  package var isReachable: Bool { sessions.isReachable }

  package func submit(_ job: any StorageJob) -> Bool { lanes.submit(job) }

  package func announce(_ news: [StoreNews]) { exchange.tell(news) }

  package func close() async {
    await lanes.close()
    await exchange.stop()
    for shard in shards { await shard.stop() }
  }
}

/// Opens the sessions of a lane on its shard.
private struct ShardSessions: DatabaseSessions {
  let sessions: PostgresSessions
  let shard: Shard

  func open(
    isolation: isolated (any Actor)?
  ) async throws(StoreError) -> PostgresConnection {
    try await sessions.open(on: shard)
  }
}
