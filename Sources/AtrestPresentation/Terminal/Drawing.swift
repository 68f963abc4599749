// SPDX-License-Identifier: Apache-2.0
// What a terminal is to show, as values: characters and how they look, without a control sequence.

import AtrestDomain

/// A character of a drawing, one column wide, and how it looks.
public struct Cell: Hashable, Sendable {
  /// What stands there. Never a control character.
  public var character: Character
  /// Its colour; nil for the terminal's own.
  public var foreground: RGB?
  /// Whether it stands back: for terminals with few colours, where shades of one look alike.
  public var isDim: Bool
  /// Whether it stands out.
  public var isBold: Bool

  /// A cell.
  public init(
    _ character: Character, foreground: RGB? = nil, isDim: Bool = false, isBold: Bool = false
  ) {
    self.character = character
    self.foreground = foreground
    self.isDim = isDim
    self.isBold = isBold
  }

  /// Nothing.
  public static let blank = Cell(" ")
}

/// Rows of cells, all equally long.
///
/// A drawing stays beautiful without colours: distance is how densely the dots stand.
public struct Drawing: Hashable, Sendable {
  /// Columns.
  public let width: Int
  /// The rows, from the top.
  public private(set) var rows: [[Cell]]
  /// Rows in all.
  public var height: Int { rows.count }

  /// The most columns or rows that are drawn; a terminal beyond is filled up to there.
  public static let limit = 1000

  /// An empty drawing. Sizes are clamped to 0 to `limit`; of size nothing it has no cells.
  public init(width: Int, height: Int) {
    let width = Self.clamped(width)
    self.width = width
    rows = Array(
      repeating: Array(repeating: .blank, count: width), count: Self.clamped(height))
  }

  static func clamped(_ side: Int) -> Int { min(max(side, 0), limit) }

  /// The cell of a column and a row; blank outside. Setting outside does nothing.
  public subscript(column: Int, row: Int) -> Cell {
    get {
      rows.indices.contains(row) && (0..<width).contains(column) ? rows[row][column] : .blank
    }
    set {
      if rows.indices.contains(row), (0..<width).contains(column) { rows[row][column] = newValue }
    }
  }

  /// Writes words into a row, from a column on; what does not fit is left out.
  mutating func write(
    _ words: String, column: Int, row: Int, foreground: RGB? = nil, isDim: Bool = false,
    isBold: Bool = false
  ) {
    for (index, character) in words.prefix(width).enumerated() {
      self[column + index, row] = Cell(
        character, foreground: foreground, isDim: isDim, isBold: isBold)
    }
  }

  /// The text alone, without spaces at the ends of lines.
  public var lines: [String] {
    rows.map { row in
      let last = row.lastIndex { $0.character != " " }
      return String(row[..<(last.map { $0 + 1 } ?? 0)].map(\.character))
    }
  }

  /// The same in ASCII, for terminals and printers that know nothing else: dots become characters
  /// of about the same darkness.
  public var ascii: Drawing {
    var result = self
    for row in rows.indices {
      for column in 0..<width {
        result[column, row].character = Self.ascii(rows[row][column].character)
      }
    }
    return result
  }

  private static func ascii(_ character: Character) -> Character {
    guard !character.isASCII, let scalar = character.unicodeScalars.first else { return character }
    switch scalar.value {
    case 0x2800...0x28FF:
      let darkness = Array(" .:-+*%#@")
      return darkness[(scalar.value - 0x2800).nonzeroBitCount]
    default:
      switch character {
      case StarMark.bright, StarMark.middle: return "*"
      case StarMark.faint: return "'"
      case CalendarMark.completed: return "o"
      case CalendarMark.endedEarly: return "."
      default: return "?"
      }
    }
  }
}

/// The characters of stars: each is one column wide in every terminal.
enum StarMark {
  static let bright: Character = "✦"
  static let middle: Character = "✧"
  static let faint: Character = "⋅"

  /// The star of a layer.
  static func of(_ depth: ForestDepth) -> Character {
    switch depth {
    case .foreground: bright
    case .middle: middle
    case .background: faint
    }
  }
}

/// The characters of the calendar's dots. They differ in form, so no colour is needed to read them.
enum CalendarMark {
  static let completed: Character = "●"
  static let endedEarly: Character = "○"
}
