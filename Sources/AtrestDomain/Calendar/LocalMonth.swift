// SPDX-License-Identifier: Apache-2.0
// A calendar month, and the days of the week.

import AtrestReplication

/// A month of the Gregorian calendar in the years 1970 to 6429.
public struct LocalMonth: Hashable, Comparable, Sendable {
  /// The year, 1970 to 6429.
  public let year: Int
  /// The month, 1 to 12.
  public let month: Int

  private static let years = 1970...6429

  /// Creates a month from its parts; nil if one is out of range.
  public init?(year: Int, month: Int) {
    guard Self.years.contains(year), (1...12).contains(month) else { return nil }
    self.year = year
    self.month = month
  }

  /// The month of a day, clamped to the supported years.
  public init(_ day: LocalDay) {
    // A day read from a foreign file may be far out of range.
    let number = min(max(day.number, 0), 1_628_905)
    let parts = LocalDay(number: number).parts
    year = min(max(parts.year, Self.years.lowerBound), Self.years.upperBound)
    month = parts.month
  }

  /// The month of an instant in a time zone.
  public init(_ time: WallTime, in zone: ZoneOffsets) {
    self.init(LocalDay(time, in: zone))
  }

  /// The month before; the first month returns itself.
  public var previous: LocalMonth { moved(by: -1) }
  /// The month after; the last month returns itself.
  public var next: LocalMonth { moved(by: 1) }

  private func moved(by months: Int) -> LocalMonth {
    let index = year * 12 + month - 1 + months
    return LocalMonth(year: index / 12, month: index % 12 + 1) ?? self
  }

  /// The first of the month.
  public var firstDay: LocalDay {
    guard let day = LocalDay(year: year, month: month, day: 1) else {
      preconditionFailure("every month that can be made has a first day")
    }
    return day
  }

  /// The number of its days, 28 to 31.
  public var dayCount: Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// The title, such as `November 2026`.
  public var title: String { "\(Catalogue.text("calendar.month.\(month)")) \(year)" }

  /// The ISO 8601 form, such as `2026-11`.
  public var iso: String { "\(padded(year, 4))-\(padded(month, 2))" }

  /// Orders months, earlier first.
  public static func < (a: LocalMonth, b: LocalMonth) -> Bool {
    (a.year, a.month) < (b.year, b.month)
  }
}

/// A day of the week.
public enum Weekday: Int, Hashable, Sendable, CaseIterable {
  /// The raw values are those of Foundation's calendars.
  case sunday = 1
  case monday, tuesday, wednesday, thursday, friday, saturday

  /// The weekday of a day.
  public init(_ day: LocalDay) {
    // 1970-01-01 was a Thursday. Swift's remainder has the sign of its dividend.
    let index = ((day.number % 7) + 7 + 4) % 7
    self = Self.allCases[index]
  }

  /// The abbreviated name, such as `Mon`.
  public var shortName: String { Catalogue.text("calendar.weekday.\(rawValue)") }

  /// The seven weekdays, starting with this one.
  public var week: [Weekday] {
    (0..<7).map { Self.allCases[(rawValue - 1 + $0) % 7] }
  }
}
