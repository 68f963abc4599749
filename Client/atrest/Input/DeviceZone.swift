// SPDX-License-Identifier: Apache-2.0
// Decides in which zone this device's days and clocks are.

import Foundation

/// The zone that `TZ` names in any form it may have, else the one that the system is set to.
enum DeviceZone {
  /// - Parameter environment: That of this process: a rule in `TZ` is read by the C library.
  static func current(at now: Date, environment: [String: String]) -> TimeZone {
    guard let value = environment["TZ"] else { return .current }
    return named(value) ?? offset(at: now)
  }

  /// The zone of a name, `Asia/Tokyo`, or of a file in a folder of zones; nil for a rule, and for
  /// what names none.
  static func named(_ value: String) -> TimeZone? {
    let name = value.hasPrefix(":") ? String(value.dropFirst()) : value
    guard name.hasPrefix("/") else { return known(name) }
    let target = URL(fileURLWithPath: name).resolvingSymlinksInPath().path
    for path in [name, target] {
      if let folder = path.range(of: "/zoneinfo/", options: .backwards),
        let zone = known(String(path[folder.upperBound...]))
      {
        return zone
      }
    }
    return nil
  }

  private static func known(_ name: String) -> TimeZone? {
    // Foundation takes `GMT+3` for a place ahead of Greenwich; in `TZ` it is one behind.
    TimeZone(identifier: name).flatMap { $0.identifier == name ? $0 : nil }
  }

  /// What the C library makes of `TZ` now. A rule with summer time is taken at its present offset,
  /// all year: no `TimeZone` holds a rule.
  private static func offset(at now: Date) -> TimeZone {
    var second = time_t(now.timeIntervalSince1970)
    var parts = tm()
    tzset()
    localtime_r(&second, &parts)
    return TimeZone(secondsFromGMT: Int(parts.tm_gmtoff)) ?? .gmt
  }
}
