// SPDX-License-Identifier: Apache-2.0
// How far this device's clock is off, as far as a server's answers tell.

import AtrestReplication

/// By how much a server's clock is ahead of this device's.
///
/// An answer's time lies between asking and reading, so the server's clock shows at least that time
/// when it is read, and at most as much more as passed since the question, by a clock that nobody
/// sets (Cristian 1989). A laptop that slept on an answer keeps what it believed before, if that
/// lies within these bounds.
struct ServerOffset: Hashable {
  /// Smaller differences between two clocks are the network's as likely as the clocks'.
  /// Milliseconds.
  static let tolerance: Int64 = 2000

  /// Server's clock minus this device's.
  var milliseconds: Int64 = 0

  /// What a device's times are to be moved by: 0 unless its clock is far off.
  var correction: Int64 {
    milliseconds.magnitude > ServerOffset.tolerance.magnitude ? milliseconds : 0
  }

  /// Learns the time from an answer.
  ///
  /// - Parameters:
  ///   - now: What this device's clock showed when it was read.
  ///   - waited: Milliseconds that passed since the question, by a clock that nobody sets; nil if
  ///     that is not known.
  mutating func learn(_ server: WallTime, now: WallTime, waited: Int64? = 0) {
    let least = ServerOffset.between(server, now)
    guard let waited else {
      milliseconds = max(milliseconds, least)
      return
    }
    let (most, overflow) = least.addingReportingOverflow(max(0, waited))
    milliseconds =
      waited <= ServerOffset.tolerance || overflow ? least : min(max(milliseconds, least), most)
  }

  /// A device's time, corrected if its clock is far off.
  func corrected(_ wall: WallTime) -> WallTime {
    let (sum, overflow) = wall.milliseconds.addingReportingOverflow(correction)
    return overflow ? wall : WallTime(milliseconds: sum)
  }

  /// What the server's clock shows when the device's shows `now`.
  func server(at now: WallTime) -> WallTime {
    let (sum, overflow) = now.milliseconds.addingReportingOverflow(milliseconds)
    return overflow ? now : WallTime(milliseconds: sum)
  }

  /// A time that was corrected, as the device's clock shows it.
  func shown(_ corrected: WallTime) -> WallTime {
    let (difference, overflow) = corrected.milliseconds.subtractingReportingOverflow(correction)
    return overflow ? corrected : WallTime(milliseconds: difference)
  }

  /// How far a server's clock is ahead of a device's; 0 if no number can hold it, which no clock
  /// shows.
  static func between(_ server: WallTime, _ device: WallTime) -> Int64 {
    let (offset, overflow) = server.milliseconds.subtractingReportingOverflow(device.milliseconds)
    return overflow ? 0 : offset
  }
}
