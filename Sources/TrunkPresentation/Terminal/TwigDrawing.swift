// SPDX-License-Identifier: Apache-2.0
// Draws one twig in a terminal: its sprouts with their states and last words.

import AtrestDomain
import AtrestPresentation
import AtrestReplication
import TrunkDomain

/// One twig in characters.
public enum TwigDrawing {
  /// Draws a twig: what grows first, then harvests, drafts and the uprooted, as many as there are
  /// rows for; the last row says how many more there are.
  ///
  /// - Parameters:
  ///   - now: The time at which progress is shown.
  ///   - zone: The zone of the dates.
  ///   - width: Columns; 0 to `Drawing.limit`, like `height`.
  ///   - selected: The sprout under the cursor: it is marked and bold.
  /// - Complexity: O(n) in the garden's records for each sprout that is drawn.
  public static func draw(
    _ garden: Garden, _ twig: Twig, at now: WallTime, in zone: ZoneOffsets, width: Int,
    height: Int, selected: RecordUUID? = nil
  ) -> NodeDrawing {
    var result = NodeDrawing(width: width, height: height)
    let content = TwigContent.of(twig, in: garden, at: now)
    let node = NodeID.twig(twig)
    result.write(Heading(node, counts: content.counts, in: garden), node: node, isSelected: false)
    let (columns, rows) = (result.drawing.width, result.drawing.height)
    let room = columns - 6
    var row = 3
    for (index, (sprout, mark)) in content.sprouts.enumerated() {
      let fact =
        "\(GardenWords.plan(of: sprout)); \(GardenWords.state(of: sprout, at: now, in: zone))"
      let facts = TerminalText.lines(fact, width: room, count: 2)
      let said = GardenWords.lastWords(of: sprout, in: garden) ?? ""
      let words = TerminalText.lines(said, width: room, count: 2)
      let isLast = index == content.sprouts.count - 1
      let needed = 1 + facts.count + words.count
      guard row + needed + (isLast ? 0 : 1) <= rows else {
        result.drawing.write(
          "and \(content.sprouts.count - index) more", column: 4, row: rows - 1, isDim: true)
        break
      }
      let isSelected = selected == sprout.id
      if isSelected { result.drawing[0, row] = Cell(">", isBold: true) }
      result.drawing[2, row] = Cell(
        Glyph.of(mark), foreground: Glyph.colour(of: mark), isBold: true)
      result.drawing.write(
        TerminalText.line(GardenWords.title(of: sprout), limit: room), column: 4, row: row,
        isBold: isSelected || mark != .scar)
      for (down, line) in facts.enumerated() {
        result.drawing.write(line, column: 4, row: row + 1 + down, foreground: Shade.bareWood)
      }
      for (down, line) in words.enumerated() {
        result.drawing.write(line, column: 4, row: row + 1 + facts.count + down)
      }
      row += needed + 1
    }
    if content.sprouts.isEmpty {
      result.drawing.write(
        TerminalText.line("Nothing is planted here yet.", limit: room), column: 4, row: 3,
        isDim: true)
    }
    for row in 2..<max(2, rows) {
      for column in 0..<columns { result.claim(node, column: column, row: row) }
    }
    return result
  }
}
