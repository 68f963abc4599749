// SPDX-License-Identifier: Apache-2.0
// Texts of a file as records can hold them.

import TrunkDomain

/// Reads texts of a file. They are kept whole where a record can hold them: the limits of what
/// people type are for typing, and what was written elsewhere is shown and synced as it is.
struct FileTexts {
  /// The longest text of one line, in bytes. With four of them and a harvest's words a sprout is
  /// still well within the 64 KiB of a record.
  static let lineBytes = 8_000
  /// The longest words, in bytes: a field holds 16 KiB with its encoding.
  static let wordsBytes = 16_000
  /// The longest value of a setting, in bytes.
  static let settingBytes = 4_000

  /// How many texts had to be cut.
  private(set) var shortened = 0

  /// A text as one line; nil for none.
  mutating func line(_ text: String?, bytes: Int = lineBytes) -> String? {
    text.flatMap { cut(GardenRules.inOneLine($0), bytes) }
  }

  /// Words of any number of lines; nil for none.
  mutating func words(_ text: String?) -> String? {
    text.flatMap { cut($0, Self.wordsBytes) }
  }

  /// As many whole characters as there is room for; nil for none.
  private mutating func cut(_ text: String, _ bytes: Int) -> String? {
    guard text.utf8.count > bytes else { return text.isEmpty ? nil : text }
    shortened += 1
    var end = text.startIndex
    var room = bytes
    for index in text.indices {
      room -= text[index].utf8.count
      guard room >= 0 else { break }
      end = text.index(after: index)
    }
    guard end == text.startIndex else { return String(text[..<end]) }
    // One character with marks without end: as many of those as there is room for.
    var scalars = String.UnicodeScalarView()
    room = bytes
    for scalar in text.unicodeScalars {
      room -= UTF8.width(scalar)
      guard room >= 0 else { break }
      scalars.append(scalar)
    }
    return String(scalars)
  }
}
