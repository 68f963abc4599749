// SPDX-License-Identifier: Apache-2.0
// Hears what other daemons say with NOTIFY, and knows when it may have missed something.

import AtrestHTTP2
import AtrestSockets
import Synchronization

/// Listens to one channel, on a session of its own, for as long as it runs.
///
/// A notification is a hint that what was cached is old. Whoever missed one must not trust the
/// cache: `aliveSince` says whether anything can have been missed. What was loaded from the
/// database before it, or while it is nil, has to be loaded again.
///
///     connecting ──▶ LISTEN ──▶ pinging ──┐ every `pingInterval`
///         ▲                        ▲──────┘
///         │ pause, twice as long   │ lost
///         └────────────────────────┘
///
/// Needs a session of the server's own: PgBouncer in transaction mode passes no LISTEN on. The
/// server reads notifications for listeners only between their transactions, and keeps what a slow
/// one has not read: nothing else runs on this session.
package actor PostgresListener {
  /// What a listener tells its owner.
  package enum Event: Equatable, Sendable {
    /// It hears everything from this instant on.
    case alive(since: Instant)
    /// What somebody notified with.
    case heard(payload: String)
    /// The session has ended, or could not begin. It is tried again.
    case lost(PostgresError)
  }

  /// How soon a listener notices, and how long it waits.
  package struct Timing: Sendable {
    /// How long an answered ping is trusted, and the longest wait for its answer.
    package var trust: Duration = .seconds(1)
    /// From an answer to the next ping.
    package var pingInterval: Duration = .milliseconds(250)
    /// The pause before the second attempt; each later one is twice as long.
    package var shortestPause: Duration = .milliseconds(100)
    /// The longest pause between attempts.
    package var longestPause: Duration = .seconds(10)

    package init() {}
  }

  private enum State {
    case new
    case running(Task<Void, Never>, PostgresConnection?)
    case stopped
  }

  package nonisolated let shard: Shard
  private let address: PostgresAddress
  private let channel: String
  private let session: PostgresSession
  private let limits: PostgresLimits
  private let timing: Timing
  private let choice: PostgresServerChoice
  private let prepare: @Sendable () async throws(PostgresError) -> Void
  private let onEvent: @Sendable (Event) -> Void
  private var state = State.new
  private nonisolated let liveness: Mutex<PostgresLiveness>
  private var backoff: PostgresBackoff
  /// The owner knows that the current attempt has ended.
  private var hasToldLoss = false
  private var pause: (end: CheckedContinuation<Void, Never>, token: DeadlineToken)?

  /// - Parameters:
  ///   - channel: 1 to 63 letters, digits and underscores.
  ///   - shard: Must outlive the listener, which is stopped before it.
  ///   - choice: The server that its owner's other sessions are with.
  ///   - prepare: Called before each session. None is opened if it throws.
  ///   - onEvent: Called on the shard.
  package init(
    to channel: String, at address: PostgresAddress, on shard: Shard,
    session: PostgresSession = PostgresSession(), limits: PostgresLimits = PostgresLimits(),
    timing: Timing = Timing(), choice: PostgresServerChoice = PostgresServerChoice(),
    prepare: @escaping @Sendable () async throws(PostgresError) -> Void = {},
    onEvent: @escaping @Sendable (Event) -> Void
  ) {
    precondition(PostgresName.isPlain(channel), "a name of a channel")
    self.channel = channel
    self.address = address
    self.shard = shard
    self.session = session
    self.limits = limits
    self.timing = timing
    self.choice = choice
    self.prepare = prepare
    self.onEvent = onEvent
    liveness = Mutex(PostgresLiveness(window: timing.trust))
    backoff = PostgresBackoff(from: timing.shortestPause, to: timing.longestPause)
  }

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    shard.asUnownedSerialExecutor()
  }

  /// Begins to listen, and goes on until `stop`.
  package func start() {
    guard case .new = state else { return }
    state = .running(Task { await self.listenAgainAndAgain() }, nil)
  }

  /// Ends the session. Returns when it is closed. Idempotent.
  package func stop() async {
    guard case .running(let task, let connection) = state else {
      state = .stopped
      return
    }
    state = .stopped
    wake()
    await connection?.close()
    await task.value
  }

  /// Since when every notification was heard. Nil if that is not certain at this moment: nothing
  /// that was cached may be trusted then. O(1), no system call. Callable from any thread.
  package nonisolated var aliveSince: Instant? {
    liveness.withLock { $0.aliveSince(at: MonotonicClock.now()) }
  }

  private func listenAgainAndAgain() async {
    while case .running = state {
      hasToldLoss = false
      do {
        try await listen()
      } catch {
        lost(error)
      }
      guard case .running = state else { return }
      await sleep(backoff.pause())
    }
  }

  /// Returns when it was stopped.
  private func listen() async throws(PostgresError) {
    try await prepare()
    let connection: PostgresConnection
    do throws(PostgresError) {
      connection = try await open()
    } catch {
      if error == .noAnswer { choice.abandon() }
      throw error
    }
    guard case .running(let task, _) = state else { return await connection.close() }
    state = .running(task, connection)
    let listen = PostgresStatement("LISTEN \"\(channel)\"")
    do throws(PostgresError) {
      _ = try await connection.run(PostgresBatch([listen], changes: false), within: timing.trust)
      liveness.withLock { $0.listens(at: MonotonicClock.now()) }
      while case .running = state {
        let sent = MonotonicClock.now()
        let ping = PostgresBatch([PostgresStatement("SELECT 1")], changes: false)
        _ = try await connection.run(ping, within: timing.trust)
        if let since = liveness.withLock({ $0.answered(pingSentAt: sent) }) {
          backoff.reset()
          onEvent(.alive(since: since))
        }
        await sleep(timing.pingInterval)
      }
    } catch {
      await connection.close()
      throw error
    }
    await connection.close()
  }

  private func open() async throws(PostgresError) -> PostgresConnection {
    try await PostgresConnection.open(
      address, on: shard, session: session, limits: limits, choice: choice,
      onNotification: { notification in
        self.assumeIsolated { $0.heard(notification) }
      },
      // At once, although no ping is under way.
      onClosed: { error in
        self.assumeIsolated { listener in
          listener.lost(error)
          listener.wake()
        }
      })
  }

  private func heard(_ notification: PostgresNotification) {
    if case .running = state, notification.channel == channel {
      onEvent(.heard(payload: notification.payload))
    }
  }

  /// Tells of the end of a session once, whoever noticed it first.
  private func lost(_ error: PostgresError) {
    liveness.withLock { $0.lost() }
    guard case .running = state, !hasToldLoss else { return }
    hasToldLoss = true
    onEvent(.lost(error))
  }

  private func sleep(_ duration: Duration) async {
    await withCheckedContinuation { end in
      let token = shard.schedule(at: shard.now.advanced(by: duration)) { self.wake() }
      pause = (end, token)
    }
  }

  private func wake() {
    guard let pause else { return }
    self.pause = nil
    shard.cancel(pause.token)
    pause.end.resume()
  }
}
