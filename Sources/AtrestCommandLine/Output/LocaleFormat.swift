// SPDX-License-Identifier: Apache-2.0
// Time and unit conventions from the locale.

import AtrestDomain
import AtrestFoundation
import AtrestReplication
import Foundation

/// A person's locale conventions. They affect output for people, never for programs.
public struct LocaleFormat: Hashable, Sendable {
  /// The locale for dates, such as `de_DE`; nil if unknown.
  public let timeLocale: String?
  /// Whether to use a 12-hour clock.
  public let hasTwelveHours: Bool
  /// The unit of water if the person chose none.
  public let unit: WaterUnit

  /// 24-hour clock, weeks from Monday, millilitres.
  public static let plain = LocaleFormat(timeLocale: nil, hasTwelveHours: false, unit: .millilitres)

  /// The first weekday of a calendar.
  public var firstWeekday: Weekday {
    timeLocale.map { Weekday.first(in: Locale(identifier: $0)) } ?? .monday
  }

  private init(timeLocale: String?, hasTwelveHours: Bool, unit: WaterUnit) {
    self.timeLocale = timeLocale
    self.hasTwelveHours = hasTwelveHours
    self.unit = unit
  }

  /// Reads the environment: `LC_ALL`, else `LC_TIME` and `LC_MEASUREMENT`, else `LANG`. An unknown
  /// locale gives `plain`.
  public init(environment: [String: String]) {
    func locale(_ category: String) -> String? {
      let value = ["LC_ALL", category, "LANG"].lazy.compactMap { environment[$0] }
        .first { !$0.isEmpty }
      return value.flatMap(LocaleFormat.identifier)
    }
    timeLocale = locale("LC_TIME")
    hasTwelveHours =
      switch timeLocale.map({ Locale(identifier: $0).hourCycle }) {
      case .oneToTwelve, .zeroToEleven: true
      default: false
      }
    let territory = locale("LC_MEASUREMENT")?.split(separator: "_").last.map(String.init)
    unit = territory.map(LocaleFormat.ounces.contains) == true ? .fluidOunces : .millilitres
  }

  /// The language of texts: that of `LC_ALL`, else `LC_MESSAGES`, else `LANG`.
  public static func language(environment: [String: String]) -> Language {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }
      .first { !$0.isEmpty }
    return Language(locale: locale ?? "")
  }

  /// Territories that measure drinks in US fluid ounces.
  private static let ounces: Set = [
    "US", "AS", "GU", "MP", "PR", "UM", "VI", "LR", "FM", "MH", "PW",
  ]

  /// Extracts `en_US` from `en_US.UTF-8@euro`; nil for `C`, `POSIX`, and anything but language and
  /// territory.
  private static func identifier(_ value: String) -> String? {
    let name = value.prefix { $0 != "." && $0 != "@" }
    let parts = name.split(separator: "_", omittingEmptySubsequences: false)
    guard parts.count == 2, (2...3).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
      parts.joined().utf8.allSatisfy({ (0x41...0x5A).contains($0 & 0xDF) })
    else { return nil }
    return parts[0].lowercased() + "_" + parts[1].uppercased()
  }
}

extension LocaleFormat {
  /// The clock time, `22:30` or `10:30 pm`.
  public func clock(_ time: WallTime, in zone: ZoneOffsets) -> String {
    let clock = TimeText.clock(time, in: zone)
    guard hasTwelveHours, let hour = Int(clock.prefix(2)) else { return clock }
    return "\((hour + 11) % 12 + 1)\(clock.dropFirst(2)) \(hour < 12 ? "am" : "pm")"
  }

  /// Converts `10:30 pm` or `10pm` in typed input to the 24-hour clock, in every locale.
  ///
  /// - Throws: `InputProblem.notATime` for an hour that a 12-hour clock does not have.
  public static func withTwentyFourHours(_ typed: String) throws(InputProblem) -> String {
    var text = typed.lowercased().trimmingCharacters(in: .whitespacesAndNewlines)[...]
    guard text.utf8.count <= Typed.limitCharacters, text.hasSuffix("am") || text.hasSuffix("pm")
    else { return typed }
    let isAfternoon = text.hasSuffix("pm")
    text = text.dropLast(2)
    while text.last == " " { text = text.dropLast() }
    let start = text.lastIndex(of: " ").map(text.index(after:)) ?? text.startIndex
    let clock = text[start...].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = clock.first, (1...2).contains(first.utf8.count), let hour = Int(first),
      (1...12).contains(hour)
    else { throw .notATime }
    let rest = clock.count == 2 ? clock[1] : "00"
    return "\(text[..<start])\(hour % 12 + (isAfternoon ? 12 : 0)):\(rest)"
  }
}
