// SPDX-License-Identifier: Apache-2.0
// Assembles what a daemon needs of a PostgreSQL store.

import AtrestHTTP2
import AtrestPostgreSQL
import AtrestReplication
import AtrestSockets
import Logging

/// A PostgreSQL store in use: its queue, the registry that caches it, and the news of other
/// daemons.
package struct PostgresBackend: Sendable {
  package let queue: PostgresQueue
  package let registry: SessionRegistry
  package let lookup: DeviceLookup
  private let sessions: PostgresSessions
  private let shard: Shard
  private let exchange: NewsExchange
  private let environment: Environment

  /// How long something is trusted that no other daemon spoke of: see `CacheTrust`.
  static let trustLifetime: Duration = .seconds(10)
  /// How often accounts with open Watch streams are read again.
  static let refreshInterval: Duration = .seconds(5)

  /// Opens the store: brings its tables to this version's format, and opens no session that stays.
  ///
  /// - Throws: `StoreError`: `newerVersion`, `notAStore`, `unavailable`.
  package static func open(
    _ address: PostgresAddress, lanes: PostgresQueue.Lanes = PostgresQueue.Lanes(),
    session: PostgresSession = PostgresSession(), environment: Environment, logger: Logger
  ) async throws(StoreError) -> PostgresBackend {
    var shards: [Shard] = []
    do throws(SocketError) {
      for index in 0..<max(1, lanes.shards) {
        shards.append(try Shard(label: "atrest.database.\(index)"))
      }
    } catch {
      throw .cannotOpen(path: "the database", reason: error.userMessage)
    }
    var own = PostgresStatements.session
    own.allowedCommits = session.allowedCommits
    let sessions = PostgresSessions(address, session: own, logger: logger)
    do throws(StoreError) {
      try await sessions.migrate(on: shards[0], random: environment.randomNumber)
    } catch {
      for shard in shards { await shard.stop() }
      throw error
    }
    let exchange = NewsExchange(on: shards[0], sessions: sessions, logger: logger)
    let registry = SessionRegistry(
      trust: CacheTrust(lifetime: trustLifetime) { exchange.listeningSince })
    let queue = PostgresQueue(
      lanes, sessions: sessions, shards: shards, exchange: exchange, registry: registry,
      environment: environment, logger: logger)
    return PostgresBackend(
      queue: queue, registry: registry,
      lookup: DeviceLookup(queue: queue, registry: registry, environment: environment),
      sessions: sessions, shard: shards[0], exchange: exchange, environment: environment)
  }

  /// Whether the database can be reached, and other daemons are heard.
  var isUsable: Bool { queue.isReachable && exchange.listeningSince != nil }

  /// Begins to hear other daemons.
  ///
  /// - Parameters:
  ///   - hear: Called with their news, after the registry has heard them.
  ///   - onChange: Called when `isUsable` may have changed.
  func start(
    hear: @escaping @Sendable (StoreNews) -> Void, onChange: @escaping @Sendable () -> Void
  ) async {
    await exchange.start { [registry, environment] news in
      let now = environment.now()
      for item in news {
        registry.hear(item, at: now)
        hear(item)
      }
    } onChange: { [lookup] isListening in
      // Whatever was committed while nobody listened.
      if isListening { lookup.refreshWatched() }
      onChange()
    }
  }

  /// See `Housekeeper.Claim`.
  var claim: Housekeeper.Claim {
    { [sessions, shard] now in
      // A later minute tries again.
      guard let connection = try? await sessions.open(on: shard) else { return nil }
      let accounts = try? await PostgresRound.claim(at: now, on: connection)
      await connection.close()
      return accounts
    }
  }

  /// Reads again what listening devices rely on, until the task is cancelled.
  func keepWatched() async {
    while (try? await Task.sleep(for: Self.refreshInterval)) != nil {
      lookup.refreshWatched()
    }
  }
}
