// SPDX-License-Identifier: Apache-2.0
// Selects this device's time zone.

import Foundation

/// The zone of `TZ` in any of its forms, otherwise the system's.
package enum DeviceZone {
  /// - Parameter environment: This process's environment. The C library interprets a rule in `TZ`.
  package static func current(at now: Date, environment: [String: String]) -> TimeZone {
    guard let value = environment["TZ"] else { return .current }
    return named(value) ?? offset(at: now)
  }

  /// The zone of a name such as `Asia/Tokyo` or of a zoneinfo file; nil for a POSIX rule or an
  /// unknown name.
  package static func named(_ value: String) -> TimeZone? {
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
    // Foundation reads `GMT+3` as ahead of Greenwich; in `TZ` it is behind.
    TimeZone(identifier: name).flatMap { $0.identifier == name ? $0 : nil }
  }

  /// The C library's current offset for `TZ`. A rule with daylight saving keeps its present offset
  /// all year, because `TimeZone` cannot represent a rule.
  private static func offset(at now: Date) -> TimeZone {
    var second = time_t(now.timeIntervalSince1970)
    var parts = tm()
    tzset()
    localtime_r(&second, &parts)
    return TimeZone(secondsFromGMT: Int(parts.tm_gmtoff)) ?? .gmt
  }
}
