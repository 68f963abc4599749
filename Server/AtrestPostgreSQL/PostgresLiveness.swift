// SPDX-License-Identifier: Apache-2.0
// Whether what a listener has heard is all there was. Pure.

import AtrestHTTP2

/// Whether a listening session is known to be alive.
///
///     silent ── listening ──▶ listening ── a ping is answered ──▶ alive
///        ▲                        │                                 │ ▲
///        └───────── lost ─────────┴─────────────────────────────────┘ └─ a ping is answered
///
/// The server hands out notifications in the order of commits, and answers a ping after those that
/// it had then. So an answered ping proves that everything up to its sending was heard, no more:
/// trust is counted from there.
struct PostgresLiveness {
  private enum State {
    case silent
    case listening(since: Instant)
    case alive(since: Instant, provenAt: Instant)
  }

  private let window: Duration
  private var state = State.silent

  /// - Parameter window: How long a proof is trusted.
  init(window: Duration) {
    self.window = window
  }

  /// LISTEN was answered.
  mutating func listens(at now: Instant) {
    state = .listening(since: now)
  }

  /// A ping was answered.
  /// - Returns: Since when the session is alive, if that was not known before.
  mutating func answered(pingSentAt sent: Instant) -> Instant? {
    switch state {
    case .silent: return nil
    case .listening(let since):
      state = .alive(since: since, provenAt: sent)
      return since
    case .alive(let since, _):
      state = .alive(since: since, provenAt: sent)
      return nil
    }
  }

  /// The session has ended.
  mutating func lost() {
    state = .silent
  }

  /// Since when every notification was heard; nil if that is not certain now.
  func aliveSince(at now: Instant) -> Instant? {
    guard case .alive(let since, let provenAt) = state, now <= provenAt.advanced(by: window) else {
      return nil
    }
    return since
  }
}

/// Growing pauses between attempts. Pure.
struct PostgresBackoff {
  private let shortest: Duration
  private let longest: Duration
  private var next: Duration

  init(from shortest: Duration, to longest: Duration) {
    self.shortest = shortest
    self.longest = longest
    next = shortest
  }

  /// The pause before the next attempt, twice the one before.
  mutating func pause() -> Duration {
    defer { next = min(longest, next * 2) }
    return next
  }

  mutating func reset() {
    next = shortest
  }
}
