// SPDX-License-Identifier: Apache-2.0
// Reads a time as other apps write it, without guessing which of two numbers is the day. Pure.

import AtrestDomain
import AtrestReplication

/// Whether a date such as `4/5/2026` has its day or its month first.
public enum DateOrder: String, Hashable, Sendable, CaseIterable {
  /// The fourth of… `4/5` is in May.
  case dayFirst = "dmy"
  /// `4/5` is in April.
  case monthFirst = "mdy"
}

/// The parts of a time that a cell has.
struct CSVMoment: Hashable, Sendable {
  /// The parts of a date.
  enum Day: Hashable, Sendable {
    case known(LocalDay)
    /// Two numbers up to 12, in the order of the text.
    case either(first: Int, second: Int, year: Int)
    /// One of them is above 12, which says what the order of the text is.
    case ordered(LocalDay, DateOrder)
  }

  var day: Day?
  /// Seconds since midnight.
  var second: Int?
  /// The offset from UTC in seconds.
  var offset: Int?
  /// A whole instant: a number of seconds or milliseconds since 1970.
  var instant: WallTime?

  private static let limitBytes = 64

  /// Reads a cell such as `2026-11-21T22:30:00+01:00`, `11/21/26 10:30 PM`, `21.11.2026, 22:30`,
  /// `Nov 21, 2026 at 10:30 PM`, `22:30` or `1795296600`. Nil for anything else.
  init?(_ text: String) {
    guard (1...Self.limitBytes).contains(text.utf8.count) else { return nil }
    var words = Words()
    // A narrow blank precedes PM in what Apple's systems write.
    for word in Self.separated(text.lowercased()).split(whereSeparator: {
      $0.isWhitespace || $0 == ","
    }) {
      guard words.take(word) else { return nil }
    }
    guard let moment = words.moment else { return nil }
    self = moment
  }

  /// A blank for the `t` between date and clock.
  private static func separated(_ text: String) -> String {
    var characters = Array(text)
    for index in characters.indices.dropFirst().dropLast()
    where characters[index] == "t" && characters[index - 1].isNumber
      && characters[index + 1].isNumber
    {
      characters[index] = " "
    }
    return String(characters)
  }

  /// The day, if the order is known or does not matter.
  func day(_ order: DateOrder?) -> LocalDay? {
    switch day {
    case nil: return nil
    case .known(let day): return day
    case .ordered(let day, let own): return order == nil || order == own ? day : nil
    case .either(let first, let second, let year):
      guard let order = order ?? (first == second ? .dayFirst : nil) else { return nil }
      let (day, month) = order == .dayFirst ? (first, second) : (second, first)
      return LocalDay(year: year, month: month, day: day)
    }
  }

  /// Whether the reading depends on an order that the text does not tell.
  var isAmbiguous: Bool {
    guard case .either(let first, let second, _) = day else { return false }
    return first != second
  }

  /// The order that the text tells.
  var toldOrder: DateOrder? {
    guard case .ordered(_, let order) = day else { return nil }
    return order
  }

  /// The words of a cell, one after the other.
  private struct Words {
    private var day: Day?
    private var second: Int?
    private var offset: Int?
    private var instant: WallTime?
    private var isAfternoon: Bool?
    private var year: Int?
    private var month: Int?
    private var dayOfMonth: Int?

    /// - Returns: Whether the word has a meaning that no earlier one has.
    mutating func take(_ word: Substring) -> Bool {
      switch word {
      case "at", "um", "uhr": return true
      case "am", "a.m.": return set(&isAfternoon, false)
      case "pm", "p.m.": return set(&isAfternoon, true)
      case "z", "utc", "gmt": return set(&offset, 0)
      default: break
      }
      if word.first == "+" || word.first == "-" {
        return CSVMoment.offset(word).map { set(&offset, $0) } ?? false
      }
      if word.contains(":") { return takeClock(word) }
      if let month = CSVMoment.month(word) { return set(&self.month, month) }
      if CSVMoment.isWeekday(word) { return true }
      if let day = CSVMoment.numericDay(word) { return set(&self.day, day) }
      return takeNumber(word)
    }

    private func set<Value>(_ part: inout Value?, _ value: Value) -> Bool {
      guard part == nil else { return false }
      part = value
      return true
    }

    /// `22:30`, `22:30:15.250`, and the same with what may be written to it: `10:30pm`, `22:30z`,
    /// `22:30+01:00`.
    private mutating func takeClock(_ word: Substring) -> Bool {
      let clock = word.prefix { $0.isASCII && ($0.isNumber || $0 == ":" || $0 == ".") }
      let rest = word[clock.endIndex...]
      let seconds = clock.split(separator: ".", omittingEmptySubsequences: false)
      guard seconds.count <= 2, let whole = seconds.first,
        seconds.count == 1 || (1...9).contains(seconds[1].utf8.count)
      else { return false }
      let parts = whole.split(separator: ":", omittingEmptySubsequences: false)
      let numbers = parts.enumerated().compactMap { index, part in
        CSVMoment.number(part, digits: index == 0 ? 1...2 : 2...2)
      }
      guard (2...3).contains(parts.count), numbers.count == parts.count, numbers[0] < 24,
        numbers[1] < 60, numbers.count == 2 || numbers[2] < 60
      else { return false }
      let second = numbers[0] * 3600 + numbers[1] * 60 + (numbers.count == 3 ? numbers[2] : 0)
      return set(&self.second, second) && (rest.isEmpty || take(rest))
    }

    /// A year, a day of the month, or a time since 1970.
    private mutating func takeNumber(_ word: Substring) -> Bool {
      var digits = word.prefix { $0.isASCII && $0.isNumber }
      let suffix = word[digits.endIndex...]
      guard ["", ".", "st", "nd", "rd", "th"].contains(suffix), !digits.isEmpty else {
        return false
      }
      if suffix.isEmpty, [10, 13].contains(digits.utf8.count), let number = Int64(digits) {
        return set(
          &instant, WallTime(milliseconds: digits.utf8.count == 13 ? number : number * 1000))
      }
      if suffix.isEmpty, digits.utf8.count == 4 {
        return CSVMoment.number(digits, digits: 4...4).map { set(&year, $0) } ?? false
      }
      while digits.utf8.count == 2, digits.first == "0" { digits = digits.dropFirst() }
      return CSVMoment.number(digits, digits: 1...2).map { set(&dayOfMonth, $0) } ?? false
    }

    /// All words together; nil if they do not fit each other.
    var moment: CSVMoment? {
      var moment = CSVMoment(day: day, second: second, offset: offset, instant: instant)
      if year != nil || month != nil || dayOfMonth != nil {
        guard day == nil, let year, let month, let dayOfMonth,
          let day = LocalDay(year: year, month: month, day: dayOfMonth)
        else { return nil }
        moment.day = .known(day)
      }
      if let isAfternoon {
        guard let second, (3600..<13 * 3600).contains(second) else { return nil }
        moment.second = second % (12 * 3600) + (isAfternoon ? 12 * 3600 : 0)
      }
      if instant != nil, moment.day != nil || second != nil || offset != nil { return nil }
      return instant == nil && moment.day == nil && second == nil ? nil : moment
    }
  }

  private init(day: Day?, second: Int?, offset: Int?, instant: WallTime?) {
    (self.day, self.second, self.offset, self.instant) = (day, second, offset, instant)
  }

  // MARK: - Parts

  /// Reads ASCII digits of which there are as many as allowed.
  static func number(_ text: Substring, digits: ClosedRange<Int>) -> Int? {
    guard digits.contains(text.utf8.count),
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int(text)
  }

  /// `2026-11-21`, `2026/11/21`, `21.11.2026`, `11/21/26`.
  private static func numericDay(_ word: Substring) -> Day? {
    guard let mark = word.first(where: { "-/.".contains($0) }) else { return nil }
    let parts = word.split(separator: mark, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    if let year = number(parts[0], digits: 4...4) {
      guard let month = number(parts[1], digits: 1...2), let day = number(parts[2], digits: 1...2)
      else { return nil }
      return LocalDay(year: year, month: month, day: day).map { .known($0) }
    }
    guard let first = number(parts[0], digits: 1...2), let second = number(parts[1], digits: 1...2),
      var year = number(parts[2], digits: 2...4), parts[2].utf8.count != 3
    else { return nil }
    if year < 100 { year += 2000 }
    // Dates with dots have the day first wherever they are written.
    if mark == "." { return LocalDay(year: year, month: second, day: first).map { .known($0) } }
    if first > 12 {
      return LocalDay(year: year, month: second, day: first).map { .ordered($0, .dayFirst) }
    }
    if second > 12 {
      return LocalDay(year: year, month: first, day: second).map { .ordered($0, .monthFirst) }
    }
    guard first > 0, second > 0 else { return nil }
    return .either(first: first, second: second, year: year)
  }

  /// `+01:00`, `-0530`, `+02`.
  private static func offset(_ text: Substring) -> Int? {
    let digits = text.dropFirst().filter { $0 != ":" }
    guard let hours = number(digits.prefix(2)[...], digits: 2...2), hours <= 18 else { return nil }
    let rest = digits.dropFirst(2)
    guard let minutes = rest.isEmpty ? 0 : number(rest, digits: 2...2), minutes < 60,
      hours * 60 + minutes <= 18 * 60
    else { return nil }
    return (text.first == "-" ? -60 : 60) * (hours * 60 + minutes)
  }

  private static let months: [[String]] = [
    ["jan", "january", "januar", "jän"], ["feb", "february", "februar"],
    ["mar", "march", "mär", "mrz", "märz"], ["apr", "april"], ["may", "mai"],
    ["jun", "june", "juni"], ["jul", "july", "juli"], ["aug", "august"],
    ["sep", "sept", "september"], ["oct", "october", "okt", "oktober"], ["nov", "november"],
    ["dec", "december", "dez", "dezember"],
  ]

  private static func month(_ word: Substring) -> Int? {
    let name = String(word.last == "." ? word.dropLast() : word)
    return months.firstIndex { $0.contains(name) }.map { $0 + 1 }
  }

  private static let weekdays = [
    "mo", "tu", "we", "th", "fr", "sa", "su", "di", "mi", "do", "so", "mon", "tue", "tues", "wed",
    "thu", "thur", "thurs", "fri", "sat", "sun", "monday", "tuesday", "wednesday", "thursday",
    "friday", "saturday", "sunday", "montag", "dienstag", "mittwoch", "donnerstag", "freitag",
    "samstag", "sonntag",
  ]

  private static func isWeekday(_ word: Substring) -> Bool {
    weekdays.contains(String(word.last == "." ? word.dropLast() : word))
  }
}
