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
  let sessions: PostgresSessions
  private let shard: Shard
  private let exchange: NewsExchange
  private let environment: Environment

  /// How long something is trusted that no other daemon spoke of: see `CacheTrust`.
  static let trustLifetime: Duration = .seconds(10)
  /// How often accounts with open Watch streams are read again: in case a daemon died with its
  /// news, and, while nobody is heard, to end the streams of revoked devices in time.
  static func refreshInterval(isListening: Bool) -> Duration {
    isListening ? .seconds(5) : .milliseconds(500)
  }

  /// Opens the store: brings its tables to this version's format, and opens no session that stays.
  ///
  /// - Throws: `StoreError`: `newerVersion`, `notAStore`, `unavailable`.
  package static func open(
    _ address: PostgresAddress, lanes: PostgresQueue.Lanes = PostgresQueue.Lanes(),
    session: PostgresSession = PostgresSession(), environment: Environment, logger: Logger
  ) async throws(StoreError) -> PostgresBackend {
    var shards: [Shard] = []
    let newsShard: Shard
    do throws(SocketError) {
      newsShard = try Shard(label: "atrest.database.news")
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
      for shard in shards + [newsShard] { await shard.stop() }
      throw error
    }
    let exchange = NewsExchange(
      on: newsShard, sessions: sessions, logger: logger, random: environment.randomNumber)
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
  ///   - hear: Called with their news, after what they put in doubt is not trusted any more.
  ///   - onChange: Called when `isUsable` may have changed.
  func start(
    hear: @escaping @Sendable (StoreNews) -> Void, onChange: @escaping @Sendable () -> Void
  ) async {
    sessions.onChange(onChange)
    await exchange.start { [lookup] news in
      for item in news {
        lookup.hear(item)
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
      do {
        let connection = try await sessions.open(on: shard)
        let claim = PostgresStatement(Self.claim, [.int8(now.milliseconds), .int8(Self.round)])
        let results = try? await connection.run(PostgresBatch([claim]))
        await connection.close()
        return (results?.first?.rows ?? []).compactMap { $0.first?.int8.map(AccountID.init) }
      } catch {
        // A later minute tries again.
        return []
      }
    }
  }

  /// From one round of housekeeping to the next, in milliseconds.
  private static let round: Int64 = 3_600_000

  /// Moves the round's place by a page of accounts, and returns them. At the end the place is 0
  /// again: the next round begins an hour after this one began. A server that dies with its page
  /// leaves it to the next round.
  private static let claim = """
    WITH place AS (SELECT last_account, begun_ms FROM atrest.housekeeping FOR UPDATE),
    page AS (
      SELECT a.id FROM atrest.account AS a, place AS p
      WHERE a.id > p.last_account AND (p.last_account > 0 OR p.begun_ms + $2 <= $1)
      ORDER BY a.id LIMIT 500),
    moved AS (
      UPDATE atrest.housekeeping AS h SET last_account = coalesce((SELECT max(id) FROM page), 0),
        begun_ms = CASE WHEN h.last_account = 0 THEN $1 ELSE h.begun_ms END
      FROM place AS p WHERE p.last_account > 0 OR p.begun_ms + $2 <= $1)
    SELECT id FROM page ORDER BY id
    """

  /// Reads again what listening devices rely on, until the task is cancelled.
  func keepWatched() async {
    let tick = Self.refreshInterval(isListening: false)
    var last = MonotonicClock.now()
    while (try? await Task.sleep(for: tick)) != nil {
      let interval = Self.refreshInterval(isListening: exchange.listeningSince != nil)
      let now = MonotonicClock.now()
      guard now >= last.advanced(by: interval) else { continue }
      last = now
      lookup.refreshWatched()
    }
  }
}
