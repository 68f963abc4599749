// SPDX-License-Identifier: Apache-2.0
// How far this device's clock is off, as far as a server's answers tell.

import Replication

/// By how much a server's clock is ahead of this device's.
///
/// What an answer says is taken for the time of reading it. A laptop that sleeps on one is then told too early a time, until the next answer. Bounds from the
/// times of asking and reading (Cristian 1989) were tried and are worse: where a clock is set by years while a call is under way they are years apart, and
/// what was believed before stays. That takes a clock which nobody sets.
struct ServerOffset: Hashable {
  /// Smaller differences between two clocks are the network's as likely as the clocks'. Milliseconds.
  static let tolerance: Int64 = 2000

  /// Server's clock minus this device's.
  var milliseconds: Int64 = 0

  /// What a device's times are to be moved by: 0 unless its clock is far off.
  var correction: Int64 {
    milliseconds.magnitude > ServerOffset.tolerance.magnitude ? milliseconds : 0
  }

  /// Learns the time from an answer that was read at `now`, by this device's clock.
  mutating func learn(_ server: WallTime, now: WallTime) {
    milliseconds = ServerOffset.between(server, now)
  }

  /// A device's time, corrected if its clock is far off.
  func corrected(_ wall: WallTime) -> WallTime {
    let (sum, overflow) = wall.milliseconds.addingReportingOverflow(correction)
    return overflow ? wall : WallTime(milliseconds: sum)
  }

  /// A time that was corrected, as the device's clock shows it.
  func shown(_ corrected: WallTime) -> WallTime {
    let (difference, overflow) = corrected.milliseconds.subtractingReportingOverflow(correction)
    return overflow ? corrected : WallTime(milliseconds: difference)
  }

  /// How far a server's clock is ahead of a device's; 0 if no number can hold it, which no clock shows.
  static func between(_ server: WallTime, _ device: WallTime) -> Int64 {
    let (offset, overflow) = server.milliseconds.subtractingReportingOverflow(device.milliseconds)
    return overflow ? 0 : offset
  }
}
