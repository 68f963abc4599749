// SPDX-License-Identifier: Apache-2.0
// Makes what people wrote fit to be shown: without steering characters, and not too long.

import AtrestDomain

/// Text that people or other programs wrote, ready for a picture.
enum ShownText {
  /// The most scalars of one character: an emoji of a family has seven.
  private static let scalarLimit = 8

  /// The text in one line, at most `limit` characters; a longer one ends in `…`.
  ///
  /// Controls, line ends and marks of direction become spaces: none can steer what is around.
  /// Joiners stay, because emoji and Persian need them.
  static func line(_ text: String, limit: Int) -> String {
    guard limit > 0 else { return "" }
    var words = ""
    var count = 0
    var isSpace = true
    for character in text {
      let shown = safe(character)
      if shown == " " {
        isSpace = true
        continue
      }
      let added = isSpace && !words.isEmpty ? 2 : 1
      guard count + added <= limit else {
        if count >= limit { words.removeLast() }
        return words + "…"
      }
      if added == 2 { words += " " }
      words.append(shown)
      count += added
      isSpace = false
    }
    return words
  }

  /// The text as lines of at most `width` characters, broken at spaces; the last of `count` lines
  /// ends in `…` if there is more.
  static func lines(_ text: String, width: Int, count: Int) -> [String] {
    guard width > 0, count > 0 else { return [] }
    var rest = line(text, limit: width * count)[...]
    var lines: [String] = []
    while !rest.isEmpty, lines.count < count {
      var taken = rest.prefix(width)
      if taken.endIndex < rest.endIndex, rest[taken.endIndex] != " ",
        let space = taken.lastIndex(of: " ")
      {
        taken = taken[..<space]
      }
      rest = rest[taken.endIndex...]
      while rest.first == " " { rest.removeFirst() }
      lines.append(String(taken))
    }
    if !rest.isEmpty, let last = lines.popLast() {
      lines.append(String(last.prefix(width - 1)) + "…")
    }
    return lines
  }

  /// The text in one line that is about as wide as `points` at most.
  ///
  /// - Parameter size: The size of the font in points.
  static func fitted(_ text: String, points: Double, size: Double) -> String {
    let whole = line(text, limit: 200)
    guard width(of: whole, size: size) > points else { return whole }
    var shown = ""
    var used = size * 0.8
    for character in whole {
      used += width(of: character) * size
      guard used <= points else { break }
      shown.append(character)
    }
    while shown.last == " " || shown.last == "…" { shown.removeLast() }
    return shown + "…"
  }

  /// About how wide a text is, in points. Generous: fonts differ.
  static func width(of text: String, size: Double) -> Double {
    var sum = 0.0
    for character in text { sum += width(of: character) }
    return sum * size
  }

  private static func width(of character: Character) -> Double {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    switch scalar.value {
    case 0x20, 0x21, 0x27...0x29, 0x2C...0x2E, 0x3A, 0x3B, 0x69, 0x6A, 0x6C, 0x74, 0x72, 0x66:
      return 0.38
    case 0x41...0x5A, 0x6D, 0x77: return 0.76
    case 0x30...0x39: return 0.68
    case 0x00...0x10FF: return 0.6
    case 0x2000...0x2BFF: return 0.8
    default: return 1.08
    }
  }

  private static func safe(_ character: Character) -> Character {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return " " }
    if first == "\u{FFFE}" || first == "\u{FFFF}" || character.isBlank { return " " }
    if scalars.count == 1 { return first.steersDisplay ? " " : character }
    var kept = String.UnicodeScalarView()
    for scalar in scalars where kept.count < scalarLimit {
      if !scalar.steersDisplay { kept.append(scalar) }
    }
    let text = String(kept)
    return text.count == 1 ? text.first ?? " " : " "
  }
}
