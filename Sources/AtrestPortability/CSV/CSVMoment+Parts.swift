// SPDX-License-Identifier: Apache-2.0
// The parts of a time as other apps write them: numbers, dates, offsets and names.

import AtrestDomain
import AtrestReplication

extension CSVMoment {
  /// Reads ASCII digits of which there are as many as allowed.
  static func number(_ text: Substring, digits: ClosedRange<Int>) -> Int? {
    guard digits.contains(text.utf8.count),
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int(text)
  }

  /// A count of seconds or milliseconds since 1970, or of seconds since 2001, as Apple's systems
  /// write it. Nine digits are one of the latter: since 1970 so many seconds had passed only until
  /// 2001.
  static func counted(_ word: Substring) -> WallTime? {
    let parts = word.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard number(parts[0], digits: 9...13) != nil, let count = Int64(parts[0]) else { return nil }
    var milliseconds: Int64 = 0
    if parts.count == 2 {
      guard (1...9).contains(parts[1].utf8.count),
        let fraction = number(parts[1].prefix(3), digits: 1...3),
        number(parts[1], digits: 1...9) != nil
      else { return nil }
      milliseconds = Int64(fraction * [100, 10, 1][parts[1].prefix(3).utf8.count - 1])
    }
    switch parts[0].utf8.count {
    case 9: return WallTime(milliseconds: (count + 978_307_200) * 1000 + milliseconds)
    case 10: return WallTime(milliseconds: count * 1000 + milliseconds)
    case 13: return WallTime(milliseconds: count)
    default: return nil
    }
  }

  /// `2026-11-21`, `2026/11/21`, `21.11.2026`, `11/21/26`.
  static func numericDay(_ word: Substring) -> Day? {
    guard let mark = word.first(where: { "-/.".contains($0) }) else { return nil }
    let word = mark == "." && word.last == "." ? word.dropLast() : word
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
    // `26-11-21` may begin with its year, as `2026-11-21` does.
    guard mark != "-" || year >= 100 else { return nil }
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

  /// `+01:00`, `-0530`, `+02`, `+2`.
  static func offset(_ text: Substring) -> Int? {
    guard text.first == "+" || text.first == "-" else { return nil }
    let digits = text.dropFirst().filter { $0 != ":" }
    guard let hours = number(digits.prefix(2)[...], digits: 1...2), hours <= 18 else { return nil }
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

  static func month(_ word: Substring) -> Int? {
    let name = String(word.last == "." ? word.dropLast() : word)
    return months.firstIndex { $0.contains(name) }.map { $0 + 1 }
  }

  private static let weekdays = [
    "mo", "tu", "we", "th", "fr", "sa", "su", "di", "mi", "do", "so", "mon", "tue", "tues", "wed",
    "thu", "thur", "thurs", "fri", "sat", "sun", "monday", "tuesday", "wednesday", "thursday",
    "friday", "saturday", "sunday", "montag", "dienstag", "mittwoch", "donnerstag", "freitag",
    "samstag", "sonntag",
  ]

  static func isWeekday(_ word: Substring) -> Bool {
    weekdays.contains(String(word.last == "." ? word.dropLast() : word))
  }
}
