// SPDX-License-Identifier: Apache-2.0
// A local calendar day, and the instants of a local clock time.

import AtrestReplication

/// A day of the Gregorian calendar. The instants it covers depend on the time zone.
public struct LocalDay: Hashable, Comparable, Sendable {
  /// Days since 1970-01-01.
  public let number: Int

  /// Creates a day from the number of days since 1970-01-01.
  public init(number: Int) {
    self.number = number
  }

  /// The local day of an instant; the first or last of `numbers` beyond them.
  public init(_ time: WallTime, in zone: ZoneOffsets) {
    let day = zone.localSecond(at: time).floored(by: 86_400)
    number = Int(min(max(day, Self.numbers.lowerBound), Self.numbers.upperBound))
  }

  /// The days that instants are mapped to: 2.7 million years each way, so that a number fits into
  /// 32 bits.
  static let numbers: ClosedRange<Int64> = -1_000_000_000...1_000_000_000

  /// Creates a day from its parts; nil if there is no such day or the year is outside 1970 to 6429.
  ///
  /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`. The
  /// year begins in March, so that the leap day is its last.
  public init?(year: Int, month: Int, day: Int) {
    guard (1970...6429).contains(year), (1...12).contains(month), (1...31).contains(day) else {
      return nil
    }
    let marchYear = month <= 2 ? year - 1 : year
    let era = marchYear / 400
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    number = era * 146_097 + dayOfEra - 719_468
    // The 31st of a short month would be the first of the next.
    guard parts == Parts(year: year, month: month, day: day) else { return nil }
  }

  /// Year, month and day.
  public struct Parts: Hashable, Sendable {
    /// The year; 1970 or later for every storable day.
    public let year: Int
    /// The month, 1 to 12.
    public let month: Int
    /// The day of the month, 1 to 31.
    public let day: Int
  }

  /// The day's parts. Source: as for `init(year:month:day:)`, `civil_from_days`.
  public var parts: Parts {
    let shifted = number + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return Parts(
      year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month,
      day: dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }

  /// The day after.
  public var next: LocalDay { LocalDay(number: number + 1) }

  /// The day before.
  public var previous: LocalDay { LocalDay(number: number - 1) }

  /// The instant of a local clock time on this day.
  ///
  /// If clocks are set back and show the time twice, it is the first occurrence.
  /// - Parameter seconds: Seconds since midnight, as the clock shows them.
  /// - Returns: nil if the clocks skip the time.
  public func instant(atSecond seconds: Int, in zone: ZoneOffsets) -> WallTime? {
    instants(atSecond: seconds, in: zone).first
  }

  /// The instants of a local clock time on this day, ascending: two if clocks are set back and show
  /// it twice, none if they skip it.
  ///
  /// - Parameter seconds: Seconds since midnight, as the clock shows them.
  public func instants(atSecond seconds: Int, in zone: ZoneOffsets) -> [WallTime] {
    let asIfUTC = Int64(number) * 86_400 + Int64(seconds)
    // Zones change offset at most once in two days, so the offsets a day before and after suffice.
    let candidates = [asIfUTC - 86_400, asIfUTC + 86_400].map { near in
      asIfUTC - Int64(zone.offset(atSecond: near))
    }
    return Set(candidates.filter { $0 + Int64(zone.offset(atSecond: $0)) == asIfUTC }).sorted()
      .map { WallTime(milliseconds: $0 * 1000) }
  }

  /// The ISO 8601 form, such as `2026-11-21`.
  public var iso: String {
    let parts = parts
    return "\(padded(parts.year, 4))-\(padded(parts.month, 2))-\(padded(parts.day, 2))"
  }

  /// Orders days, earlier first.
  public static func < (a: LocalDay, b: LocalDay) -> Bool {
    a.number < b.number
  }
}

/// A number padded with leading zeros.
func padded(_ number: Int, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
