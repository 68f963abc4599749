// SPDX-License-Identifier: Apache-2.0
// Draws one branch in a terminal: its eight twigs along the limb.

import AtrestDomain
import AtrestPresentation
import AtrestReplication
import TrunkDomain

/// One branch in characters.
public enum BranchDrawing {
  /// Draws a branch: the limb at the left, and on it the twigs from the first, at the bottom, to
  /// the eighth, each with its label and as many titles as there are rows for.
  ///
  /// - Parameters:
  ///   - branch: The branch, from 0; taken modulo the number of branches.
  ///   - now: The time at which progress is shown.
  ///   - width: Columns; 0 to `Drawing.limit`, like `height`.
  ///   - selected: The twig under the cursor: it is marked and bold.
  /// - Complexity: O(n) in the garden's records.
  public static func draw(
    _ garden: Garden, branch: Int, at now: WallTime, width: Int, height: Int,
    selected: NodeID? = nil
  ) -> NodeDrawing {
    let branch = (branch % Twig.branches + Twig.branches) % Twig.branches
    var result = NodeDrawing(width: width, height: height)
    let contents = TwigContent.all(of: garden, at: now).filter { $0.twig.branch == branch }
    let node = NodeID.branch(branch)
    let counts = contents.reduce(SproutCounts()) { $0 + $1.counts }
    result.write(
      Heading(node, counts: counts, in: garden), node: node, isSelected: selected == node)
    var row = 3
    let titles = titles(of: contents, rows: result.drawing.height - row)
    for content in contents.reversed() {
      let rows = row..<(row + 1 + min(titles, content.sprouts.count))
      draw(
        content, in: garden, rows: rows, isSelected: selected == .twig(content.twig),
        into: &result)
      row = rows.upperBound
    }
    while row < result.drawing.height {
      result.drawing[1, row] = limb
      row += 1
    }
    return result
  }

  /// How many titles each twig may have, so that all twigs fit: at most 9.
  private static func titles(of contents: [TwigContent], rows: Int) -> Int {
    var titles = 0
    while titles < 9 {
      let needed = contents.reduce(0) { $0 + 1 + min(titles + 1, $1.sprouts.count) }
      guard needed <= rows else { break }
      titles += 1
    }
    return titles
  }

  private static let limb = Cell("|", foreground: Shade.wood, isBold: true)

  private static func draw(
    _ content: TwigContent, in garden: Garden, rows: Range<Int>, isSelected: Bool,
    into result: inout NodeDrawing
  ) {
    let node = NodeID.twig(content.twig)
    let isBare = content.counts.all == 0
    for row in rows { result.drawing[1, row] = limb }
    let row = rows.lowerBound
    let wood = isBare ? Shade.bareWood : Shade.wood
    result.drawing.write("`--", column: 2, row: row, foreground: wood, isDim: isBare)
    if isSelected { result.drawing[0, row] = Cell(">", isBold: true) }
    let label = PictureWords.label(of: node, in: garden)
    let name = content.twig.number + (label.map { " \($0)" } ?? "")
    let shown = TerminalText.line(name, limit: max(0, result.drawing.width - 7))
    result.drawing.write(
      shown, column: 6, row: row, foreground: isBare ? Shade.bareWood : nil,
      isBold: isSelected || label != nil)
    var column = 6 + ColumnWidth.of(shown) + 1
    for (_, mark) in content.marks(room: 8) where column < result.drawing.width - 1 {
      result.drawing[column, row] = Cell(Glyph.of(mark), foreground: Glyph.colour(of: mark))
      column += 1
    }
    let hidden = content.sprouts.count - 8
    if hidden > 0 {
      result.drawing.write(" +\(hidden)", column: column, row: row, isDim: true)
    }
    for (index, entry) in content.sprouts.prefix(rows.count - 1).enumerated() {
      let line = row + 1 + index
      result.drawing[6, line] = Cell(
        Glyph.of(entry.mark), foreground: Glyph.colour(of: entry.mark))
      result.drawing.write(
        TerminalText.line(PictureWords.title(of: entry.sprout), limit: result.drawing.width - 9),
        column: 8, row: line, isDim: entry.mark == .scar)
    }
    for row in rows {
      for column in 0..<result.drawing.width {
        result.claim(
          node, column: column, row: row, isPlace: column == 6 && row == rows.lowerBound)
      }
    }
  }
}

extension NodeDrawing {
  /// Writes a heading of two rows, which are the node's.
  mutating func write(_ heading: Heading, node: NodeID, isSelected: Bool) {
    if isSelected { drawing[0, 0] = Cell(">", isBold: true) }
    let first = TerminalText.line(heading.name, limit: drawing.width - 2)
    drawing.write(first, column: 1, row: 0, isBold: true)
    drawing.write(
      TerminalText.line(heading.counts, limit: drawing.width - 2), column: 1, row: 1, isDim: true)
    for column in 0..<drawing.width {
      claim(node, column: column, row: 0, isPlace: column == min(1, drawing.width - 1))
      claim(node, column: column, row: 1)
    }
  }
}
