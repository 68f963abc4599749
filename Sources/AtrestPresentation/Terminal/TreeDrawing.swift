// SPDX-License-Identifier: Apache-2.0
// Draws one tree in a terminal: materialising, established or incomplete.

import AtrestDomain

/// One tree drawn with dots.
public enum TreeDrawing {
  /// Draws a tree as large as fits, centred, its foot at the bottom.
  ///
  /// A materialising tree starts as a few scattered dots. They become more, and denser near the
  /// ground first. No dot ever disappears.
  /// - Parameters:
  ///   - star: The star's opacity, 0 to 1, for an arrival. nil: full over an established tree, none
  ///     over any other.
  ///   - width: Columns; 0 to `Drawing.limit`, like `height`.
  /// - Complexity: A few milliseconds.
  public static func draw(
    _ character: TreeCharacter, _ state: TreeState, star: Double? = nil, width: Int, height: Int
  ) -> Drawing {
    var drawing = Drawing(width: width, height: height)
    var canvas = DotCanvas(columns: width, rows: height)
    guard drawing.width > 0, drawing.height > 0 else { return drawing }
    // One row for the ground, if there is one to spare.
    let ground = drawing.height > 3 ? DotCanvas.perCell.rows : 0
    let size = min(canvas.width, canvas.height - ground, SilhouettePath.limitCells)
    let left = (canvas.width - size) / 2
    let foot = canvas.height - ground
    if ground > 0 { drawGround(in: &canvas, line: foot - 1, reach: Double(size)) }
    let shape = DotShape(Silhouette.path(TreeSilhouette(variant: character.variant)), size: size)
    let look = Look(character: character, state: state)
    canvas.draw(shape, x: left, y: foot - size + Int(Double(size) * 0.018)) { look.ink(at: $0) }
    canvas.draw(into: &drawing)
    drawStar(star ?? (state == .established ? 1 : 0), left: left, size: size, in: &drawing)
    return drawing
  }

  /// The style of a tree by height.
  private struct Look {
    let appearance: TreeAppearance
    let shadow: RGB
    let progress: Double?

    init(character: TreeCharacter, state: TreeState) {
      let grey = RGB.interpolate(from: Palette.treeGrey, to: Palette.deepNight, t: 0.45)
      switch state {
      case .established:
        progress = nil
        appearance = TreeAppearance(character: character, state: state)
        shadow = Palette.earthTone(character.tone).dark
      case .incomplete:
        progress = nil
        appearance = TreeAppearance(character: character, state: state)
        shadow = grey
      case .materialising(let part):
        let part = part.isNaN ? 0 : min(max(part, 0), 1)
        progress = part
        appearance = TreeAppearance(character: character, state: .materialising(progress: part))
        shadow = .interpolate(from: grey, to: Palette.earthTone(character.tone).dark, t: part)
      }
    }

    /// - Parameter down: The fraction of the tree's height from the top.
    func ink(at down: Double) -> (ink: DotCanvas.Ink, density: Double) {
      // Quantised by height, so that all cells of a row have one colour.
      let colour = RGB.interpolate(
        from: appearance.fill, to: shadow, t: (down * 16).rounded() / 16 * 0.6)
      guard let progress else {
        return (DotCanvas.Ink(colour: colour), appearance.opacity)
      }
      let settled = min(max((progress - (1 - down)) / 0.24 + 0.5, 0), 1)
      let density = appearance.opacity + (1 - appearance.opacity) * settled * 0.8
      return (DotCanvas.Ink(colour: colour, isDim: settled < 0.5), density)
    }
  }

  /// Draws scattered dots on both sides of the foot, fewer with distance.
  private static func drawGround(in canvas: inout DotCanvas, line: Int, reach: Double) {
    let middle = Double(canvas.width) / 2
    for x in 0..<canvas.width {
      let away = abs(Double(x) + 0.5 - middle) / max(1, reach * 0.8)
      guard away < 1 else { continue }
      for (down, density) in [(0, 0.5), (1, 0.3), (2, 0.16), (3, 0.08)]
      where DotCanvas.place(x: x, y: down) < density * (1 - away * away) {
        canvas[x, line + down] = DotCanvas.Ink(colour: Palette.stroke, isDim: true, isGround: true)
      }
    }
  }

  /// Draws the star at the top right of the tree's square.
  private static func drawStar(
    _ part: Double, left: Int, size: Int, in drawing: inout Drawing
  ) {
    guard part > 0 else { return }
    let mark = part < 0.34 ? StarMark.faint : part < 0.67 ? StarMark.middle : StarMark.bright
    let column = (left + Int(Double(size) * 0.88)) / DotCanvas.perCell.columns
    let row = max(0, drawing.height - 1 - size / DotCanvas.perCell.rows)
    drawing[min(column, drawing.width - 1), row] = Cell(
      mark,
      foreground: .interpolate(
        from: Palette.deepNight, to: Palette.starLight, t: 0.3 + 0.7 * min(part, 1)),
      isBold: part >= 1)
  }
}
