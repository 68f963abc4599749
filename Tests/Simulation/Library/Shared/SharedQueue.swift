// SPDX-License-Identifier: Apache-2.0
// The storage queue of one server of a shared database: the real lanes, on the model's sessions.

import AtrestRPC
import AtrestReplication
import AtrestServer
import Logging

/// One server's lanes and its news.
final class SharedQueue: StorageQueue, @unchecked Sendable {
  // Sendable: a simulation has one thread.
  let counter = EventCounter()
  let lanes: PostgresLanes<SharedSessions>
  let news: SharedNews

  init(
    _ database: SharedDatabase, node: Int, news: SharedNews, registry: SessionRegistry,
    environment: Environment
  ) {
    self.news = news
    nonisolated(unsafe) let (database, news) = (database, news)
    let shard = database.world.shard
    let sessions = SharedSessions(database: database, node: node)
    lanes = PostgresLanes(
      writers: database.weather.writers, readers: database.weather.readers, registry: registry,
      environment: environment,
      logger: Logger(label: "simulated") { _ in SwiftLogNoOpLogHandler() },
      place: { _ in (shard, sessions) }, announce: { news.tell($0) })
  }

  func submit(_ job: any StorageJob) -> Bool { lanes.submit(job) }

  func announce(_ news: [StoreNews]) { self.news.tell(news) }

  func close() async { await lanes.close() }
}

/// Opens the sessions of one server.
struct SharedSessions: DatabaseSessions, @unchecked Sendable {
  // Sendable: a simulation has one thread.
  let database: SharedDatabase
  let node: Int

  func uses(_ session: SharedSession, isolation: isolated (any Actor)?) async -> Bool {
    session.isOpen
  }

  func open(isolation: isolated (any Actor)?) async throws(StoreError) -> SharedSession {
    let session = await database.scheduler.answer { self.database.open(for: self.node, $0) }
    guard let session else { throw .unavailable(reason: "the database is away") }
    return session
  }
}
