// SPDX-License-Identifier: Apache-2.0
// Formats instants and durations for people and programs.

import AtrestReplication

/// Formats instants. Words are those of the language; digits and the 24-hour clock are the same in
/// every locale.
public enum TimeText {
  /// The local clock time, such as `22:30`.
  public static func clock(_ time: WallTime, in zone: ZoneOffsets) -> String {
    let second = secondOfDay(time, in: zone)
    return "\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2))"
  }

  /// The local time relative to now: `today 22:30`, `yesterday 22:30`, `tomorrow 22:30`, or `21 Nov
  /// 2026, 22:30`.
  public static func near(_ time: WallTime, now: WallTime, in zone: ZoneOffsets) -> String {
    let clock = clock(time, in: zone)
    let day = LocalDay(time, in: zone)
    switch day.number - LocalDay(now, in: zone).number {
    case 0: return Language.text("today \(clock)", de: "heute \(clock)")
    case -1: return Language.text("yesterday \(clock)", de: "gestern \(clock)")
    case 1: return Language.text("tomorrow \(clock)", de: "morgen \(clock)")
    default: return "\(Self.day(day)), \(clock)"
    }
  }

  /// A day, such as `21 Nov 2026` or `21. Nov. 2026`.
  public static func day(_ day: LocalDay) -> String {
    let parts = day.parts
    return Language.text(
      "\(parts.day) \(months[parts.month - 1]) \(parts.year)",
      de: "\(parts.day). \(germanMonths[parts.month - 1]) \(parts.year)")
  }

  /// ISO 8601 in UTC with seconds, and milliseconds if not zero: `2026-11-21T20:30:00Z`. For
  /// programs.
  public static func iso(_ time: WallTime) -> String {
    let limit: Int64 = 1_000_000_000_000_000  // 31,000 years: the year has at most five digits.
    let time = WallTime(milliseconds: min(max(time.milliseconds, -limit), limit))
    let fraction = Int(time.milliseconds - time.second * 1000)
    let second = secondOfDay(time, in: .utc)
    return "\(LocalDay(time, in: .utc).iso)T\(clock(time, in: .utc)):\(padded(second % 60, 2))"
      + (fraction == 0 ? "Z" : ".\(padded(fraction, 3))Z")
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private static let germanMonths = [
    "Jan.", "Feb.", "März", "April", "Mai", "Juni", "Juli", "Aug.", "Sept.", "Okt.", "Nov.", "Dez.",
  ]

  private static func secondOfDay(_ time: WallTime, in zone: ZoneOffsets) -> Int {
    let local = zone.localSecond(at: time)
    return Int(local - local.floored(by: 86_400) * 86_400)
  }
}

/// Formats durations.
public enum DurationText {
  /// A duration in whole elapsed minutes: `12h 30m`, `16h`, `45m`. `0m` below a minute.
  public static func text(milliseconds: Int64) -> String {
    text(minutes: wholeMinutes(milliseconds: milliseconds))
  }

  /// A duration given in minutes.
  public static func text(minutes: Int) -> String {
    let hours = max(0, minutes) / 60
    let rest = max(0, minutes) % 60
    switch (hours, rest) {
    case (0, _): return "\(rest)m"
    case (_, 0): return "\(hours)h"
    default: return "\(hours)h \(rest)m"
    }
  }

  /// Whole elapsed minutes; 0 for negative durations.
  public static func wholeMinutes(milliseconds: Int64) -> Int {
    Int(clamping: max(0, milliseconds) / Milliseconds.perMinute)
  }
}
