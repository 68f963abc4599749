// SPDX-License-Identifier: Apache-2.0
// The true time of a scenario, and each device's clock.

import AtrestClient
import AtrestDomain
import AtrestReplication
import Foundation
import Synchronization

/// The true time. Only the player advances it.
final class LabClock: Sendable {
  private let time: Mutex<WallTime>

  init(_ start: WallTime) {
    time = Mutex(start)
  }

  var now: WallTime { time.withLock { $0 } }

  func set(_ time: WallTime) {
    self.time.withLock { $0 = time }
  }
}

/// A device's clock: the true time plus the device's error.
final class DeviceClock: WallClock {
  private let base: @Sendable () -> WallTime
  private let state: Mutex<ClockError>

  /// - Parameter base: The true time.
  init(_ base: @escaping @Sendable () -> WallTime, error: ClockError) {
    self.base = base
    state = Mutex(error)
  }

  var error: ClockError {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  func now() -> WallTime { shown(at: base()) }

  /// The reading at a true time, within a stamp's range.
  func shown(at time: WallTime) -> WallTime {
    switch error {
    case .none: return time
    case .stuck(let time): return time
    case .ahead(let milliseconds):
      let (sum, overflow) = time.milliseconds.addingReportingOverflow(milliseconds)
      return overflow ? time : WallTime(milliseconds: sum)
    }
  }
}
