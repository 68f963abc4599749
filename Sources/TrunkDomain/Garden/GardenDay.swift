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
    let date = LocalDay(time, in: zone)
    let isBeforeMorning = time < GardenDay(number: date.number).start(in: zone)
    number = isBeforeMorning ? date.number - 1 : date.number
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
    // No difference: the number may be any that another program wrote.
    let today = LocalDay(time, in: .utc).number
    return (today - 2...today + 2).contains(number)
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
    let today = LocalDay(time, in: .utc).number
    return (today - 9...today + 2).contains(monday) && GardenDay(number: monday).week == self
  }

  /// Orders weeks, earlier first.
  public static func < (a: GardenWeek, b: GardenWeek) -> Bool { a.monday < b.monday }
}
