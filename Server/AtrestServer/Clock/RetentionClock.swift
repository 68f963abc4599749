// SPDX-License-Identifier: Apache-2.0
// The time by which journal entries and deleted records grow old, on a store of one server.

import AtrestReplication
import Synchronization

/// Counts the time that certainly passed, so that no wrong clock ends anything early.
///
/// It runs with the machine's uptime, not with the wall clock. Time in which no server ran counts
/// once devices' clocks agree with the wall clock, if they did before, too: then it is what passed
/// on the wall clock. What is written before they agree is dated as if they did, and no more is
/// counted than its date allows: the wall clock may be set right in between. A wall clock that is
/// set says nothing about the time that passed; until devices agree with it again, only uptime
/// counts. A database has its own clock, see `FeedState.clock`.
package final class RetentionClock: Sendable {
  /// What a store keeps of the clock.
  package struct Mark: Hashable, Sendable {
    /// What it showed. Near the true time, or behind it.
    package var time: WallTime
    /// What the wall clock showed then.
    package var wall: WallTime
    /// Whether devices had agreed with the wall clock since the start, and it was not set since.
    package var isAgreed: Bool

    package init(time: WallTime = .epoch, wall: WallTime = .epoch, isAgreed: Bool = false) {
      self.time = time
      self.wall = wall
      self.isAgreed = isAgreed
    }
  }

  private struct State {
    var time: WallTime
    /// The uptime at `time`, and what the wall clock showed beyond it.
    var uptime: Int64
    var base: Int64
    /// The last mark before this start, while what passed since may still be found out.
    var before: Mark?
    /// By how much the dates given since this start are later than `time`, at least. Milliseconds.
    var allowance = Int64.max
    var isAgreed = false

    /// What passed while no server ran, if the wall clock is right. Milliseconds.
    func missing(_ wall: WallTime) -> Int64 {
      guard let before else { return 0 }
      let then = before.time.advanced(by: wall.milliseconds(since: before.wall))
      return max(0, min(then.milliseconds(since: time), allowance))
    }
  }

  private let state: Mutex<State>
  private let environment: Environment

  /// - Parameters:
  ///   - mark: What the store kept. A new store's clock begins with the wall clock.
  ///   - environment: Its clocks. Without one that cannot be set, the wall clock stands for it.
  package init(_ mark: Mark, _ environment: Environment) {
    self.environment = environment
    let (wall, uptime) = Self.clocks(environment)
    state = Mutex(
      State(
        time: mark.time == .epoch ? wall : mark.time, uptime: uptime,
        base: wall.milliseconds &- uptime, before: mark.isAgreed ? mark : nil))
  }

  /// The clock now, for a store to keep.
  package var mark: Mark {
    state.withLock { state in
      let wall = advance(&state)
      return Mark(time: state.time, wall: wall, isAgreed: state.isAgreed)
    }
  }

  /// The clock now, and what dates things that are kept from now on: its time, or a later one that
  /// it may show as soon as devices agree with the wall clock. Nothing ends early because of that.
  package func date() -> (mark: Mark, date: WallTime) {
    state.withLock { state in
      let wall = advance(&state)
      state.allowance = state.missing(wall)
      let mark = Mark(time: state.time, wall: wall, isAgreed: state.isAgreed)
      return (mark, state.time.advanced(by: state.allowance))
    }
  }

  /// Devices' clocks agree with the wall clock.
  package func agree() {
    state.withLock { state in
      let wall = advance(&state)
      state.time = state.time.advanced(by: state.missing(wall))
      (state.before, state.isAgreed) = (nil, true)
    }
  }

  /// Lets the time pass, and notices that the wall clock was set: whatever agreed with it before
  /// may have been as wrong.
  private func advance(_ state: inout State) -> WallTime {
    let (wall, uptime) = Self.clocks(environment)
    state.time = state.time.advanced(by: max(0, uptime &- state.uptime))
    state.uptime = uptime
    let base = wall.milliseconds &- uptime
    if (base &- state.base).magnitude > ClockMonitor.tolerance.magnitude {
      (state.before, state.isAgreed) = (nil, false)
    }
    state.base = base
    return wall
  }

  private static func clocks(_ environment: Environment) -> (wall: WallTime, uptime: Int64) {
    let wall = environment.now()
    return (wall, environment.uptime?() ?? wall.milliseconds)
  }
}
