// SPDX-License-Identifier: Apache-2.0
// Whether the database acknowledges writes.

import AtrestHTTP2
import Synchronization

/// Watches a daemon's writing transactions. Thread-safe.
///
/// A primary whose synchronous standby is gone answers questions and commits nothing, and so does
/// one whose disk is full. So a store is usable while it acknowledges writes, not while it answers.
package final class WriteWatch: Sendable {
  /// How long a write may go without an acknowledgement before the store counts as silent. Longer
  /// than a lock is waited for.
  package static let patience: Duration = .seconds(5)
  /// After so long without a write, one is tried: an outage would go unnoticed.
  static let idle: Duration = .seconds(60)
  /// From one tried write to the next, and how long writes may wait before one is tried beside
  /// them: the one that waits may be on a session that hangs alone.
  static let pause: Duration = .seconds(2)

  private struct State {
    var underWay = 0
    /// When the oldest write began that was not acknowledged, nor any later one.
    var silentSince: Instant?
    var acknowledged: Instant?
    var tried: Instant?
  }

  private let state = Mutex(State())

  package init() {}

  /// Notes that a transaction begins that writes.
  func begins(at now: Instant) {
    state.withLock { state in
      state.underWay += 1
      if state.silentSince == nil { state.silentSince = now }
    }
  }

  /// Notes that it has ended.
  ///
  /// - Parameter isAcknowledged: Whether it was committed. False also if it failed by itself: the
  ///   next one tells.
  func ended(isAcknowledged: Bool, at now: Instant) {
    state.withLock { state in
      state.underWay -= 1
      guard isAcknowledged else { return }
      state.acknowledged = now
      state.silentSince = state.underWay > 0 ? now : nil
    }
  }

  /// How long writes have gone without an acknowledgement; zero while none waits for one.
  package func silence(at now: Instant) -> Duration {
    state.withLock { $0.silentSince.map { now.duration(since: $0) } ?? .zero }
  }

  /// Whether the store takes no writes.
  package func isSilent(at now: Instant) -> Bool { silence(at: now) > Self.patience }

  /// Whether a write is to be tried now. The caller tries one if so, on a session that no other
  /// write uses.
  func triesWrite(at now: Instant) -> Bool {
    state.withLock { state in
      let isDue: Bool
      if let since = state.silentSince {
        isDue = state.underWay == 0 || now.duration(since: since) >= Self.pause
      } else {
        isDue = state.acknowledged.map { now.duration(since: $0) >= Self.idle } ?? true
      }
      guard isDue, state.tried.map({ now.duration(since: $0) >= Self.pause }) ?? true else {
        return false
      }
      state.tried = now
      return true
    }
  }
}
