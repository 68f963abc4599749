// SPDX-License-Identifier: Apache-2.0
// What the server takes from the world around it: the time and chance. Everything else is a
// parameter.

import AtrestReplication
import AtrestSockets
import Glibc

/// The wall clock and the source of secrets.
package struct Environment: Sendable {
  /// The server's wall clock.
  package var now: @Sendable () -> WallTime
  /// So many unpredictable bytes.
  package var random: @Sendable (_ count: Int) -> [UInt8]
  /// Milliseconds by a clock that nobody sets and that runs while the machine sleeps; nil where
  /// there is none.
  package var uptime: (@Sendable () -> Int64)?

  /// Nanoseconds by a clock that only goes on: what work took, and nothing that is stored. Always 0
  /// where nothing is measured.
  package var nanoseconds: @Sendable () -> UInt64

  /// An environment; tests give their own.
  package init(
    now: @escaping @Sendable () -> WallTime, random: @escaping @Sendable (_ count: Int) -> [UInt8],
    uptime: (@Sendable () -> Int64)? = nil,
    nanoseconds: @escaping @Sendable () -> UInt64 = { 0 }
  ) {
    self.now = now
    self.random = random
    self.uptime = uptime
    self.nanoseconds = nanoseconds
  }

  /// The system's clock and the kernel's random numbers.
  package static let system = Environment(
    now: {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      return WallTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    },
    random: { count in
      var generator = SystemRandomNumberGenerator()
      return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    },
    uptime: {
      var time = timespec()
      clock_gettime(CLOCK_BOOTTIME, &time)
      return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    },
    nanoseconds: { MonotonicClock.now().nanoseconds })

  /// A random number.
  func randomNumber() -> UInt64 {
    random(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
