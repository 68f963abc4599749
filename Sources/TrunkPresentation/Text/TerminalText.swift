// SPDX-License-Identifier: Apache-2.0
// Makes text fit for cells: each of its characters takes one column.

import AtrestDomain

/// Text for the cells of a terminal.
enum TerminalText {
  /// The text in one line of at most `limit` columns; a longer one ends in `…`. A character that
  /// is not known to take exactly one column becomes `?`.
  static func line(_ text: String, limit: Int) -> String {
    guard limit > 0 else { return "" }
    return String(ShownText.line(text, limit: limit).map { takesOneColumn($0) ? $0 : "?" })
  }

  /// The text as lines of at most `width` columns.
  static func lines(_ text: String, width: Int, count: Int) -> [String] {
    ShownText.lines(text, width: width, count: count).map { line($0, limit: width) }
  }

  /// Whether terminals give a character one column: Latin, Greek, Cyrillic, and punctuation, with
  /// at most four accents.
  static func takesOneColumn(_ character: Character) -> Bool {
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
