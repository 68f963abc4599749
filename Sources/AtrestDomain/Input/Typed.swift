// SPDX-License-Identifier: Apache-2.0
// Parses typed times, durations and amounts. Pure: now and the zone are parameters.

import AtrestReplication

/// Parses typed input. Ignores case and surrounding white space, and guesses nothing. Words are
/// read in English and in German, whatever the language of what is shown.
public enum Typed {
  /// The longest text that is parsed, in characters.
  public static let limitCharacters = 64

  /// Parses a time: `now`, `2h ago`, `30 min ago`, `22:30`, `22h30`, `yesterday 22:30`,
  /// `today 7:05`, `2026-11-21 22:30`, `2026-11-21T22:30:15`, `2026-11-21T20:30:00.250Z`,
  /// `2026-11-21T22:30+02:00`.
  ///
  /// A time without a zone is local to `zone`; an ambiguous one means the first occurrence. A bare
  /// clock time is today's, or yesterday's if today's has not come. The result may lie in the
  /// future: `TypedRules` checks that.
  /// - Throws: `InputProblem.notATime` or `.skippedTime`.
  public static func time(
    _ text: String, now: WallTime, in zone: ZoneOffsets
  ) throws(InputProblem) -> WallTime {
    let text = try normalized(text, or: .notATime)
    if text == "now" || text == "jetzt" { return now }
    let isAgo = text.hasSuffix(" ago")
    if isAgo || text.hasPrefix("vor ") {
      let length = isAgo ? text.dropLast(4) : text.dropFirst(4)
      guard let minutes = TypedDuration.minutes(in: length) else { throw .notATime }
      return now.advanced(by: -Int64(minutes) * Milliseconds.perMinute)
    }
    let today = LocalDay(now, in: zone)
    let days = [
      ("today ", today), ("heute ", today), ("yesterday ", today.previous),
      ("gestern ", today.previous),
    ]
    for (word, day) in days
    where text.hasPrefix(word) {
      guard let second = clockSecond(text.dropFirst(word.count)) else { throw .notATime }
      return try instant(day, second, zone)
    }
    if let second = clockSecond(text[...]) {
      guard let candidate = today.instant(atSecond: second, in: zone) else {
        // Only where the clock shows a later time already was today's meant.
        let shown = zone.localSecond(at: now) - Int64(today.number) * 86_400
        return try instant(shown < second ? today.previous : today, second, zone)
      }
      return candidate.milliseconds(since: now) <= TypedRules.futureSlackMilliseconds
        ? candidate : try instant(today.previous, second, zone)
    }
    return try isoTime(text, in: zone)
  }

  /// The end of a fast that was typed to the minute, with the seconds of the fast's start.
  ///
  /// A start that was not typed has seconds that nobody sees. A fast from 18:00 to 10:00 lasts 16
  /// hours, as it is shown, only if its end has them, too. A time with seconds stays as it is.
  public static func end(_ time: WallTime, ofFastFrom start: WallTime) -> WallTime {
    guard time.milliseconds % Milliseconds.perMinute == 0 else { return time }
    let minute = start.milliseconds.floored(by: Milliseconds.perMinute) * Milliseconds.perMinute
    return time.advanced(by: start.milliseconds - minute)
  }

  /// Parses a duration, `16h`, `16h30m`, `16 hours 30 min` or `90m`, to minutes. It may be 0;
  /// `TypedRules` checks that.
  ///
  /// - Throws: `InputProblem.notADuration`.
  public static func minutes(_ text: String) throws(InputProblem) -> Int {
    let text = try normalized(text, or: .notADuration)
    guard let minutes = TypedDuration.minutes(in: text[...]) else { throw .notADuration }
    return minutes
  }

  /// Parses a target: a duration, or whole hours such as `16`, as in the app's picker.
  ///
  /// - Throws: `InputProblem.notADuration`, `.targetOutOfRange`.
  public static func targetMinutes(_ text: String) throws(InputProblem) -> Int {
    let minutes: Int
    if let hours = Int(text), (0...1_000_000).contains(hours) {
      minutes = hours * 60
    } else {
      minutes = try self.minutes(text)
    }
    try TypedRules.check(targetMinutes: minutes)
    return minutes
  }

  /// Parses an amount, `250`, `250ml`, `0.5l`, `0,5 l` or `8oz` (US fluid ounces, 29.5735295625
  /// ml), to the nearest millilitre. It may be 0 or huge; `TypedRules` checks that.
  ///
  /// - Throws: `InputProblem.notAnAmount`. `.ambiguousAmount` for `1.000` and `1,000`, which are a
  ///   thousand to some people and one to others.
  public static func millilitres(_ text: String) throws(InputProblem) -> Int {
    try millilitres(text, unit: .millilitres)
  }

  /// Parses an amount with a default unit for a bare number.
  ///
  /// - Throws: `InputProblem.notAnAmount`, `.ambiguousAmount`.
  public static func millilitres(
    _ text: String, unit: WaterUnit
  ) throws(InputProblem) -> Int {
    let text = try normalized(text, or: .notAnAmount)
    let number = text.prefix { $0.isDigit || $0 == "." || $0 == "," }
    let typed = text.dropFirst(number.count).drop { $0 == " " }
    // In billionths of a litre, which keeps every significant digit of the ounce.
    let perUnit: Int64
    switch typed.isEmpty ? unit.rawValue[...] : typed {
    case "ml": perUnit = 1_000_000
    case "l": perUnit = 1_000_000_000
    case "oz", "fl oz", "floz": perUnit = 29_573_530
    default: throw .notAnAmount
    }
    let parts = number.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
    guard let whole = digits(parts.first ?? "", upTo: 6) else { throw .notAnAmount }
    var thousandths = whole * 1000
    if parts.count == 2 {
      guard let fraction = digits(parts[1], upTo: 3) else { throw .notAnAmount }
      // No number of thousands begins with a zero.
      guard parts[1].utf8.count < 3 || whole == 0 else { throw .ambiguousAmount }
      thousandths += fraction * [100, 10, 1][parts[1].count - 1]
    } else if parts.count != 1 {
      throw .notAnAmount
    }
    // At most 10^9 thousandths of at most 10^9: within 64 bits.
    return Int((Int64(thousandths) * perUnit + 500_000_000) / 1_000_000_000)
  }

  // MARK: - Parts

  private static func normalized(
    _ text: String, or problem: InputProblem
  ) throws(InputProblem) -> String {
    guard text.utf8.count <= limitCharacters else { throw problem }
    let words = text.lowercased().split(whereSeparator: { $0.isBlank })
    guard !words.isEmpty else { throw problem }
    return words.joined(separator: " ")
  }

  /// Parses one to `limit` ASCII digits.
  static func digits(_ text: Substring, upTo limit: Int) -> Int? {
    guard (1...limit).contains(text.utf8.count),
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int(text)
  }

  /// Parses `7:05`, `22:30`, `22h30` or `22:30:15` to seconds since midnight.
  private static func clockSecond(_ text: Substring) -> Int? {
    let separator: Character = text.contains(":") ? ":" : "h"
    let parts = text.split(separator: separator, omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), parts.dropFirst().allSatisfy({ $0.utf8.count == 2 }),
      let hour = digits(parts[0], upTo: 2), hour < 24,
      let minute = digits(parts[1], upTo: 2), minute < 60
    else { return nil }
    guard parts.count == 3 else { return hour * 3600 + minute * 60 }
    guard separator == ":" else { return nil }
    guard let second = digits(parts[2], upTo: 2), second < 60 else { return nil }
    return hour * 3600 + minute * 60 + second
  }

  private static func instant(
    _ day: LocalDay, _ second: Int, _ zone: ZoneOffsets
  ) throws(InputProblem) -> WallTime {
    guard let instant = day.instant(atSecond: second, in: zone) else { throw .skippedTime }
    return instant
  }

  /// Parses `2026-11-21t22:30` with optional seconds, up to three fractional digits and an optional
  /// zone.
  private static func isoTime(
    _ text: String, in zone: ZoneOffsets
  ) throws(InputProblem) -> WallTime {
    let halves = text.split(maxSplits: 1) { $0 == "t" || $0 == " " }
    guard halves.count == 2 else { throw .notATime }
    let dayParts = halves[0].split(separator: "-", omittingEmptySubsequences: false)
    guard dayParts.map({ $0.utf8.count }) == [4, 2, 2],
      let year = digits(dayParts[0], upTo: 4), let month = digits(dayParts[1], upTo: 2),
      let dayOfMonth = digits(dayParts[2], upTo: 2),
      let day = LocalDay(year: year, month: month, day: dayOfMonth)
    else { throw .notATime }

    let clockEnd = halves[1].firstIndex { "z+-.".contains($0) } ?? halves[1].endIndex
    guard let second = clockSecond(halves[1][..<clockEnd]) else { throw .notATime }
    var rest = halves[1][clockEnd...]
    var milliseconds = 0
    if rest.first == "." {
      let fraction = rest.dropFirst().prefix { $0.isDigit }
      guard halves[1][..<clockEnd].utf8.count > 5, let number = digits(fraction, upTo: 3) else {
        throw .notATime
      }
      milliseconds = number * [100, 10, 1][fraction.count - 1]
      rest = rest.dropFirst(1 + fraction.count)
    }
    let instant =
      rest.isEmpty
      ? try instant(day, second, zone) : try self.instant(day, second, offset(rest))
    return instant.advanced(by: Int64(milliseconds))
  }

  /// Parses a zone offset: `z`, `+02:00` or `-0330`.
  private static func offset(_ text: Substring) throws(InputProblem) -> ZoneOffsets {
    if text == "z" { return .utc }
    guard let sign = text.first, sign == "+" || sign == "-" else { throw .notATime }
    var minute = text.dropFirst(3)
    if minute.first == ":" { minute = minute.dropFirst() }
    guard let hours = digits(text.dropFirst().prefix(2), upTo: 2), hours <= 18,
      text.utf8.count >= 3, minute.utf8.count == 2, let minutes = digits(minute, upTo: 2),
      minutes < 60,
      let zone = ZoneOffsets(first: (sign == "-" ? -1 : 1) * (hours * 3600 + minutes * 60))
    else { throw .notATime }
    return zone
  }
}
