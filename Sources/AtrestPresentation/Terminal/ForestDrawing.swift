// SPDX-License-Identifier: Apache-2.0
// Draws a forest in a terminal.

import AtrestDomain

/// A forest drawn with dots.
public enum ForestDrawing {
  /// Draws a whole forest into the given size.
  ///
  /// Trees are placed as in the picture, as far as space allows; their size depends on their
  /// number. Distant ones are dimmer and less dense.
  /// - Parameters:
  ///   - trees: All trees, oldest first, as `TreeMapper` gives them; the newest 200 are drawn.
  ///   - width: Columns; 0 to `Drawing.limit`, like `height`.
  /// - Complexity: About ten milliseconds.
  public static func draw(_ trees: [Tree], width: Int, height: Int) -> Drawing {
    var drawing = Drawing(width: width, height: height)
    guard drawing.width > 0, drawing.height > 0 else { return drawing }
    let scene = ForestDots(trees: trees, columns: drawing.width, rows: drawing.height)
    scene.draw(into: &drawing)
    if trees.isEmpty { writeEmpty(into: &drawing) }
    return drawing
  }

  /// The rows needed to tell that many trees apart at a width: at least 16, so that a few trees
  /// have a sky.
  public static func height(trees: Int, width: Int) -> Int {
    let columns = max(20, Drawing.clamped(width))
    let drawn = Double(min(max(trees, 0), ForestCanvas.treeLimit))
    let dots = drawn * ForestDots.meanArea * 22 * 22 / ForestDots.crowding
    let perRow = Double(columns * DotCanvas.perCell.columns * DotCanvas.perCell.rows)
    return min(max(16, Int((dots / perRow).rounded(.up))), 160)
  }

  private static func writeEmpty(into drawing: inout Drawing) {
    let words = Word.forestEmpty.text
    guard words.count <= drawing.width else { return }
    drawing.write(
      words, column: (drawing.width - words.count) / 2, row: drawing.height / 2,
      foreground: Palette.muted)
  }
}

/// The layout of one drawing.
private struct ForestDots {
  /// The mean area of a tree over the three layers, relative to the foreground.
  static let meanArea = ForestDepth.allCases.reduce(0) { $0 + Self.scale($1) * Self.scale($1) } / 3
  /// The fraction of the ground that trees may cover.
  static let crowding = 0.55

  let layout: ForestLayout
  let columns: Int
  let rows: Int
  /// The side of a foreground tree in dots.
  let size: Double

  init(trees: [Tree], columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    let width = Double(columns * DotCanvas.perCell.columns)
    let height = Double(rows * DotCanvas.perCell.rows)
    let drawn = Double(max(1, min(trees.count, ForestCanvas.treeLimit)))
    let even = (Self.crowding * width * height / (Self.meanArea * drawn)).squareRoot()
    size = min(max(even, 10), 44, height * 0.5, width * 0.6)
    // Points per dot, so that the layout spaces trees according to their size.
    let points = ForestDepth.foreground.treeSize / max(1, size)
    layout = ForestLayout(
      trees: trees,
      canvas: ForestCanvas(
        width: width * points, screenHeight: height * points / ForestCanvas.leastHeights))
  }

  private static func scale(_ depth: ForestDepth) -> Double {
    depth.treeSize / ForestDepth.foreground.treeSize
  }

  /// A tree and its square in dots.
  private struct Place {
    let tree: PlacedTree
    let foot: Foot
    let size: Int
    let left: Int
    let top: Int
  }

  private func place(_ tree: PlacedTree, on canvas: DotCanvas) -> Place {
    let scale = Self.scale(tree.depth)
    let size = max(1, Int((size * scale).rounded()))
    let (width, height) = (Double(canvas.width), Double(canvas.height))
    // The layout's vertical bands leave a margin that a terminal has no room for.
    let bands = 0.06...0.92
    let part = (tree.y / layout.height - bands.lowerBound) / (bands.upperBound - bands.lowerBound)
    let ground = Double(DotCanvas.perCell.rows)
    let centreX = tree.x / layout.width * width
    let centreY =
      Double(size) / 2 + min(max(part, 0), 1) * max(0, height - ground - Double(size))
    return Place(
      tree: tree, foot: Foot(centreX: centreX, centreY: centreY, size: Double(size)), size: size,
      left: Int(centreX - Double(size) / 2), top: Int(centreY - Double(size) / 2))
  }

  func draw(into drawing: inout Drawing) {
    var canvas = DotCanvas(columns: columns, rows: rows)
    let places = layout.trees.map { place($0, on: canvas) }
    let crest = drawHills(places, in: &canvas)
    drawTrees(places, in: &canvas)
    canvas.draw(into: &drawing)
    drawStars(above: crest, before: canvas, in: &drawing)
  }

  private func drawTrees(_ places: [Place], in canvas: inout DotCanvas) {
    var shapes: [[Int]: DotShape] = [:]
    for place in places {
      let form = TreeSilhouette(variant: place.tree.appearance.variant)
      let key = [form.rawValue, place.size]
      let shape = shapes[key] ?? DotShape(Silhouette.path(form), size: place.size)
      shapes[key] = shape
      let look = look(of: place.tree)
      canvas.draw(shape, x: place.left, y: place.top) { down in
        let colour = RGB.interpolate(
          from: look.light, to: look.dark, t: (down * 8).rounded() / 8 * 0.6)
        return (DotCanvas.Ink(colour: colour, isDim: look.isDim), look.density)
      }
    }
  }

  private func look(
    of tree: PlacedTree
  ) -> (light: RGB, dark: RGB, density: Double, isDim: Bool) {
    let night = Palette.deepNight
    let earth = Palette.earthTone(tree.tone)
    let shade = 0.25 + 0.75 * tree.depth.opacity
    let grey = Palette.treeGrey
    let pair = tree.hasStar ? (earth.light, earth.dark) : (grey, grey)
    // Grey is visible by its colour, so its dots may be denser than its opacity.
    let density = tree.hasStar ? 1 : 0.45
    let distance =
      switch tree.depth {
      case .foreground: 1.0
      case .middle: 0.76
      case .background: 0.58
      }
    return (
      .interpolate(from: night, to: pair.0, t: shade),
      .interpolate(from: night, to: pair.1, t: shade), density * distance,
      tree.depth == .background || !tree.hasStar
    )
  }

  /// Draws the lines of the hills as sparse dots.
  ///
  /// - Returns: The highest dot of the first crest; nil without hills.
  private func drawHills(_ places: [Place], in canvas: inout DotCanvas) -> Int? {
    var crest: Int?
    let ridges = ForestDepth.allCases.flatMap { depth in
      Ridge.ridges(through: places.filter { $0.tree.depth == depth }.map { $0.foot })
        .map { (depth, $0) }
    }.sorted { $0.1.level < $1.1.level }
    for (depth, ridge) in ridges {
      let line = ridge.line(width: Double(canvas.width))
      let ink = DotCanvas.Ink(
        colour: .interpolate(
          from: Palette.deepNight, to: Palette.stroke, t: 0.55 + depth.opacity * 0.45),
        isDim: true, isGround: true)
      for x in 0..<canvas.width {
        let top = Int(height(of: line, at: Double(x) + 0.5).rounded())
        crest = min(crest ?? top, top)
        // A nearer hill hides what is behind it.
        for y in max(0, top)..<max(0, min(canvas.height, top + 8), top) { canvas[x, y] = nil }
        for (down, density) in [(0, 0.34), (1, 0.14), (2, 0.07)]
        where DotCanvas.place(x: x, y: top + down) < density * (0.5 + 0.5 * depth.opacity) {
          canvas[x, top + down] = ink
        }
      }
    }
    return crest
  }

  /// Draws the stars in the open sky: above the first crest, and beside the crowns there.
  private func drawStars(
    above crest: Int?, before canvas: DotCanvas, in drawing: inout Drawing
  ) {
    let zone = Int(Double(canvas.height) * ForestCanvas.starZone.upperBound)
    let sky = min(crest ?? zone, canvas.height) / DotCanvas.perCell.rows
    for star in layout.stars where sky > 0 {
      let column = min(Int(star.x / layout.width * Double(columns)), columns - 1)
      let part = star.y / layout.height / ForestCanvas.starZone.upperBound
      let row = min(max(Int(part * Double(sky)), 0), sky - 1)
      guard !canvas.isTaken(column: column, row: row) else { continue }
      drawing[column, row] = Cell(
        StarMark.of(star.depth),
        foreground: .interpolate(
          from: Palette.deepNight, to: Palette.starLight, t: 0.35 + 0.65 * star.opacity),
        isDim: star.depth == .background, isBold: star.depth == .foreground)
    }
  }
}
