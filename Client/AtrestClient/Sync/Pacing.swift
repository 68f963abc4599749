// SPDX-License-Identifier: Apache-2.0
// Retry policy: the number of attempts, and how a delay between them passes.

import AtrestSync

/// How calls are repeated. How long a delay is, `BackOff` decides.
package struct Pacing: Sendable {
  /// Attempts per request before a sync gives up, the first included. Watching never gives up.
  package var attempts = 5
  /// How often watching polls for writes queued by another process.
  package var pollInterval = Duration.seconds(1)
  /// A random number; the highest makes the longest delay.
  package var random: @Sendable () -> UInt32 = { UInt32.random(in: 0...UInt32.max) }
  /// Sleeps. Throws `CancellationError` when the task is cancelled.
  package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

  /// Creates the default policy.
  package init() {}

  /// The length of a pause.
  package func delay(_ backOff: BackOff) -> Duration {
    .milliseconds(backOff.milliseconds(random: random()))
  }
}
