// SPDX-License-Identifier: Apache-2.0
// Parses typed months.

import AtrestReplication

extension Typed {
  /// Parses a month: `2026-11`, `nov`, `November`, `nov 2026`, `this`, `last`. Without a year it is
  /// the latest such month that has begun.
  ///
  /// - Throws: `ChoiceProblem.notAMonth`.
  public static func month(
    _ text: String, now: WallTime, in zone: ZoneOffsets
  ) throws(ChoiceProblem) -> LocalMonth {
    guard text.utf8.count <= limitCharacters else { throw .notAMonth }
    let words = text.lowercased().split(whereSeparator: { $0.isBlank })
    let current = LocalMonth(now, in: zone)
    switch words.count {
    case 1:
      if ["this", "dieser", "diesen"].contains(words[0]) { return current }
      if ["last", "letzter", "letzten"].contains(words[0]) { return current.previous }
      if let number = monthNumber(words[0]) {
        let year = number > current.month ? current.year - 1 : current.year
        if let month = LocalMonth(year: year, month: number) { return month }
      }
      let parts = words[0].split(separator: "-", omittingEmptySubsequences: false)
      if parts.count == 2, parts[0].utf8.count == 4, parts[1].utf8.count == 2,
        let year = plainNumber(parts[0]), let number = plainNumber(parts[1]),
        let month = LocalMonth(year: year, month: number)
      {
        return month
      }
    case 2:
      if let number = monthNumber(words[0]), words[1].utf8.count == 4,
        let year = plainNumber(words[1]), let month = LocalMonth(year: year, month: number)
      {
        return month
      }
    default: break
    }
    throw .notAMonth
  }

  private static let monthNames = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
  ]

  private static let germanMonthNames = [
    "januar", "februar", "märz", "april", "mai", "juni", "juli", "august", "september", "oktober",
    "november", "dezember",
  ]

  /// The month of a name or of its first three or more letters.
  private static func monthNumber(_ text: Substring) -> Int? {
    guard text.utf8.count >= 3 else { return nil }
    let index =
      monthNames.firstIndex { $0.hasPrefix(text) }
      ?? germanMonthNames.firstIndex { $0.hasPrefix(text) }
    return index.map { $0 + 1 }
  }

  private static func plainNumber(_ text: Substring) -> Int? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
  }
}
