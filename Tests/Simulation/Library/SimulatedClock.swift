// SPDX-License-Identifier: Apache-2.0
// A wall clock that can be wrong, step, or drift.

import AtrestClient
import AtrestReplication

/// One machine's wall clock.
final class SimulatedClock: WallClock, @unchecked Sendable {
  // Sendable: a simulation has one thread.

  /// The correct time at the start of a simulation: a day in 2026.
  static let start: Int64 = 1_780_000_000_000

  private let scheduler: Scheduler
  private var offset: Int64 = 0
  private var drift: Int64 = 0
  private var driftSince: Int64 = 0

  init(_ scheduler: Scheduler) { self.scheduler = scheduler }

  func now() -> WallTime {
    let elapsed = scheduler.now - driftSince
    return WallTime(
      milliseconds: Self.start + scheduler.now / 1000 + offset + elapsed / 1000 * drift / 1_000_000)
  }

  /// The monotonic clock.
  func uptimeMilliseconds() -> Int64? { scheduler.now / 1000 }

  /// Sets the offset in milliseconds and the drift in parts per million.
  func set(offset: Int64, drift: Int64 = 0) {
    self.offset = offset
    self.drift = drift
    driftSince = scheduler.now
  }
}
