// SPDX-License-Identifier: Apache-2.0
// Tells which characters of text that another program wrote are not safe to show. The only place
// that decides it.

extension Unicode.Scalar {
  /// Whether showing it could move a terminal's cursor, hide words, reverse them or begin a line:
  /// controls, formats (bidirectional marks among them), line and paragraph separators.
  ///
  /// The two joiners do none of it, and Persian and families in emoji are not written without.
  public var steersDisplay: Bool {
    guard self != "\u{200C}", self != "\u{200D}" else { return false }
    // The ranges rather than `generalCategory`, whose table a browser would load: 33 kB.
    return switch value {
    case 0x0...0x1F, 0x7F...0x9F, 0xAD, 0x600...0x605, 0x61C, 0x6DD, 0x70F, 0x890...0x891, 0x8E2,
      0x180E, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x2064, 0x2066...0x206F, 0xFEFF,
      0xFFF9...0xFFFB, 0x110BD, 0x110CD, 0x13430...0x1343F, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A,
      0xE0001, 0xE0020...0xE007F:
      true
    default: false
    }
  }

  /// Whether it is drawn as nothing or as a gap, though it counts as a letter or a mark: fillers of
  /// Hangul, an empty cell of Braille. Two names that differ in it look alike.
  public var isFiller: Bool {
    switch value {
    case 0x34F, 0x115F...0x1160, 0x17B4...0x17B5, 0x2065, 0x2800, 0x3164, 0xFFA0, 0xFFF0...0xFFF8,
      0xE0000, 0xE0002...0xE001F, 0xE0080...0xE00FF, 0xE01F0...0xE0FFF:
      true
    default: false
    }
  }

  /// Whether it shows only together with others: joiners, and what chooses a form.
  fileprivate var isAttached: Bool {
    switch value {
    case 0x200C, 0x200D, 0x180B...0x180F, 0xFE00...0xFE0F, 0xE0100...0xE01EF: true
    default: false
    }
  }

  /// Whether it is Unicode's white space, in any script. The same as `properties.isWhitespace`,
  /// without its table of 20 kB.
  public var isBlank: Bool {
    switch value {
    case 0x9...0xD, 0x20, 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F,
      0x3000:
      true
    default: false
    }
  }
}

extension String {
  /// Whether people can read it as a name and tell it from others: nothing in it steers a display
  /// or is a filler, and something in it can be seen.
  public var isReadableName: Bool {
    !unicodeScalars.contains { $0.steersDisplay || $0.isFiller }
      && unicodeScalars.contains { !$0.isBlank && !$0.isAttached }
  }
}

extension Character {
  /// Whether it begins with white space. The same as `isWhitespace`.
  public var isBlank: Bool { unicodeScalars.first?.isBlank ?? false }

  /// Whether it is a digit of ASCII, alone.
  package var isDigit: Bool { asciiValue.map { (0x30...0x39).contains($0) } ?? false }

  /// Whether it is a letter of ASCII, alone.
  package var isPlainLetter: Bool {
    asciiValue.map { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) } ?? false
  }
}
