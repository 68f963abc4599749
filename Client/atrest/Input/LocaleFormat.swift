// SPDX-License-Identifier: Apache-2.0
// How a person writes times and amounts, as far as their locale says it.

import AtrestDomain
import Foundation

/// A person's habits. They change what people read, never what programs read.
struct LocaleFormat: Hashable, Sendable {
  /// The locale for dates, such as `de_DE`; nil where nothing is known.
  let timeLocale: String?
  /// Whether clocks show 1 to 12, with am and pm.
  let hasTwelveHours: Bool
  /// The unit of water where the person chose none.
  let unit: WaterUnit

  /// Twenty-four hours, weeks from Monday, millilitres.
  static let plain = LocaleFormat(timeLocale: nil, hasTwelveHours: false, unit: .millilitres)

  /// The weekday that stands first in a calendar.
  var firstWeekday: Weekday {
    timeLocale.map { Weekday.first(in: Locale(identifier: $0)) } ?? .monday
  }

  private init(timeLocale: String?, hasTwelveHours: Bool, unit: WaterUnit) {
    self.timeLocale = timeLocale
    self.hasTwelveHours = hasTwelveHours
    self.unit = unit
  }

  /// What the environment says: `LC_ALL`, else `LC_TIME` and `LC_MEASUREMENT`, else `LANG`. A
  /// locale that nobody knows is plain.
  init(environment: [String: String]) {
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

  /// Where water is measured in US fluid ounces.
  private static let ounces: Set = [
    "US", "AS", "GU", "MP", "PR", "UM", "VI", "LR", "FM", "MH", "PW",
  ]

  /// `en_US` of `en_US.UTF-8@euro`; nil for `C`, `POSIX`, and what is no language and territory.
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
  /// `22:30`, or `10:30 pm`.
  func clock(_ date: Date, in zone: TimeZone) -> String {
    let clock = TimeText.clock(date, in: zone)
    guard hasTwelveHours, let hour = Int(clock.prefix(2)) else { return clock }
    return "\((hour + 11) % 12 + 1)\(clock.dropFirst(2)) \(hour < 12 ? "am" : "pm")"
  }

  /// A time as it was typed, with `10:30 pm` or `10pm` as a clock of twenty-four hours, which
  /// everybody may type.
  ///
  /// - Throws: `InputProblem.notATime` for an hour that a clock of twelve does not have.
  static func withTwentyFourHours(_ typed: String) throws(InputProblem) -> String {
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
