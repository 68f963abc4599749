// SPDX-License-Identifier: Apache-2.0
// The server's clocks and randomness, and where its store's work is counted.

import AtrestHTTP2
import AtrestReplication
import AtrestSockets
import Glibc

/// Clocks, the source of random bytes, and metrics.
package struct Environment: Sendable {
  /// The server's wall clock.
  package var now: @Sendable () -> WallTime
  /// Returns unpredictable bytes.
  package var random: @Sendable (_ count: Int) -> [UInt8]
  /// A clock in milliseconds that cannot be set and that runs while the machine sleeps. Nil where
  /// there is none.
  package var uptime: (@Sendable () -> Int64)?

  /// Dates what a store keeps for a time. Nil where the store has a clock of its own.
  package var retention: RetentionClock?

  /// A monotonic clock in nanoseconds, for measuring work. Never stored. Always 0 where nothing is
  /// measured.
  package var nanoseconds: @Sendable () -> UInt64

  /// A monotonic clock that says when something was learned: see `CacheTrust`.
  package var instant: @Sendable () -> Instant

  /// Counts the work of the store's queues. Nil: nobody does.
  package var metrics: StoreMetrics?

  /// Creates an environment, for tests and simulations.
  package init(
    now: @escaping @Sendable () -> WallTime, random: @escaping @Sendable (_ count: Int) -> [UInt8],
    uptime: (@Sendable () -> Int64)? = nil,
    nanoseconds: @escaping @Sendable () -> UInt64 = { 0 },
    instant: @escaping @Sendable () -> Instant = MonotonicClock.now
  ) {
    self.now = now
    self.random = random
    self.uptime = uptime
    self.nanoseconds = nanoseconds
    self.instant = instant
  }

  /// The system's clocks and the kernel's random numbers.
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

  func randomNumber() -> UInt64 {
    random(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
