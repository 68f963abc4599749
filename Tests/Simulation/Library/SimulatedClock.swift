// SPDX-License-Identifier: Apache-2.0
// A wall clock that may be wrong, jump either way, or run too fast.

import AtrestClient
import AtrestReplication

/// One machine's wall clock.
final class SimulatedClock: WallClock, @unchecked Sendable {
  // Sendable because a simulation has one thread.

  /// What right clocks show when a simulation begins: some day in 2026.
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

  /// Nobody sets this one.
  func uptimeMilliseconds() -> Int64? { scheduler.now / 1000 }

  /// Sets the clock so many milliseconds off, running so many millionths too fast from now on.
  func set(offset: Int64, drift: Int64 = 0) {
    self.offset = offset
    self.drift = drift
    driftSince = scheduler.now
  }
}
