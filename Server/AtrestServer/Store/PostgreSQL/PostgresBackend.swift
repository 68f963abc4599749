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
  /// Which cell the database is.
  package let cell: CellNumber
  let sessions: PostgresSessions
  private let shard: Shard
  private let exchange: NewsExchange
  private let environment: Environment

  /// How often accounts with open Watch streams are read again: in case a daemon died with its
  /// news, and, while nobody is heard, to end the streams of revoked devices in time.
  package static func refreshInterval(isListening: Bool) -> Duration {
    isListening ? .seconds(5) : .milliseconds(500)
  }

  /// Opens the store: brings its tables to this version's format, and opens no session that stays.
  /// A database that cannot be reached is opened all the same, and migrated when it is back.
  ///
  /// - Parameter cell: Which cell it must be, or becomes if it is made.
  /// - Throws: `StoreError`: `newerVersion`, `notAStore`, `wrongCell`, `inUse`; `unavailable` if
  ///   the server may not be used.
  package static func open(
    _ address: PostgresAddress, cell: CellNumber = .sole,
    lanes: PostgresQueue.Lanes = PostgresQueue.Lanes(),
    session: PostgresSession = PostgresSession(),
    limits: PostgresLimits = PostgresLimits(), environment: Environment, logger: Logger
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
    own.lockTimeout = min(own.lockTimeout, session.lockTimeout)
    let sessions = PostgresSessions(
      address, of: cell, session: own, limits: limits, name: environment.randomNumber(),
      logger: logger)
    do throws(StoreError) { try await sessions.begin(on: shards[0]) } catch {
      for shard in shards + [newsShard] { await shard.stop() }
      throw error
    }
    let exchange = NewsExchange(
      on: newsShard, sessions: sessions, logger: logger, random: environment.randomNumber)
    let registry = SessionRegistry(
      trust: CacheTrust(lifetime: CacheTrust.lifetime) { exchange.listeningSince })
    let queue = PostgresQueue(
      lanes, sessions: sessions, shards: shards, exchange: exchange, registry: registry,
      environment: environment, logger: logger)
    return PostgresBackend(
      queue: queue, registry: registry,
      lookup: DeviceLookup(queue: queue, registry: registry, environment: environment),
      cell: cell, sessions: sessions, shard: shards[0], exchange: exchange, environment: environment
    )
  }

  /// Whether the database can be reached and acknowledges writes, and other daemons are heard.
  package var isUsable: Bool {
    queue.isReachable && isListening && !queue.writes.isSilent(at: environment.instant())
  }

  /// How long writes have gone without an acknowledgement.
  var writeSilence: Duration { queue.writes.silence(at: environment.instant()) }

  /// The timeline of the primary in use; nil before the first session, and if it does not tell.
  var timeline: UInt32? { sessions.choice.server?.history?.timeline }

  /// Whether other daemons are heard.
  var isListening: Bool { exchange.listeningSince != nil }

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

  /// Opens a session beside the lanes'.
  func openSession() async throws(StoreError) -> PostgresConnection {
    try await sessions.open(on: shard)
  }

  /// Tells every daemon of the cell that an account is being moved to another one, or went there.
  ///
  /// - Parameter codes: Pairing codes that ended with it.
  func tellMoving(_ account: AccountID, codes: [String] = []) {
    registry.forgetMoving(account)
    queue.announce([.moving(account)] + codes.map { .pairing($0) })
  }

  /// See `Housekeeper.Claim`. What is left of accounts that were removed goes first.
  var claim: Housekeeper.Claim {
    { [sessions, shard] in
      // After a failure a later minute tries again.
      try? await sessions.withSession(on: shard) {
        connection throws(PostgresError) -> [AccountID]? in
        try await PostgresRemoval.goOn(on: connection)
        guard let now = try await PostgresRound.time(on: connection) else { return nil }
        return try await PostgresRound.claim(at: now, on: connection)
      }
    }
  }

  /// Reads again what listening devices rely on, and tries whether writes are acknowledged, until
  /// the task is cancelled.
  ///
  /// - Parameter onChange: Called when `isUsable` has changed.
  func keepWatched(onChange: () -> Void) async {
    let tick = Self.refreshInterval(isListening: false)
    var last = MonotonicClock.now()
    var wasUsable = isUsable
    while (try? await Task.sleep(for: tick)) != nil {
      let interval = Self.refreshInterval(isListening: exchange.listeningSince != nil)
      if queue.writes.triesWrite(at: environment.instant()) { queue.tryWrite() }
      if isUsable != wasUsable {
        wasUsable.toggle()
        onChange()
      }
      let now = MonotonicClock.now()
      guard now >= last.advanced(by: interval) else { continue }
      last = now
      lookup.refreshWatched()
    }
  }
}
