// SPDX-License-Identifier: Apache-2.0
// Reads lengths of time as other apps write them. Pure.

import AtrestDomain
import AtrestReplication
import Foundation

/// The unit of a number that stands alone in a column of lengths, in milliseconds.
enum CSVLengthUnit: Double {
  case milliseconds = 1
  case seconds = 1_000
  case minutes = 60_000
  case hours = 3_600_000
  case days = 86_400_000

  private static let names: [(Self, Set<String>)] = [
    (.milliseconds, ["ms", "msec", "millis", "millisecond", "milliseconds", "millisekunden"]),
    // Apple's systems have intervals, in seconds.
    (
      .seconds, ["s", "sec", "secs", "second", "seconds", "sek", "sekunde", "sekunden", "interval"]
    ),
    (.minutes, ["m", "min", "mins", "minute", "minutes", "minuten"]),
    (.hours, ["h", "hr", "hrs", "hour", "hours", "std", "stunde", "stunden"]),
    (.days, ["d", "day", "days", "tag", "tage"]),
  ]

  /// The unit that a column's name declares: in brackets, or as a word; hours if it declares none,
  /// as for the form of a clock, such as `hh:mm`.
  ///
  /// - Returns: Nil for a name with another unit in brackets, such as `Length (cm)`.
  init?(columnName: String) {
    let name = columnName.lowercased()
    if let open = name.firstIndex(where: { $0 == "(" || $0 == "[" }) {
      let inner = name[name.index(after: open)...].prefix { $0 != ")" && $0 != "]" }
      let words = inner.split { !$0.isLetter }.map(String.init)
      let isClock = words.count > 1 && words.allSatisfy { $0.allSatisfy { "dhms".contains($0) } }
      // `16:8` is a plan of hours.
      if isClock || words.isEmpty || words == ["decimal"] {
        self = .hours
        return
      }
      guard let unit = words.lazy.compactMap(Self.named).first else { return nil }
      self = unit
      return
    }
    let words = CSVColumns.words(of: columnName)
    let declared = words.lazy.compactMap { Self.named($0, among: words.count) }.first
    self = declared ?? .hours
  }

  /// Whether a column's name declares a unit.
  static func isDeclared(by columnName: String) -> Bool {
    columnName.contains { $0 == "(" || $0 == "[" }
      || CSVColumns.words(of: columnName).contains { named($0) != nil }
  }

  /// The words of a column's name without the unit that it ends with: `goal` of `goalHours`.
  static func without(_ words: [String]) -> [String] {
    guard let last = words.last, named(last, among: words.count) != nil else { return words }
    return words.dropLast(words.dropLast().last == "in" ? 2 : 1)
  }

  /// The unit of a word of a column's name. A letter alone may be anything, and a day beside other
  /// words is a date.
  private static func named(_ word: String, among count: Int) -> Self? {
    guard word.count > 1, let unit = named(word), unit != .days || count == 1 else { return nil }
    return unit
  }

  /// The unit of a word in lower case; nil if it is none.
  static func named(_ name: some StringProtocol) -> Self? {
    names.first { $0.1.contains(String(name)) }?.0
  }

  /// How many minutes it has.
  var inMinutes: Double { rawValue / 60_000 }
}

/// A length of time, and how exactly it was written.
struct CSVLength {
  let minutes: Double
  /// The value of one unit of its last digit, in minutes.
  let resolution: Double
  /// Whether the text itself says in which unit it is, as `16:30` and `16h` do.
  let hasOwnUnit: Bool

  /// Reads `16:30`, `16:30:00`, `16h 30m 15s`, `PT16H30M`, `16.5 h`, `16.5` or `16,5`; nil if it
  /// cannot be read.
  ///
  /// - Parameter unit: Of a number that stands alone.
  init?(_ text: String, _ unit: CSVLengthUnit) {
    guard (1...64).contains(text.utf8.count) else { return nil }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    if (2...3).contains(parts.count) {
      let numbers = parts.compactMap { CSVMoment.number($0, digits: 1...3) }
      guard numbers.count == parts.count, numbers.dropFirst().allSatisfy({ $0 < 60 }) else {
        return nil
      }
      minutes =
        Double(numbers[0] * 60 + numbers[1])
        + (numbers.count == 3 ? Double(numbers[2]) / 60 : 0)
      (resolution, hasOwnUnit) = (1, true)
      return
    }
    let point = text.replacingOccurrences(of: ",", with: ".")
    if point.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }),
      let number = Double(point), number <= 10_000_000_000
    {
      minutes = number * unit.inMinutes
      (resolution, hasOwnUnit) = (max(1, Self.resolution(of: point, unit)), false)
      return
    }
    let lowercased = text.lowercased()
    guard let words = lowercased.first == "p" ? Self.isoWords(lowercased) : lowercased,
      let parts = Self.parts(of: words)
    else { return nil }
    // `16h` says nothing of minutes, and `2d` nothing of hours.
    (minutes, resolution, hasOwnUnit) = (parts.minutes, max(1, parts.resolution), true)
  }

  /// Reads a plan such as `16:8`: the hours of a day in which to fast, and those in which to eat.
  /// Nil for anything else.
  init?(plan text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let hours = parts.compactMap { CSVMoment.number($0, digits: 1...2) }
    guard parts.count == 2, hours.count == 2, hours[0] + hours[1] == 24 else { return nil }
    (minutes, resolution, hasOwnUnit) = (Double(hours[0] * 60), 60, true)
  }

  /// `pt16h30m` and `p1dt2h` of ISO 8601 as people write it; nil for one of weeks, months or years.
  private static func isoWords(_ text: String) -> String? {
    let halves = text.dropFirst().split(separator: "t", omittingEmptySubsequences: false)
    guard halves.count <= 2, halves[0].allSatisfy({ $0.isNumber || $0 == "d" }) else { return nil }
    return halves.joined(separator: " ")
  }

  /// Reads numbers with units, the greatest unit first. What follows a greater unit is less than
  /// one of it.
  private static func parts(of text: String) -> (minutes: Double, resolution: Double)? {
    func isBlank(_ character: Character) -> Bool { character.isWhitespace || character == "," }
    var rest = text.drop(while: isBlank)
    var minutes = 0.0
    var last: (unit: CSVLengthUnit, resolution: Double)?
    while !rest.isEmpty {
      let number = rest.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == ",") }
      rest = rest[number.endIndex...].drop(while: isBlank)
      let word = rest.prefix(while: \.isLetter)
      rest = rest[word.endIndex...].drop { isBlank($0) || $0 == "." }
      // `16h30`: two digits after hours are minutes.
      let isMinutesOfHours =
        word.isEmpty && rest.isEmpty && number.utf8.count == 2 && last?.unit == .hours
      guard let unit = isMinutesOfHours ? .minutes : CSVLengthUnit.named(word),
        let count = Double(number.replacingOccurrences(of: ",", with: ".")),
        last.map({ count * unit.rawValue < $0.unit.rawValue }) ?? true
      else { return nil }
      minutes += count * unit.inMinutes
      last = (unit, resolution(of: number, unit))
    }
    return last.map { (minutes, $0.resolution) }
  }

  /// The value of one unit of the last digit of a number, in minutes.
  private static func resolution(of number: some StringProtocol, _ unit: CSVLengthUnit) -> Double {
    let decimals =
      number.split(
        omittingEmptySubsequences: false, whereSeparator: { $0 == "." || $0 == "," }
      ).dropFirst().first?.count ?? 0
    return (0..<decimals).reduce(unit.inMinutes) { whole, _ in whole / 10 }
  }

  /// Whether a fast took so long, as far as both are written exactly: its ends may be rounded to
  /// minutes, too.
  ///
  /// Some apps subtract what clocks show, also over a night in which they are changed.
  func fits(_ start: WallTime, _ end: WallTime, in zone: ZoneOffsets) -> Bool {
    let changed = Double(zone.offset(at: end) - zone.offset(at: start)) / 60
    let took = Double(end.milliseconds(since: start)) / 60_000
    return min(distance(start, end), abs(took + changed - minutes)) <= resolution + 1
  }

  /// By how many minutes a fast took longer or shorter.
  func distance(_ start: WallTime, _ end: WallTime) -> Double {
    abs(Double(end.milliseconds(since: start)) / 60_000 - minutes)
  }
}
