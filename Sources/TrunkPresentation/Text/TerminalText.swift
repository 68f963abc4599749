// SPDX-License-Identifier: Apache-2.0
// Makes text fit for cells: each of its characters takes a known number of columns.

import AtrestDomain

/// Text for the cells of a terminal.
enum TerminalText {
  /// The text in one line of at most `limit` columns; a longer one ends in `…`. A character whose
  /// columns terminals do not agree on becomes `?`.
  static func line(_ text: String, limit: Int) -> String {
    guard limit > 0 else { return "" }
    let known = String(ShownText.line(text, limit: limit).map { hasKnownWidth($0) ? $0 : "?" })
    guard ColumnWidth.of(known) > limit else { return known }
    return ColumnWidth.prefix(known, columns: limit - 1) + "…"
  }

  /// The text as lines of at most `width` columns.
  static func lines(_ text: String, width: Int, count: Int) -> [String] {
    // Ideographs have no spaces to break at: a line of them has half as many.
    let isWide = ColumnWidth.of(text) > text.count + text.count / 4
    return ShownText.lines(text, width: isWide ? max(1, width / 2) : width, count: count)
      .map { line($0, limit: width) }
  }

  /// Whether terminals agree on a character's columns: Latin, Greek, Cyrillic, and punctuation,
  /// with at most four accents, have one; ideographs, kana, Hangul and simple emoji two.
  static func hasKnownWidth(_ character: Character) -> Bool {
    if character.unicodeScalars.count == 1, ColumnWidth.of(character) == 2 { return true }
    return takesOneColumn(character)
  }

  private static func takesOneColumn(_ character: Character) -> Bool {
    let scalars = character.unicodeScalars
    guard let first = scalars.first, scalars.count <= 5, !first.steersDisplay else { return false }
    for scalar in scalars.dropFirst() where !(0x300...0x36F).contains(scalar.value) {
      return false
    }
    switch first.value {
    case 0x20..<0x7F, 0xA1...0x2FF, 0x370...0x482, 0x48A...0x52F, 0x1E00...0x1FFF: return true
    case 0x2010...0x2027, 0x2030...0x205E, 0x20A0...0x20BF, 0x2212: return true
    default: return false
    }
  }
}
