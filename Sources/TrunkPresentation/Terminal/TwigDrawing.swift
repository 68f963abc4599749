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
  ///   - selected: The sprout under the cursor: it is marked, bold, and never out of sight.
  /// - Complexity: O(n) in the garden's records.
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
    let said = LastWords(of: content.sprouts.map { $0.sprout }, in: garden)
    let entries = content.sprouts.map { sprout, mark in
      TwigEntry(sprout, mark, words: said.about(sprout), at: now, zone: zone, width: room)
    }
    var first = 0
    // Scrolls to the sprout under the cursor.
    if let index = entries.firstIndex(where: { $0.sprout.id == selected }) {
      while first < index, index >= first + shown(entries[first...], rows: rows) { first += 1 }
    }
    var row = top
    let count = shown(entries[first...], rows: rows)
    for entry in entries[first..<(first + count)] {
      entry.write(into: &result, row: row, isSelected: entry.sprout.id == selected)
      row += entry.height + 1
    }
    let hidden = entries.count - first - count
    if hidden > 0 {
      result.drawing.write(
        TerminalText.line("and \(hidden) more", limit: room), column: 4, row: rows - 1, isDim: true)
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

  /// The sprouts of a twig in the order of the drawing.
  ///
  /// - Complexity: O(n log n) in the garden's sprouts.
  public static func sprouts(on twig: Twig, in garden: Garden, at now: WallTime) -> [Sprout] {
    TwigContent.of(twig, in: garden, at: now).sprouts.map { $0.sprout }
  }

  /// The first row of the sprouts.
  private static let top = 3

  /// How many of some sprouts fit, with a row for the number of the others.
  private static func shown(_ entries: ArraySlice<TwigEntry>, rows: Int) -> Int {
    var row = top
    for (count, entry) in entries.enumerated() {
      let isLast = count == entries.count - 1
      guard row + entry.height + (isLast ? 0 : 1) <= rows else { return count }
      row += entry.height + 1
    }
    return entries.count
  }
}

/// A sprout as lines of a twig's drawing.
private struct TwigEntry {
  let sprout: Sprout
  let mark: Mark
  let title: String
  let facts: [String]
  let words: [String]

  init(
    _ sprout: Sprout, _ mark: Mark, words: String, at now: WallTime, zone: ZoneOffsets, width: Int
  ) {
    self.sprout = sprout
    self.mark = mark
    title = TerminalText.line(PictureWords.title(of: sprout), limit: width)
    let fact =
      "\(sprout.plantedPlan.label); \(PictureWords.state(of: sprout, at: now, in: zone))"
    facts = TerminalText.lines(fact, width: width, count: 2)
    self.words = TerminalText.lines(words, width: width, count: 2)
  }

  var height: Int { 1 + facts.count + words.count }

  func write(into result: inout NodeDrawing, row: Int, isSelected: Bool) {
    if isSelected { result.drawing[0, row] = Cell(">", isBold: true) }
    result.drawing[2, row] = Cell(Glyph.of(mark), foreground: Glyph.colour(of: mark), isBold: true)
    result.drawing.write(title, column: 4, row: row, isBold: isSelected || mark != .scar)
    for (down, line) in facts.enumerated() {
      result.drawing.write(line, column: 4, row: row + 1 + down, foreground: Shade.bareWood)
    }
    for (down, line) in words.enumerated() {
      result.drawing.write(line, column: 4, row: row + 1 + facts.count + down)
    }
    result.claim(sprout.id, rows: row..<(row + height))
  }
}
