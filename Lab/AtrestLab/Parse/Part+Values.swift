// SPDX-License-Identifier: Apache-2.0
// Parses single values: names, durations, times, amounts, clocks. Units are those of the command
// line.

import AtrestDomain
import AtrestReplication
import Foundation

extension Part {
  /// The node's nonempty text.
  func text(_ what: String) throws(ScenarioError) -> String {
    guard case .text(let text) = content, !text.isEmpty else { throw expected(what) }
    return text
  }

  /// The node's pairs with keys from a list.
  ///
  /// - Parameter what: The block's name, for an error.
  func pairs(_ what: String, keys: [String]) throws(ScenarioError) -> [String: Part] {
    var found: [String: Part] = [:]
    for (key, value) in try pairs(what) {
      let word = try key.text("a key")
      guard keys.contains(word) else {
        throw key.expected("one of \(keys.map { "`\($0)`" }.joined(separator: ", ")) in \(what)")
      }
      found[word] = value
    }
    return found
  }

  /// The node's pairs; an empty node has none.
  func pairs(_ what: String) throws(ScenarioError) -> [(key: Part, value: Part)] {
    switch content {
    case .pairs(let pairs): return pairs
    case .text(""): return []
    default: throw expected(what)
    }
  }

  /// A name: one line of plain text.
  func name(_ what: String) throws(ScenarioError) -> String {
    let text = try text(what)
    guard text.count <= Scenario.Limits.nameCharacters, text.utf8.count <= 96,
      text.unicodeScalars.allSatisfy(Part.isPlain)
    else {
      throw expected("\(what) of at most \(Scenario.Limits.nameCharacters) characters in one line")
    }
    return text
  }

  /// A single name, or several from a range such as `glass 1..25`.
  func names(_ what: String) throws(ScenarioError) -> [String] {
    let text = try name(what)
    guard let dots = text.range(of: "..", options: .backwards) else { return [text] }
    let head = text[..<dots.lowerBound]
    let digits = head.reversed().prefix { $0.isASCII && $0.isNumber }.reversed()
    guard let first = Int(String(digits)), let last = Int(text[dots.upperBound...]) else {
      return [text]
    }
    guard first <= last, last - first < Scenario.Limits.range, last < 1_000_000 else {
      throw expected("a range of 1 to \(Scenario.Limits.range) such as `glass 1..25`")
    }
    let stem = head.dropLast(digits.count)
    return (first...last).map { "\(stem)\($0)" }
  }

  /// An integer from 0 to a million.
  func count() throws(ScenarioError) -> Int {
    guard case .text(let text) = content, let number = Int(text), (0...1_000_000).contains(number)
    else { throw expected("a whole number") }
    return number
  }

  /// `yes` or `no`.
  func flag() throws(ScenarioError) -> Bool {
    guard case .text(let text) = content else { throw expected("`yes` or `no`") }
    switch text.lowercased() {
    case "yes", "true": return true
    case "no", "false": return false
    default: throw expected("`yes` or `no`")
    }
  }

  /// A target in minutes.
  func target() throws(ScenarioError) -> Int {
    guard case .text(let text) = content, let minutes = try? Typed.minutes(text),
      TypedRules.targetMinutes.contains(minutes)
    else { throw expected("a duration such as 16h, at most 7 days") }
    return minutes
  }

  /// An amount in millilitres.
  func amount() throws(ScenarioError) -> Int {
    guard case .text(let text) = content, let amount = try? Typed.millilitres(text),
      TypedRules.millilitres.contains(amount)
    else { throw expected("an amount such as 250 ml, at most 5 litres") }
    return amount
  }

  /// An outcome's name.
  func outcome() throws(ScenarioError) -> String {
    guard case .text(let text) = content, ["active", "completed", "abandoned"].contains(text)
    else { throw expected("`active`, `completed` or `abandoned`") }
    return text
  }

  /// A duration such as `400d`, `2h 30m` or `90s`, in milliseconds.
  func duration() throws(ScenarioError) -> Int64 {
    guard case .text(let text) = content, let length = Lengths.milliseconds(text) else {
      throw expected("a duration such as 2h, 90s or 400d")
    }
    return length
  }

  /// A time: `+2h` after the scenario's start, `22:30` (the last occurrence), `2h ago`, `yesterday
  /// 22:30`, or a date with a time.
  func moment(_ around: Around) throws(ScenarioError) -> WallTime {
    guard case .text(let text) = content, let date = around.moment(text) else {
      throw expected("a time such as 22:30, 2h ago, +16h or 2026-03-02T22:30")
    }
    return date
  }

  /// A clock: `right`, `2h ahead`, `3d behind` or `stuck at 1970-01-01T00:00`.
  func clock(_ around: Around) throws(ScenarioError) -> ClockError {
    let problem = expected(
      "a clock such as `right`, `2h ahead`, `3d behind` or `stuck at 1970-01-01T00:00`")
    guard case .text(let text) = content else { throw problem }
    if text == "right" { return .none }
    if text.hasPrefix("stuck at "), let date = around.date(String(text.dropFirst(9))) {
      return .stuck(date)
    }
    for (word, sign) in [(" ahead", Int64(1)), (" behind", -1)] where text.hasSuffix(word) {
      guard let length = Lengths.milliseconds(String(text.dropLast(word.count))) else { break }
      return .ahead(milliseconds: sign * length)
    }
    throw problem
  }
}

/// The reference times for parsing relative times.
struct Around {
  var start: WallTime
  var now: WallTime
  var zone: ZoneOffsets

  func moment(_ text: String) -> WallTime? {
    if text.hasPrefix("+") {
      return Lengths.milliseconds(String(text.dropFirst())).map { start.advanced(by: $0) }
    }
    return date(text)
  }

  func date(_ text: String) -> WallTime? {
    try? Typed.time(text, now: now, in: zone)
  }
}

/// Durations as scenarios write them.
enum Lengths {
  private static let units: [(letter: Character, milliseconds: Int64)] = [
    ("y", 365 * 86_400_000), ("w", 7 * 86_400_000), ("d", 86_400_000), ("h", 3_600_000),
    ("m", 60_000), ("s", 1000),
  ]

  /// The longest duration in milliseconds.
  static let limit = Int64(Scenario.Limits.years) * 365 * 86_400_000

  /// Parses `1d 2h 30m`: units in descending order, each at most once.
  static func milliseconds(_ text: String) -> Int64? {
    guard text.utf8.count <= 64 else { return nil }
    var (total, rest) = (Int64(0), units[...])
    var digits = ""
    for character in text where character != " " {
      if character.isASCII, character.isNumber {
        digits.append(character)
        continue
      }
      guard let index = rest.firstIndex(where: { $0.letter == character }),
        digits.utf8.count <= 7, let number = Int64(digits)
      else { return nil }
      total += number * rest[index].milliseconds
      rest = rest[(index + 1)...]
      digits = ""
    }
    guard digits.isEmpty, rest.count < units.count, total <= limit else { return nil }
    return total
  }

  /// Formats a duration that `milliseconds` parses, in whole seconds.
  static func text(_ milliseconds: Int64) -> String {
    var rest = max(0, milliseconds)
    var parts: [String] = []
    for (letter, unit) in units.dropFirst(2) where rest >= unit {
      parts.append("\(rest / unit)\(letter)")
      rest %= unit
    }
    return parts.isEmpty ? "0s" : parts.joined(separator: " ")
  }
}
