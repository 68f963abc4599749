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

  /// What a browser writes has up to 72: a zone has a long name.
  private static let limitBytes = 96

  /// Reads a cell such as `2026-11-21T22:30:00+01:00`, `11/21/26 10:30 PM`, `21.11.2026, 22:30`,
  /// `Nov 21, 2026 at 10:30 PM`, `Sat Nov 21 2026 22:30:00 GMT+0100 (CET)`, `22:30` or
  /// `1795296600`. Nil for anything else.
  ///
  /// - Parameter isClock: Whether the cell has a clock time alone: `20.05.07` is one then, and else
  ///   a date.
  init?(_ text: String, isClock: Bool = false) {
    guard (1...Self.limitBytes).contains(text.utf8.count) else { return nil }
    let words = Self.words(of: text.lowercased())
    let clock = isClock ? Words.moment(of: words, isClock: true) : nil
    guard let moment = clock ?? Words.moment(of: words, isClock: false) else { return nil }
    self = moment
  }

  /// The words of a cell, with those put together that are one: `p. m.`, `24. 5. 2026` and
  /// `2026. 5. 24.`. What stands in brackets at the end is the name of a zone whose offset stands
  /// before it.
  private static func words(of text: String) -> [String] {
    let text = text.hasSuffix(")") ? text.prefix { $0 != "(" } : text[...]
    var words: [String] = []
    // A narrow blank precedes PM in what Apple's systems write.
    for word in separated(String(text)).split(whereSeparator: { $0.isWhitespace || $0 == "," }) {
      if let last = words.last, isBegun(last, before: word) {
        words[words.count - 1] = last + word
      } else {
        words.append(String(word))
      }
    }
    return words
  }

  /// Whether a word is one with the next: the half of `p. m.`, or a part of `24. 5. 2026`.
  private static func isBegun(_ word: String, before next: Substring) -> Bool {
    if word == "a." || word == "p." { return next == "m." || next == "m" }
    func areDigits(_ text: Substring) -> Bool { text.allSatisfy { $0.isASCII && $0.isNumber } }
    let parts = word.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.last == "", parts.dropLast().allSatisfy({ !$0.isEmpty && areDigits($0) }) else {
      return false
    }
    // After the day comes the month with its dot, and after that the year.
    if parts.count == 2 { return next.last == "." && areDigits(next.dropLast()) }
    return parts.count == 3 && areDigits(next.last == "." ? next.dropLast() : next)
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
    private var hasZoneName: Bool?
    private let isClock: Bool

    private init(isClock: Bool) { self.isClock = isClock }

    static func moment(of words: [String], isClock: Bool) -> CSVMoment? {
      var parts = Words(isClock: isClock)
      return words.allSatisfy { parts.take($0[...]) } ? parts.moment : nil
    }

    /// - Returns: Whether the word has a meaning that no earlier one has.
    mutating func take(_ word: Substring) -> Bool {
      switch word {
      case "at", "um", "uhr": return true
      case "am", "a.m.", "a.m": return set(&isAfternoon, false)
      case "pm", "p.m.", "p.m": return set(&isAfternoon, true)
      // `+0000 UTC` says the same twice.
      case "z", "utc", "gmt": return offset == 0 || set(&offset, 0)
      default: break
      }
      for zone in ["utc", "gmt"] where word.hasPrefix(zone) { return takeOffset(word.dropFirst(3)) }
      if word.first == "+" || word.first == "-" { return takeOffset(word) }
      if word.contains(":") { return takeClock(word, separator: ":") }
      if let month = CSVMoment.month(word) { return set(&self.month, month) }
      if CSVMoment.isWeekday(word) { return true }
      let hasDay = day != nil || (month != nil && dayOfMonth != nil)
      if isClock || hasDay, takeClock(word, separator: ".") { return true }
      if let day = CSVMoment.numericDay(word) { return set(&self.day, day) }
      // `+0200 CEST`: a zone's name adds nothing to its offset.
      if offset != nil, (3...5).contains(word.count), word.allSatisfy({ $0.isASCII && $0.isLetter })
      {
        return set(&hasZoneName, true)
      }
      if let instant = CSVMoment.counted(word) { return set(&self.instant, instant) }
      return takeNumber(word)
    }

    private mutating func takeOffset(_ word: Substring) -> Bool {
      CSVMoment.offset(word).map { set(&offset, $0) } ?? false
    }

    private func set<Value>(_ part: inout Value?, _ value: Value) -> Bool {
      guard part == nil else { return false }
      part = value
      return true
    }

    /// `22:30`, `22:30:15.250`, `22.30.15`, and the same with what may be written to it: `10:30pm`,
    /// `22:30z`, `22:30+01:00`.
    private mutating func takeClock(_ word: Substring, separator: Character) -> Bool {
      let clock = word.prefix { $0.isASCII && ($0.isNumber || $0 == separator || $0 == ".") }
      let rest = word[clock.endIndex...]
      var whole = clock
      if separator != ".", let point = clock.firstIndex(of: ".") {
        guard (1...9).contains(clock[point...].dropFirst().utf8.count),
          !clock[point...].dropFirst().contains(".")
        else { return false }
        whole = clock[..<point]
      }
      let parts = whole.split(separator: separator, omittingEmptySubsequences: false)
      let numbers = parts.enumerated().compactMap { index, part in
        CSVMoment.number(part, digits: index == 0 ? 1...2 : 2...2)
      }
      guard (2...3).contains(parts.count), numbers.count == parts.count, numbers[0] < 24,
        numbers[1] < 60, numbers.count == 2 || numbers[2] < 60
      else { return false }
      let second = numbers[0] * 3600 + numbers[1] * 60 + (numbers.count == 3 ? numbers[2] : 0)
      return set(&self.second, second) && (rest.isEmpty || take(rest))
    }

    /// A year or a day of the month.
    private mutating func takeNumber(_ word: Substring) -> Bool {
      var digits = word.prefix { $0.isASCII && $0.isNumber }
      let suffix = word[digits.endIndex...]
      guard ["", ".", "st", "nd", "rd", "th"].contains(suffix), !digits.isEmpty else {
        return false
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
}
