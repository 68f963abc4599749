// SPDX-License-Identifier: Apache-2.0
// Terminal output as values: styled characters without control sequences.

import AtrestDomain

/// A styled character of a drawing. One that is two columns wide is followed by a cell that is its
/// second half.
public struct Cell: Hashable, Sendable {
  /// The character. Never a control character.
  public var character: Character
  /// Whether this is the second half of the character before it, and shows nothing itself.
  public var isSecondHalf = false
  /// The colour; nil for the terminal's own.
  public var foreground: RGB?
  /// Whether it is dim: for terminals with few colours, where shades look alike.
  public var isDim: Bool
  /// Whether it is bold.
  public var isBold: Bool

  /// Creates a cell.
  public init(
    _ character: Character, foreground: RGB? = nil, isDim: Bool = false, isBold: Bool = false
  ) {
    self.character = character
    self.foreground = foreground
    self.isDim = isDim
    self.isBold = isBold
  }

  /// An empty cell.
  public static let blank = Cell(" ")
}

/// A grid of cells.
///
/// A drawing also works without colours: distance is shown by the density of dots.
public struct Drawing: Hashable, Sendable {
  /// The width in columns.
  public let width: Int
  /// The rows, from the top.
  public private(set) var rows: [[Cell]]
  /// The height in rows.
  public var height: Int { rows.count }

  /// The most columns or rows drawn; a larger terminal is filled up to this.
  public static let limit = 1000

  /// Creates an empty drawing. Sizes are clamped to 0...`limit`.
  public init(width: Int, height: Int) {
    let width = Self.clamped(width)
    self.width = width
    rows = Array(
      repeating: Array(repeating: .blank, count: width), count: Self.clamped(height))
  }

  static func clamped(_ side: Int) -> Int { min(max(side, 0), limit) }

  /// The cell at a position; blank outside. Writes outside are ignored.
  public subscript(column: Int, row: Int) -> Cell {
    get {
      rows.indices.contains(row) && (0..<width).contains(column) ? rows[row][column] : .blank
    }
    set {
      if rows.indices.contains(row), (0..<width).contains(column) { rows[row][column] = newValue }
    }
  }

  /// Writes text into a row from a column on, truncated at the edge. See `ColumnWidth`.
  public mutating func write(
    _ words: String, column: Int, row: Int, foreground: RGB? = nil, isDim: Bool = false,
    isBold: Bool = false
  ) {
    var column = column
    for character in words.prefix(width) {
      let isWide = ColumnWidth.of(character) == 2
      guard column + (isWide ? 1 : 0) < width else { return }
      var cell = Cell(character, foreground: foreground, isDim: isDim, isBold: isBold)
      self[column, row] = cell
      column += 1
      guard isWide else { continue }
      (cell.character, cell.isSecondHalf) = (" ", true)
      self[column, row] = cell
      column += 1
    }
  }

  /// The text without styles or trailing spaces.
  public var lines: [String] {
    rows.map { row in
      let last = row.lastIndex { $0.character != " " }
      return String(
        row[..<(last.map { $0 + 1 } ?? 0)].lazy.filter { !$0.isSecondHalf }.map { $0.character })
    }
  }

  /// The drawing in ASCII, for terminals and printers without Unicode: dots become characters of
  /// similar darkness.
  public var ascii: Drawing { ascii(marks: [:]) }

  /// The drawing in ASCII, with characters of one's own for some marks.
  public func ascii(marks: [Character: Character]) -> Drawing {
    var result = self
    for row in rows.indices {
      for column in 0..<width {
        let character = rows[row][column].character
        result[column, row].isSecondHalf = false
        result[column, row].character = marks[character] ?? Self.ascii(character)
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

/// The characters of stars, each one column wide in every terminal.
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

/// The characters of the calendar's dots. They differ in form, so that colour is not needed.
enum CalendarMark {
  static let completed: Character = "●"
  static let endedEarly: Character = "○"
}
