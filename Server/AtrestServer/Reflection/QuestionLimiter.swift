// SPDX-License-Identifier: Apache-2.0
// How much callers may ask reflection.

import AtrestReplication
import Synchronization

/// The limiter that all connections share. Thread-safe.
final class QuestionLimiter: Sendable {
  private let limiter: Mutex<AttemptLimiter>
  private let now: @Sendable () -> WallTime

  /// - Parameters:
  ///   - perMinute: See `AttemptLimiter.questions`.
  ///   - now: The server's clock.
  init(perMinute: Int, now: @escaping @Sendable () -> WallTime) {
    limiter = Mutex(.questions(perMinute: perMinute))
    self.now = now
  }

  /// Takes a token for one question. False if the caller, or all callers, asked too much lately.
  ///
  /// - Parameter keys: See `AttemptLimiter.keys(of:)`.
  func take(from keys: [[UInt8]]) -> Bool {
    let now = now()
    return limiter.withLock { $0.take(from: keys, at: now) }
  }
}
