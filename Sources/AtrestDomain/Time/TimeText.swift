// SPDX-License-Identifier: Apache-2.0
// How instants and lengths of time are written for people and for programs.

import Foundation

/// Writes instants. The digits, words and 24-hour clock are the same in every locale, so that what
/// one person reads to another is what the other sees.
public enum TimeText {
  /// `22:30`.
  public static func clock(_ date: Date, in zone: TimeZone) -> String {
    let second = secondOfDay(date, in: zone)
    return "\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2))"
  }

  /// `today 22:30`, `yesterday 22:30`, `tomorrow 22:30`, or `21 Nov 2026, 22:30`.
  public static func near(_ date: Date, now: Date, in zone: TimeZone) -> String {
    let clock = clock(date, in: zone)
    let day = LocalDay(date, in: zone)
    switch day.number - LocalDay(now, in: zone).number {
    case 0: return "today \(clock)"
    case -1: return "yesterday \(clock)"
    case 1: return "tomorrow \(clock)"
    default: return "\(Self.day(day)), \(clock)"
    }
  }

  /// `21 Nov 2026`.
  public static func day(_ day: LocalDay) -> String {
    let parts = day.parts
    return "\(parts.day) \(months[parts.month - 1]) \(parts.year)"
  }

  /// ISO 8601 in UTC, to the second, or to the millisecond where there are some:
  /// `2026-11-21T20:30:00Z`. For programs.
  public static func iso(_ date: Date) -> String {
    let utc = TimeZone.gmt
    let milliseconds = Int((min(max(date.timeIntervalSince1970, -1e12), 1e12) * 1000).rounded())
    let whole = Date(
      timeIntervalSince1970: (Double(milliseconds) / 1000).rounded(.down))
    let fraction = milliseconds - Int(whole.timeIntervalSince1970) * 1000
    let second = secondOfDay(whole, in: utc)
    return "\(LocalDay(whole, in: utc).iso)T\(clock(whole, in: utc)):\(padded(second % 60, 2))"
      + (fraction == 0 ? "Z" : ".\(padded(fraction, 3))Z")
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private static func secondOfDay(_ date: Date, in zone: TimeZone) -> Int {
    let local = date.timeIntervalSince1970 + Double(zone.secondsFromGMT(for: date))
    return Int((local - Double(LocalDay(date, in: zone).number) * 86_400).rounded(.down))
  }
}

/// Writes lengths of time.
public enum DurationText {
  /// `12h 30m`, `16h`, `45m`, in whole minutes that have passed; anything under a minute, or
  /// negative, is `0m`.
  public static func text(_ seconds: TimeInterval) -> String {
    text(minutes: wholeMinutes(seconds))
  }

  /// The same, from minutes.
  public static func text(minutes: Int) -> String {
    let hours = max(0, minutes) / 60
    let rest = max(0, minutes) % 60
    switch (hours, rest) {
    case (0, _): return "\(rest)m"
    case (_, 0): return "\(hours)h"
    default: return "\(hours)h \(rest)m"
    }
  }

  /// Minutes that have passed in full; 0 for negative lengths.
  public static func wholeMinutes(_ seconds: TimeInterval) -> Int {
    max(0, Milliseconds.whole(seconds)) / Milliseconds.perMinute
  }
}
