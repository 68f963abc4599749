// SPDX-License-Identifier: Apache-2.0
// The only clock that the client reads.

import AtrestReplication
import AtrestSync
import Foundation

/// A wall clock. It may be wrong and may jump either way.
public protocol WallClock: Sendable {
  /// The current reading.
  func now() -> WallTime
  /// Monotonic milliseconds that include time asleep; nil if unavailable.
  func uptimeMilliseconds() -> Int64?
}

extension WallClock {
  /// Always nil: no monotonic clock is available.
  public func uptimeMilliseconds() -> Int64? { nil }

  /// The clocks when an answer arrives. Without a monotonic one it arrived at once.
  ///
  /// - Parameter asked: `uptimeMilliseconds()` at the time of the request.
  package func reading(since asked: Int64?) -> Reading {
    let waited = asked.flatMap { asked in uptimeMilliseconds().map { max(0, $0 - asked) } }
    return Reading(now: now(), waited: waited ?? 0)
  }
}

/// The system's real-time clock, and the boot clock on Linux.
public struct SystemClock: WallClock {
  /// Creates the clock, which has no state.
  public init() {}

  /// The system's time, rounded down to milliseconds.
  public func now() -> WallTime {
    WallTime(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
  }

  #if os(Linux)
    /// Milliseconds since boot, sleep included.
    public func uptimeMilliseconds() -> Int64? {
      var time = timespec()
      guard clock_gettime(CLOCK_BOOTTIME, &time) == 0 else { return nil }
      return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
  #endif
}
