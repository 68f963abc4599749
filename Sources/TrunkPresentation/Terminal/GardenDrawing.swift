// SPDX-License-Identifier: Apache-2.0
// Draws the whole garden in a terminal: the tree in dots, a character for each twig.

import AtrestDomain
import AtrestPresentation
import AtrestReplication
import TrunkDomain

/// The whole garden in characters.
public enum GardenDrawing {
  /// The least size at which all 64 twigs have a cell of their own.
  public static let leastSize = (columns: 60, rows: 20)

  /// Draws the tree in dots. The character at the end of each twig says what is on it most of all:
  /// `●` what grows, `◆` what is ripe, `✧` and `✦` harvests, `○` drafts, `×` what was uprooted,
  /// `⋅` nothing. Below are the meters and the name of the selected part.
  ///
  /// - Parameters:
  ///   - now: The time at which progress and meters are shown.
  ///   - zone: The zone that decides which day it is.
  ///   - width: Columns; 0 to `Drawing.limit`, like `height`.
  ///   - selected: The part under the cursor: it stands in brackets and is bold.
  /// - Complexity: O(n) in the garden's records and in the cells.
  public static func draw(
    _ garden: Garden, at now: WallTime, in zone: ZoneOffsets, width: Int, height: Int,
    selected: NodeID? = nil
  ) -> NodeDrawing {
    var result = NodeDrawing(width: width, height: height)
    guard result.drawing.width > 0, result.drawing.height > 0 else { return result }
    GardenDots(
      garden: garden, now: now, zone: zone, columns: result.drawing.width,
      rows: result.drawing.height, selected: selected
    ).draw(into: &result)
    return result
  }
}

/// The layout of one drawing.
private struct GardenDots {
  let garden: Garden
  let columns: Int
  /// The rows of the tree, the ground's among them.
  let treeRows: Int
  let selected: NodeID?
  let contents: [TwigContent]
  let meters: Meters
  let tree: TreeLayout

  init(
    garden: Garden, now: WallTime, zone: ZoneOffsets, columns: Int, rows: Int, selected: NodeID?
  ) {
    self.garden = garden
    self.columns = columns
    self.selected = selected
    treeRows = max(1, rows - 2)
    contents = TwigContent.all(of: garden, at: now)
    meters = garden.meters(at: now, in: zone)
    let counts = contents.reduce(SproutCounts()) { $0 + $1.counts }
    let dots = DotCanvas.perCell
    let height = Double(treeRows * dots.rows)
    let reach = min(Double(columns * dots.columns) * 0.43, height * 0.95)
    tree = TreeLayout(
      TreeFrame(
        foot: Point(x: Double(columns * dots.columns) / 2, y: height - Double(dots.rows)),
        reach: reach, height: height - Double(dots.rows) * 2,
        growth: 0.55 + 0.45 * TreeFrame.growth(of: garden, counts: counts)))
  }

  func draw(into result: inout NodeDrawing) {
    var canvas = DotCanvas(columns: columns, rows: treeRows)
    drawGround(in: &canvas)
    drawFoliage(in: &canvas)
    drawWood(in: &canvas, result: &result)
    canvas.draw(into: &result.drawing)
    drawTwigs(into: &result)
    drawNames(into: &result)
    StatusLines(garden: garden, meters: meters, contents: contents, selected: selected)
      .write(into: &result.drawing)
  }

  private func cell(_ point: Point) -> (column: Int, row: Int) {
    (
      min(max(Int(point.x) / DotCanvas.perCell.columns, 0), columns - 1),
      min(max(Int(point.y) / DotCanvas.perCell.rows, 0), treeRows - 1)
    )
  }

  private func drawGround(in canvas: inout DotCanvas) {
    let line = canvas.height - DotCanvas.perCell.rows
    let share = meters.soilShare
    for x in 0..<canvas.width {
      canvas[x, line] = DotCanvas.Ink(colour: Shade.leaf)
      // The soil is as dense as it is full.
      for down in 1..<DotCanvas.perCell.rows where DotCanvas.place(x: x, y: down) < share * 0.9 {
        canvas[x, line + down] = DotCanvas.Ink(colour: Shade.earth)
      }
    }
  }

  /// Dots around twigs: more for more leaves and blossoms.
  private func drawFoliage(in canvas: inout DotCanvas) {
    for place in tree.limbs.flatMap({ $0.twigs }) {
      let counts = contents[place.twig.index].counts
      let number = counts.growing + counts.harvested
      guard number > 0 else { continue }
      let isBlooming = counts.harvested > counts.growing
      let ink = DotCanvas.Ink(colour: isBlooming ? Shade.blossom : Shade.leaf, isDim: true)
      let radius = tree.cell * (0.32 + 0.04 * Double(min(number, 6)))
      let middle = place.curve.point(0.8)
      let reach = Int(radius) + 1
      for down in -reach...reach {
        for across in -reach...reach {
          let away = (Double(across * across + down * down)).squareRoot()
          let (x, y) = (Int(middle.x) + across, Int(middle.y) + down)
          if away < radius, DotCanvas.place(x: x, y: y) < 0.42 { canvas[x, y] = ink }
        }
      }
    }
  }

  private func drawWood(in canvas: inout DotCanvas, result: inout NodeDrawing) {
    for limb in tree.limbs {
      let node = NodeID.branch(limb.branch)
      let isSelected = selected == node
      for place in limb.twigs {
        let isBare = contents[place.twig.index].counts.all == 0
        stroke(
          place.curve, from: 0.6, to: 0.6,
          ink: DotCanvas.Ink(colour: Shade.bareWood, isDim: isBare),
          in: &canvas
        ) { _ in }
      }
      stroke(
        limb.curve, from: max(1.4, limb.width * 0.9), to: 1,
        ink: DotCanvas.Ink(colour: isSelected ? Shade.ripe : Shade.wood), in: &canvas
      ) { result.claim(node, column: $0.column, row: $0.row) }
    }
    stroke(
      tree.trunk, from: tree.trunkWidth * 1.15, to: tree.trunkWidth * 0.8,
      ink: DotCanvas.Ink(colour: selected == .trunk ? Shade.ripe : Shade.wood), in: &canvas
    ) {
      result.claim(.trunk, column: $0.column, row: $0.row)
    }
    let foot = cell(tree.trunk.point(0.12))
    result.claim(.trunk, column: foot.column, row: foot.row, isPlace: true)
  }

  /// Draws a curve as dots of a width, and tells each cell of its middle.
  private func stroke(
    _ curve: Curve, from first: Double, to last: Double, ink: DotCanvas.Ink,
    in canvas: inout DotCanvas, _ body: ((column: Int, row: Int)) -> Void
  ) {
    let steps = max(2, Int((curve.end - curve.start).length * 1.6))
    for step in 0...steps {
      let t = Double(step) / Double(steps)
      let point = curve.point(t)
      let half = (first + (last - first) * t) / 2
      let across = curve.direction(t).turned
      // Counts in integers: a stride of fractions needs `fma`, which WebAssembly lacks.
      let sides = Int(half * 2 / 0.7)
      for index in 0...sides {
        let dot = point + across * (Double(index) * 0.7 - half)
        canvas[Int(dot.x), Int(dot.y)] = ink
      }
      body(cell(point))
    }
  }

  /// A character at the end of each twig, in a cell of its own.
  private func drawTwigs(into result: inout NodeDrawing) {
    var taken: Set<Int> = []
    for place in tree.limbs.flatMap({ $0.twigs }) {
      let node = NodeID.twig(place.twig)
      let wanted = cell(place.curve.end)
      guard let (column, row) = free(near: wanted, taken: taken) else { continue }
      taken.insert(row * columns + column)
      let first = contents[place.twig.index].sprouts.first
      let isSelected = selected == node
      result.drawing[column, row] = Cell(
        first.map { Glyph.of($0.mark) } ?? Glyph.bare,
        foreground: first.map { Glyph.colour(of: $0.mark) } ?? Shade.bareWood,
        isDim: first == nil && !isSelected, isBold: isSelected || first != nil)
      result.claim(node, column: column, row: row, isPlace: true)
    }
    for place in tree.limbs.flatMap({ $0.twigs }) {
      let node = NodeID.twig(place.twig)
      guard let (column, row) = result.cell(of: node) else { continue }
      for side in [-1, 1] { result.claim(node, column: column + side, row: row) }
      if selected == node { bracket(column: column, row: row, in: &result) }
    }
  }

  /// The nearest cell that no twig has, within three rows.
  private func free(
    near wanted: (column: Int, row: Int), taken: Set<Int>
  ) -> (column: Int, row: Int)? {
    var best: (column: Int, row: Int)?
    var least = Int.max
    for down in -3...3 {
      for across in -6...6 {
        let (column, row) = (wanted.column + across, wanted.row + down)
        guard (0..<columns).contains(column), (0..<treeRows).contains(row),
          !taken.contains(row * columns + column),
          // Between two twigs is a cell for each bracket of a cursor.
          !taken.contains(row * columns + column - 1), !taken.contains(row * columns + column + 1)
        else { continue }
        let away = across * across + 4 * down * down
        if away < least { (best, least) = ((column, row), away) }
      }
    }
    return best
  }

  private func bracket(column: Int, row: Int, in result: inout NodeDrawing) {
    result.drawing[column - 1, row] = Cell("[", isBold: true)
    result.drawing[column + 1, row] = Cell("]", isBold: true)
  }

  /// The number of each branch on its limb, and the brackets of a selected branch or trunk.
  private func drawNames(into result: inout NodeDrawing) {
    for limb in tree.limbs {
      let node = NodeID.branch(limb.branch)
      // Near the trunk the limbs are thick and free of twigs.
      for part in [0.24, 0.2, 0.28, 0.16, 0.38, 0.5, 0.6, 0.7] {
        let (column, row) = cell(limb.curve.point(part))
        guard result.node(column: column, row: row) == node else { continue }
        result.drawing[column, row] = Cell(
          Character(String(limb.branch + 1)), isBold: true)
        result.claim(node, column: column, row: row, isPlace: true)
        if selected == node { bracket(column: column, row: row, in: &result) }
        break
      }
    }
    if selected == .trunk, let (column, row) = result.cell(of: .trunk) {
      result.drawing[column, row] = Cell(Glyph.richBlossom, foreground: Shade.ripe, isBold: true)
      bracket(column: column, row: row, in: &result)
    }
  }
}
