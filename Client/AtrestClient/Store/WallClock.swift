// SPDX-License-Identifier: Apache-2.0
// Where the client learns the time; the only clock it reads.

import AtrestReplication
import Foundation

/// A wall clock. It may be wrong and may jump either way.
public protocol WallClock: Sendable {
  /// What it shows now.
  func now() -> WallTime
  /// Milliseconds by a clock that nobody sets and that runs while the device sleeps; nil where
  /// there is none.
  func uptimeMilliseconds() -> Int64?
}

extension WallClock {
  /// There is none.
  public func uptimeMilliseconds() -> Int64? { nil }
}

/// The system's clock.
public struct SystemClock: WallClock {
  /// The system's clock.
  public init() {}

  /// What it shows now.
  public func now() -> WallTime {
    WallTime(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
  }

  #if os(Linux)
    /// Milliseconds since the device was started, sleep included.
    public func uptimeMilliseconds() -> Int64? {
      var time = timespec()
      guard clock_gettime(CLOCK_BOOTTIME, &time) == 0 else { return nil }
      return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
  #endif
}
