// SPDX-License-Identifier: Apache-2.0
// Retry policy: the number of attempts and the delays between them.

/// Exponential backoff with full jitter, so that devices that lost a server together do not
/// reconnect at the same moment.
package struct Pacing: Sendable {
  /// Attempts per request before a sync gives up, the first included. Watching never gives up.
  package var attempts = 5
  /// The longest delay after the first failure. It doubles with each further one.
  package var base = Duration.milliseconds(200)
  /// The upper bound of any delay.
  package var cap = Duration.seconds(30)
  /// How often watching polls for writes queued by another process.
  package var pollInterval = Duration.seconds(1)
  /// A random number in 0..<1.
  package var random: @Sendable () -> Double = { Double.random(in: 0..<1) }
  /// Sleeps. Throws `CancellationError` when the task is cancelled.
  package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

  /// Creates the default policy.
  package init() {}

  /// The delay after a number of consecutive failures.
  package func delay(after failures: Int) -> Duration {
    let longest = min(cap, base * (1 << max(0, min(failures - 1, 20))))
    return longest * min(max(random(), 0), 1)
  }
}
