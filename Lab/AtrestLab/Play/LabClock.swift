// SPDX-License-Identifier: Apache-2.0
// The time in a scenario: one clock that is right, and one for each device that may not be.

import AtrestClient
import AtrestDomain
import AtrestReplication
import Foundation
import Synchronization

/// The time as it really is in a scenario. Moves when the player moves it.
final class LabClock: Sendable {
  private let time: Mutex<WallTime>

  init(_ start: Date) {
    time = Mutex(WallTime(milliseconds: start.milliseconds))
  }

  var now: WallTime { time.withLock { $0 } }

  func set(_ date: Date) {
    time.withLock { $0 = WallTime(milliseconds: date.milliseconds) }
  }
}

/// What a device's clock shows.
final class DeviceClock: WallClock {
  private let base: @Sendable () -> WallTime
  private let state: Mutex<ClockError>

  /// - Parameter base: A clock that is right.
  init(_ base: @escaping @Sendable () -> WallTime, error: ClockError) {
    self.base = base
    state = Mutex(error)
  }

  var error: ClockError {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  func now() -> WallTime { shown(at: base()) }

  /// What it shows at a time. Within what a stamp can hold.
  func shown(at time: WallTime) -> WallTime {
    switch error {
    case .none: return time
    case .stuck(let date): return WallTime(milliseconds: date.milliseconds)
    case .ahead(let milliseconds):
      let (sum, overflow) = time.milliseconds.addingReportingOverflow(milliseconds)
      return overflow ? time : WallTime(milliseconds: sum)
    }
  }
}
