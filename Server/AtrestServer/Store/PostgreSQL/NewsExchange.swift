// SPDX-License-Identifier: Apache-2.0
// Tells the other daemons of a database what this one committed, and hears them.

import AtrestHTTP2
import AtrestPostgreSQL
import AtrestReplication
import AtrestSockets
import Logging
import Synchronization

/// The news of one daemon, by LISTEN and NOTIFY, on a shard of its own: a shard that is busy with
/// rows would read the answer to a ping too late, and lose the trust in all that was cached.
/// Thread-safe.
///
/// NOTIFY takes a lock over the whole cluster while its transaction commits. So news are gathered:
/// one transaction, after the commits that it tells of, on a session of its own.
final class NewsExchange: Sendable {
  private static let channel = "atrest"
  /// From an attempt to tell that failed to the next.
  private static let pause: Duration = .milliseconds(100)

  private struct State {
    var waiting = WaitingNews()
    var telling: Task<Void, Never>?
    var isStopped = false
  }

  private let shard: Shard
  private let sessions: PostgresSessions
  private let logger: Logger
  /// Begins each payload: this daemon has applied its own news already.
  private let sender: String
  private let listener = Mutex<PostgresListener?>(nil)
  private let state = Mutex(State())
  private let teller: Teller

  /// - Parameters:
  ///   - shard: Its own. Stopped with it.
  ///   - random: Draws a name that no other daemon has.
  init(
    on shard: Shard, sessions: PostgresSessions, logger: Logger, random: @Sendable () -> UInt64
  ) {
    self.shard = shard
    self.sessions = sessions
    self.logger = logger
    sender = "@" + String(random(), radix: 16)
    teller = Teller(shard, sessions)
  }

  /// Begins to listen. Once.
  ///
  /// - Parameters:
  ///   - hear: Called on the shard with what another daemon has told.
  ///   - onChange: Called on the shard when listening began or ended.
  func start(
    hear: @escaping @Sendable ([StoreNews]) -> Void,
    onChange: @escaping @Sendable (_ isListening: Bool) -> Void
  ) async {
    var timing = PostgresListener.Timing()
    timing.longestPause = .seconds(2)
    let (logger, sender, sessions, shard) = (logger, sender, sessions, shard)
    let hasTold = Flag()
    let prepare: @Sendable () async throws(PostgresError) -> Void = {
      () async throws(PostgresError) in try await sessions.prepare(on: shard)
    }
    let listener = PostgresListener(
      to: Self.channel, at: sessions.address, on: shard, session: sessions.plain, timing: timing,
      choice: sessions.choice, prepare: prepare
    ) { event in
      switch event {
      case .heard(let payload): hear(WaitingNews.read(payload, unlessFrom: sender))
      case .alive:
        // No job may have tried since the database was away.
        sessions.succeeded()
        if hasTold.exchange(false) { logger.notice("other daemons are heard again") }
        onChange(true)
      case .lost(let error):
        // Each attempt that fails is another loss.
        if !hasTold.exchange(true) {
          logger.warning(
            "other daemons are not heard: more is asked of the database",
            metadata: ["error": "\(error.userMessage)"])
        }
        onChange(false)
      }
    }
    self.listener.withLock { $0 = listener }
    await listener.start()
  }

  /// Since when everything was heard; nil if that is not certain now.
  var listeningSince: Instant? { listener.withLock { $0?.aliveSince } }

  /// Tells news soon, and again until they are told.
  func tell(_ news: [StoreNews]) {
    state.withLock { state in
      guard !state.isStopped, !news.isEmpty else { return }
      state.waiting.add(news)
      if state.telling == nil { state.telling = Task { await self.tellAll() } }
    }
  }

  private func tellAll() async {
    while let news = take() {
      let payloads = WaitingNews.payloads(news, from: sender)
      if await teller.notify(Self.channel, payloads) { continue }
      // Stopping, and this was the last attempt: trust in what was cached ends by itself.
      if Task.isCancelled { return }
      state.withLock { $0.waiting.putBack(news) }
      try? await Task.sleep(for: Self.pause)
    }
  }

  private func take() -> [StoreNews]? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.telling = nil
        return nil
      }
      return state.waiting.take()
    }
  }

  /// Tells what waits, once more if that fails, and ends.
  func stop() async {
    let telling = state.withLock { state in
      state.isStopped = true
      return state.telling
    }
    telling?.cancel()
    let listener = listener.withLock { $0 }
    async let isDeaf: Void? = listener?.stop()
    await telling?.value
    await teller.close()
    await isDeaf
    await shard.stop()
  }
}

/// The session that notifies.
private actor Teller {
  private nonisolated let shard: Shard
  private let sessions: PostgresSessions
  private var connection: PostgresConnection?

  init(_ shard: Shard, _ sessions: PostgresSessions) {
    self.shard = shard
    self.sessions = sessions
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { shard.asUnownedSerialExecutor() }

  /// Notifies, in one transaction.
  ///
  /// - Returns: Whether everybody who listens hears it.
  func notify(_ channel: String, _ payloads: [String]) async -> Bool {
    do {
      let connection = try await connected()
      // A hint need not survive, and must not wait for a standby. For this transaction alone: the
      // session's setting would reach others, if a pool gave them its backend.
      let hint = PostgresStatement("SELECT set_config('synchronous_commit', 'off', true)")
      let statements = payloads.map {
        PostgresStatement("SELECT pg_notify($1, $2)", [.text(channel), .text($0)])
      }
      // A session that was cut silently must not hold back the news of a revocation.
      _ = try await connection.run(
        PostgresBatch([hint] + statements, changes: false), within: Self.deadline)
      return true
    } catch {
      await close()
      return false
    }
  }

  /// The longest notification.
  private static let deadline: Duration = .seconds(1)

  private func connected() async throws -> PostgresConnection {
    if let connection, await connection.isOpen {
      return connection
    }
    await close()
    let new = try await sessions.open(on: shard)
    connection = new
    return new
  }

  func close() async {
    await connection?.close()
    connection = nil
  }
}

/// Whether the owner was told of a loss.
private final class Flag: Sendable {
  private let value = Atomic(false)

  func exchange(_ new: Bool) -> Bool { value.exchange(new, ordering: .relaxed) }
}
