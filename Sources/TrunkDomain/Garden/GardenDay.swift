// SPDX-License-Identifier: Apache-2.0
// The garden's days and weeks, which begin at six in the morning.

import AtrestDomain
import AtrestReplication

/// A day of the garden: from 06:00 to 06:00, local time.
public struct GardenDay: Hashable, Comparable, Sendable {
  /// Days since 1970-01-01 of the date on which it begins.
  public let number: Int

  /// The hour at which a day begins.
  public static let firstHour = 6

  /// A day by its number.
  public init(number: Int) {
    self.number = number
  }

  /// The day of an instant where a zone holds.
  public init(_ time: WallTime, in zone: ZoneOffsets) {
    let shift = Int64(Self.firstHour) * 3_600_000
    // On the local clock it is before six as many hours into a date as the date is old.
    let date = LocalDay(time, in: zone)
    let morning =
      date.instant(atSecond: Self.firstHour * 3600, in: zone)
      ?? time.advanced(by: -shift)
    number = time < morning ? date.number - 1 : date.number
  }

  /// When it begins where a zone holds. Where the clocks skip six, an hour later.
  public func start(in zone: ZoneOffsets) -> WallTime {
    let date = LocalDay(number: number)
    let seconds = Self.firstHour * 3600
    return date.instant(atSecond: seconds, in: zone)
      ?? date.instant(atSecond: seconds + 3600, in: zone)
      ?? WallTime(milliseconds: Int64(number) * 86_400_000)
  }

  /// The day after.
  public var next: GardenDay { GardenDay(number: number + 1) }

  /// The week that it belongs to.
  public var week: GardenWeek {
    // 1970-01-01 was a Thursday, the fourth day of its week.
    let weekday = ((number + 3) % 7 + 7) % 7
    return GardenWeek(monday: number - weekday)
  }

  /// Whether it can be the day of an instant in any zone.
  func isPlausible(at time: WallTime) -> Bool {
    abs(number - LocalDay(time, in: .utc).number) <= 2
  }

  /// Orders days, earlier first.
  public static func < (a: GardenDay, b: GardenDay) -> Bool { a.number < b.number }
}

/// A week of the garden: from Monday, 06:00, local time.
public struct GardenWeek: Hashable, Comparable, Sendable {
  /// Days since 1970-01-01 of its Monday.
  public let monday: Int

  /// A week by the number of its Monday.
  public init(monday: Int) {
    self.monday = monday
  }

  /// The week of an instant where a zone holds.
  public init(_ time: WallTime, in zone: ZoneOffsets) {
    self = GardenDay(time, in: zone).week
  }

  /// The first day of the week after.
  public var end: GardenDay { GardenDay(number: monday + 7) }

  /// Whether it can be the week of an instant in any zone.
  func isPlausible(at time: WallTime) -> Bool {
    (-2...9).contains(LocalDay(time, in: .utc).number - monday)
      && GardenDay(number: monday).week == self
  }

  /// Orders weeks, earlier first.
  public static func < (a: GardenWeek, b: GardenWeek) -> Bool { a.monday < b.monday }
}
