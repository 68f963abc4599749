// SPDX-License-Identifier: Apache-2.0
// A month of the calendar, and the weekday with which a locale's weeks begin.

import Foundation

/// A month of the Gregorian calendar, in the years 1970 to 6429.
public struct LocalMonth: Hashable, Comparable, Sendable {
  /// 1970 to 6429.
  public let year: Int
  /// 1 to 12.
  public let month: Int

  private static let years = 1970...6429

  /// A month by its parts; nil if there is none.
  public init?(year: Int, month: Int) {
    guard Self.years.contains(year), (1...12).contains(month) else { return nil }
    self.year = year
    self.month = month
  }

  /// The month of a day. Days outside the years that can be stored are in the first or last month.
  public init(_ day: LocalDay) {
    // A day that another program made up may be far outside.
    let number = min(max(day.number, 0), 1_628_905)
    let parts = LocalDay(number: number).parts
    year = min(max(parts.year, Self.years.lowerBound), Self.years.upperBound)
    month = parts.month
  }

  /// The month in which an instant falls.
  public init(_ date: Date, in zone: TimeZone) {
    self.init(LocalDay(date, in: zone))
  }

  /// The month before; the first month stays itself.
  public var previous: LocalMonth { moved(by: -1) }
  /// The month after; the last month stays itself.
  public var next: LocalMonth { moved(by: 1) }

  private func moved(by months: Int) -> LocalMonth {
    let index = year * 12 + month - 1 + months
    return LocalMonth(year: index / 12, month: index % 12 + 1) ?? self
  }

  /// Its first day.
  public var firstDay: LocalDay {
    guard let day = LocalDay(year: year, month: month, day: 1) else {
      preconditionFailure("every month that can be made has a first day")
    }
    return day
  }

  /// 28 to 31.
  public var dayCount: Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// `November 2026`.
  public var title: String { "\(Catalogue.text("calendar.month.\(month)")) \(year)" }

  /// `2026-11`.
  public var iso: String { "\(padded(year, 4))-\(padded(month, 2))" }

  /// The earlier month is the smaller.
  public static func < (a: LocalMonth, b: LocalMonth) -> Bool {
    (a.year, a.month) < (b.year, b.month)
  }
}

/// A day of the week.
public enum Weekday: Int, Hashable, Sendable, CaseIterable {
  /// The numbers are those of Foundation's calendars.
  case sunday = 1
  case monday, tuesday, wednesday, thursday, friday, saturday

  /// The weekday of a day.
  public init(_ day: LocalDay) {
    // 1970-01-01 was a Thursday. Swift's remainder takes the sign of its dividend.
    let index = ((day.number % 7) + 7 + 4) % 7
    self = Self.allCases[index]
  }

  /// The weekday with which weeks begin where a locale is spoken; Monday (ISO 8601) where nothing
  /// is known of it.
  public static func first(in locale: Locale) -> Weekday {
    var calendar = Calendar(identifier: .gregorian)
    calendar.locale = locale
    return Weekday(rawValue: calendar.firstWeekday) ?? .monday
  }

  /// `Mon`.
  public var shortName: String { Catalogue.text("calendar.weekday.\(rawValue)") }

  /// The seven, beginning with this one.
  public var week: [Weekday] {
    (0..<7).map { Self.allCases[(rawValue - 1 + $0) % 7] }
  }
}
