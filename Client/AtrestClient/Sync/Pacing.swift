// SPDX-License-Identifier: Apache-2.0
// How often and how fast a failed call is tried again.

/// Exponential backoff with full jitter, so that devices which lost a server together do not return
/// to it together.
public struct Pacing: Sendable {
  /// Calls of one request before a sync gives up, the first included. Watching never gives up.
  public var attempts = 5
  /// The longest wait after the first failure; it doubles with each further one.
  public var base = Duration.milliseconds(200)
  /// The longest wait of all.
  public var cap = Duration.seconds(30)
  /// How often watching looks for writes that another process queued.
  public var pollInterval = Duration.seconds(1)
  /// A number from 0 to below 1.
  public var random: @Sendable () -> Double = { Double.random(in: 0..<1) }
  /// Waits. Throws `CancellationError` when the task is cancelled.
  public var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

  /// The defaults.
  public init() {}

  /// How long to wait after some failures in a row.
  func delay(after failures: Int) -> Duration {
    let longest = min(cap, base * (1 << max(0, min(failures - 1, 20))))
    return longest * min(max(random(), 0), 1)
  }
}
