// SPDX-License-Identifier: Apache-2.0
// How long to wait before the next attempt. Pure.

/// A pause after a failure: what the server asked for, and exponential backoff with full jitter, so
/// that devices that lost a server together do not come back together.
package struct BackOff: Hashable, Sendable {
  /// The longest pause after the first failure, in milliseconds. Each further one doubles it.
  package static let baseMilliseconds: Int64 = 200
  /// The longest pause that is our own choice, in milliseconds.
  package static let capMilliseconds: Int64 = 30_000
  /// The longest pause that a server may ask for, in milliseconds: an hour. No server can stop a
  /// device for longer.
  package static let requestLimitMilliseconds: Int64 = 3_600_000

  /// Consecutive failures.
  package var failures: Int
  /// What the server asked for, in milliseconds: the least that is waited.
  package var requestedMilliseconds: Int64
  /// The upper bound of what is waited beyond that, in milliseconds.
  package var capMilliseconds = BackOff.capMilliseconds

  /// - Parameter error: What failed last; nil if nothing is known of it.
  package init(failures: Int, after error: SyncError? = nil) {
    self.failures = failures
    requestedMilliseconds = error?.retryMilliseconds ?? 0
  }

  /// The pause in milliseconds.
  /// - Parameter random: Of even distribution. The highest makes the longest pause.
  package func milliseconds(random: UInt32) -> Int64 {
    let longest = min(capMilliseconds, Self.baseMilliseconds << max(0, min(failures - 1, 20)))
    return requestedMilliseconds + ((longest + 1) * Int64(random)) >> 32
  }
}

extension SyncError {
  /// Whether to repeat the call while somebody waits for it. Who follows the server waits longer.
  /// A server that takes connections and does not answer would be silent for each attempt.
  package var isWorthWaiting: Bool {
    isTransient && !isSilence && (retryMilliseconds ?? 0) <= BackOff.capMilliseconds
  }
}
