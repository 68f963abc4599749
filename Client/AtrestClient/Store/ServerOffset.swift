// SPDX-License-Identifier: Apache-2.0
// How far this device's clock is off, as far as a server's answers tell.

import Replication

/// By how much a server's clock is ahead of this device's.
///
/// What an answer says was the time at some moment between asking and reading: one bound each way, as in Cristian's "Probabilistic clock
/// synchronization" (1989). How long the answer was under way nobody knows (a laptop may have slept on it), so what was believed before is
/// kept as far as the bounds allow, and nothing is taken from the middle between them.
struct ServerOffset: Hashable {
  /// Smaller differences between two clocks are the network's as likely as the clocks'. Milliseconds.
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
  ///   - server: The server's clock when it answered.
  ///   - sent: This device's clock when it asked, or earlier.
  ///   - now: This device's clock when it had read the answer, or later.
  mutating func learn(_ server: WallTime, sent: WallTime, now: WallTime) {
    let bounds = [ServerOffset.between(server, sent), ServerOffset.between(server, now)].sorted()
    // A clock that was set meanwhile can have its bounds the wrong way round.
    milliseconds = min(max(milliseconds, bounds[0]), bounds[1])
  }

  /// Learns the time from news that nobody asked for, which tells that the server's clock is not behind it.
  mutating func learn(_ server: WallTime, now: WallTime) {
    milliseconds = max(milliseconds, ServerOffset.between(server, now))
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
