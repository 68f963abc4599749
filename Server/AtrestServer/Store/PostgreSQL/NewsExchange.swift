// SPDX-License-Identifier: Apache-2.0
// Tells the other daemons of a database what this one committed, and hears them.

import AtrestHTTP2
import AtrestPostgreSQL
import AtrestReplication
import AtrestSockets
import Logging
import Synchronization

/// The news of one daemon, by LISTEN and NOTIFY. Thread-safe.
///
/// NOTIFY takes a lock over the whole cluster while its transaction commits. So news are gathered:
/// one notification, after the commits that it tells of, on a session of its own.
final class NewsExchange: Sendable {
  private static let channel = "atrest"
  /// News that wait, at most. Beyond it, older ones are dropped: trust in what was cached ends by
  /// itself.
  private static let waitingLimit = 100_000

  private struct State {
    var waiting: [StoreNews] = []
    var isTelling = false
    var isStopped = false
  }

  private let shard: Shard
  private let sessions: PostgresSessions
  private let logger: Logger
  private let listener = Mutex<PostgresListener?>(nil)
  private let state = Mutex(State())
  private let teller: Teller

  init(on shard: Shard, sessions: PostgresSessions, logger: Logger) {
    self.shard = shard
    self.sessions = sessions
    self.logger = logger
    teller = Teller(shard, sessions)
  }

  /// Begins to listen. Once.
  ///
  /// - Parameters:
  ///   - hear: Called on the shard with what another daemon, or this one, has told.
  ///   - onChange: Called on the shard when listening began or ended.
  func start(
    hear: @escaping @Sendable ([StoreNews]) -> Void,
    onChange: @escaping @Sendable (_ isListening: Bool) -> Void
  ) async {
    var timing = PostgresListener.Timing()
    timing.longestPause = .seconds(2)
    let logger = logger
    let hasTold = Flag()
    let listener = PostgresListener(
      to: Self.channel, at: sessions.address, on: shard, session: sessions.plain, timing: timing
    ) { event in
      switch event {
      case .heard(let payload):
        hear(StoreNews.news(in: payload))
      case .alive:
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

  /// Tells news soon. What cannot be told is dropped.
  func tell(_ news: [StoreNews]) {
    let isFirst = state.withLock { state in
      guard !state.isStopped else { return false }
      state.waiting += news
      if state.waiting.count > Self.waitingLimit {
        state.waiting.removeFirst(state.waiting.count - Self.waitingLimit)
      }
      defer { state.isTelling = true }
      return !state.isTelling
    }
    if isFirst { Task { await tellAll() } }
  }

  private func tellAll() async {
    while let news = take() {
      // A failure costs time only: see `CacheTrust`.
      await teller.notify(Self.channel, StoreNews.payloads(news))
    }
  }

  private func take() -> [StoreNews]? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.isTelling = false
        return nil
      }
      defer { state.waiting = [] }
      return state.waiting
    }
  }

  func stop() async {
    state.withLock { $0.isStopped = true }
    await listener.withLock { $0 }?.stop()
    await teller.close()
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

  func notify(_ channel: String, _ payloads: [String]) async {
    do {
      if connection == nil {
        let new = try await sessions.open(on: shard)
        // A hint need not survive, and must not wait for a standby.
        let setting = PostgresStatement("SET synchronous_commit = off")
        _ = try await new.run(PostgresBatch([setting], changes: false))
        connection = new
      }
      let statements = payloads.map {
        PostgresStatement("SELECT pg_notify($1, $2)", [.text(channel), .text($0)])
      }
      _ = try await connection?.run(PostgresBatch(statements, changes: false))
    } catch {
      await close()
    }
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
