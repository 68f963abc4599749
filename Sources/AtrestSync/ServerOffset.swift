// SPDX-License-Identifier: Apache-2.0
// Estimates this device's clock error from the server's answers.

import AtrestReplication

/// How far a server's clock leads this device's.
///
/// The server reads its clock between request and response. So when the answer arrives, its clock
/// shows at least the answer's time, and at most that plus the monotonic time since the request
/// (Cristian 1989). A laptop that slept during the call keeps its earlier estimate if that lies
/// within these bounds.
package struct ServerOffset: Hashable, Sendable {
  /// Smaller differences may be network delay rather than clock error. Milliseconds.
  package static let tolerance: Int64 = 2000

  /// Server's clock minus this device's, in milliseconds.
  package var milliseconds: Int64

  /// An earlier estimate; without one the clock is right until an answer tells otherwise.
  package init(milliseconds: Int64 = 0) { self.milliseconds = milliseconds }

  /// The correction for this device's times in milliseconds: 0 unless the clock is far off.
  package var correction: Int64 {
    milliseconds.magnitude > ServerOffset.tolerance.magnitude ? milliseconds : 0
  }

  /// Updates the estimate from an answer.
  ///
  /// - Parameters:
  ///   - now: This device's clock when the answer was read.
  ///   - waited: Monotonic milliseconds since the request; nil if unknown.
  package mutating func learn(_ server: WallTime, now: WallTime, waited: Int64? = 0) {
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
  package func corrected(_ wall: WallTime) -> WallTime {
    let (sum, overflow) = wall.milliseconds.addingReportingOverflow(correction)
    return overflow ? wall : WallTime(milliseconds: sum)
  }

  /// The server's clock when the device's shows `now`.
  package func server(at now: WallTime) -> WallTime {
    let (sum, overflow) = now.milliseconds.addingReportingOverflow(milliseconds)
    return overflow ? now : WallTime(milliseconds: sum)
  }

  /// A corrected time as the device's clock shows it.
  package func shown(_ corrected: WallTime) -> WallTime {
    let (difference, overflow) = corrected.milliseconds.subtractingReportingOverflow(correction)
    return overflow ? corrected : WallTime(milliseconds: difference)
  }

  /// How far a server's clock leads a device's; 0 on overflow, which no real clock causes.
  private static func between(_ server: WallTime, _ device: WallTime) -> Int64 {
    let (offset, overflow) = server.milliseconds.subtractingReportingOverflow(device.milliseconds)
    return overflow ? 0 : offset
  }
}
