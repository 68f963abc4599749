// SPDX-License-Identifier: Apache-2.0
// The storage queue of a daemon whose store is PostgreSQL.

import AtrestPostgreSQL
import AtrestReplication
import AtrestSockets
import Logging

/// Spreads jobs over lanes by their accounts: a job of an account never waits for another lane, and
/// two groups never hold rows of one account. Thread-safe.
package final class PostgresQueue: StorageQueue {
  package let counter = EventCounter()
  private let writers: [PostgresLane]
  private let readers: [PostgresLane]
  /// Those of the lanes.
  let shards: [Shard]
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
    let unreadable = UnreadableLog(logger)
    func make(_ kind: PostgresLane.Kind, _ count: Int) -> [PostgresLane] {
      (0..<max(1, count)).map { index in
        PostgresLane(
          kind, on: shards[index % shards.count], sessions: sessions, registry: registry,
          environment: environment, logger: logger, unreadable: unreadable,
          announce: { exchange.tell($0) })
      }
    }
    writers = make(.writes, lanes.writers)
    readers = make(.reads, lanes.readers)
    self.shards = shards
    self.sessions = sessions
    self.exchange = exchange
  }

  /// Whether the database could be reached when it was tried last.
  package var isReachable: Bool { sessions.isReachable }

  package func submit(_ job: any StorageJob) -> Bool {
    // A position between commits is nothing that daemons of one database could agree on.
    let lanes = job.use == .reads || job.use == .waits ? readers : writers
    return lanes[index(of: job.payer.party, among: lanes.count)].submit(job)
  }

  private func index(of party: Payer.Party, among count: Int) -> Int {
    switch party {
    case .account(let id): Int(truncatingIfNeeded: id.rawValue.magnitude % UInt64(count))
    case .server: 0
    case .unauthenticated: count - 1
    }
  }

  package func announce(_ news: [StoreNews]) { exchange.tell(news) }

  package func close() async {
    // Together: a database that does not answer takes the time of one.
    await withTaskGroup { group in
      for lane in readers + writers { group.addTask { await lane.close() } }
    }
    // After the last commit, which is told, too.
    await exchange.stop()
    for shard in shards { await shard.stop() }
  }
}
