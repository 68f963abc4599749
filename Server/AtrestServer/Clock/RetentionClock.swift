// SPDX-License-Identifier: Apache-2.0
// The time by which journal entries and deleted records grow old, on a store of one server.

import AtrestReplication
import Synchronization

/// Counts the time that the server ran.
///
/// It runs with the machine's uptime, so no wall clock that is wrong, set, or set right ends
/// anything early. Time in which no server ran does not count: only a wall clock could tell how
/// long that was, and it may have been set meanwhile. So what is kept may be kept too long, never
/// too short. A database has its own clock, see `FeedState.clock`.
package final class RetentionClock: Sendable {
  /// What a store keeps of its clocks.
  package struct Mark: Hashable, Sendable {
    /// What this clock showed.
    package var time: WallTime
    /// What the wall clock showed then.
    package var wall: WallTime

    package init(time: WallTime = .epoch, wall: WallTime = .epoch) {
      self.time = time
      self.wall = wall
    }
  }

  private struct State {
    var time: WallTime
    /// The uptime at `time`.
    var uptime: Int64
  }

  private let state: Mutex<State>
  private let environment: Environment

  /// - Parameters:
  ///   - mark: What the store kept. A new store's clock begins with the wall clock.
  ///   - environment: Its clocks. Without one that cannot be set, the wall clock is taken.
  package init(_ mark: Mark, _ environment: Environment) {
    self.environment = environment
    let (wall, uptime) = Self.clocks(environment)
    state = Mutex(State(time: mark.time == .epoch ? wall : mark.time, uptime: uptime))
  }

  /// The clocks now.
  package var mark: Mark {
    state.withLock { state in
      let (wall, uptime) = Self.clocks(environment)
      state.time = state.time.advanced(by: max(0, uptime &- state.uptime))
      state.uptime = uptime
      return Mark(time: state.time, wall: wall)
    }
  }

  private static func clocks(_ environment: Environment) -> (wall: WallTime, uptime: Int64) {
    let wall = environment.now()
    return (wall, environment.uptime?() ?? wall.milliseconds)
  }
}
