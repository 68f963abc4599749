// SPDX-License-Identifier: Apache-2.0
// How many columns text takes on a terminal.

/// The width of text in columns.
///
/// Source: Unicode Standard Annex 11, East Asian Width, and Unicode Technical Standard 51 for
/// emoji, in the ranges that terminals agree on.
public enum ColumnWidth {
  /// The columns of a text in one line: two for ideographs and emoji, one for other characters.
  public static func of(_ text: some StringProtocol) -> Int {
    text.reduce(0) { $0 + of($1) }
  }

  /// The columns of a character: 1 or 2.
  public static func of(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first, first.value >= 0x1100 else {
      // A keycap is a digit with marks.
      return scalars.count > 1 && scalars.contains("\u{20E3}") ? 2 : 1
    }
    if scalars.contains("\u{FE0F}") { return 2 }
    return wide.contains { $0.contains(first.value) } ? 2 : 1
  }

  /// The longest beginning of a text within some columns.
  public static func prefix(_ text: some StringProtocol, columns: Int) -> String {
    var room = columns
    return String(
      text.prefix {
        room -= of($0)
        return room >= 0
      })
  }

  /// The longest end of a text within some columns.
  public static func suffix(_ text: some StringProtocol, columns: Int) -> String {
    String(prefix(String(text.reversed()), columns: columns).reversed())
  }

  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x231A...0x231B, 0x23E9...0x23EC, 0x23F0...0x23F0, 0x23F3...0x23F3,
    0x25FD...0x25FE, 0x2614...0x2615, 0x2648...0x2653, 0x26A1...0x26A1, 0x26AA...0x26AB,
    0x26BD...0x26BE, 0x26C4...0x26C5, 0x2705...0x2705, 0x270A...0x270B, 0x2728...0x2728,
    0x274C...0x274C, 0x274E...0x274E, 0x2753...0x2755, 0x2757...0x2757, 0x2795...0x2797,
    0x2B1B...0x2B1C, 0x2B50...0x2B50, 0x2B55...0x2B55, 0x2E80...0x303E, 0x3041...0xA4CF,
    0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F,
    0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F18E...0x1F18E, 0x1F191...0x1F19A, 0x1F200...0x1F265,
    0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F7E0...0x1F7EB, 0x1F900...0x1F9FF,
    0x1FA70...0x1FAFF, 0x20000...0x3FFFD,
  ]
}
