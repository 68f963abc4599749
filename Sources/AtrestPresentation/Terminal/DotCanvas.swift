// SPDX-License-Identifier: Apache-2.0
// A canvas of braille dots: two across and four down per terminal cell.

import AtrestDomain

/// A canvas of coloured dots.
public struct DotCanvas {
  /// The dots per cell. In most terminals such dots are square.
  public static let perCell = (columns: 2, rows: 4)

  /// The width in dots.
  public let width: Int
  /// The height in dots.
  public let height: Int
  private let columns: Int
  private let rows: Int
  private var dots: [Ink?]

  /// The style of a dot.
  public struct Ink: Hashable, Sendable {
    /// The colour.
    public var colour: RGB
    /// Whether it is dimmed.
    public var isDim: Bool
    /// Whether it is ground, which a star may cover.
    var isGround = false

    /// Creates an ink.
    public init(colour: RGB, isDim: Bool = false) {
      self.colour = colour
      self.isDim = isDim
    }

    /// Creates the ink of the ground.
    init(colour: RGB, isDim: Bool = false, isGround: Bool) {
      self.init(colour: colour, isDim: isDim)
      self.isGround = isGround
    }
  }

  /// Creates an empty canvas. Sizes are in cells, clamped to 0...`Drawing.limit`.
  public init(columns: Int, rows: Int) {
    self.columns = Drawing.clamped(columns)
    self.rows = Drawing.clamped(rows)
    width = self.columns * Self.perCell.columns
    height = self.rows * Self.perCell.rows
    dots = Array(repeating: nil, count: width * height)
  }

  /// The dot at a position; nil if empty or outside. Writes outside are ignored.
  public subscript(x: Int, y: Int) -> Ink? {
    get { x >= 0 && x < width && y >= 0 && y < height ? dots[y * width + x] : nil }
    set { if x >= 0, x < width, y >= 0, y < height { dots[y * width + x] = newValue } }
  }

  /// A dot's threshold in an even scatter, 0 to 1. The dots with thresholds below a density are
  /// evenly spread, in that proportion, and a subset of those at any higher density.
  ///
  /// Source: Roberts, "The Unreasonable Effectiveness of Quasirandom Sequences", 2018: the R2
  /// sequence as a dither mask.
  public static func place(x: Int, y: Int) -> Double {
    let sum = Double(x) * 0.754_877_666_246_693 + Double(y) * 0.569_840_290_998_053
    return sum - sum.rounded(.down)
  }

  /// Draws a silhouette.
  ///
  /// Clears a narrow gap around it, so that it stands out from its background even without colours.
  /// - Parameters:
  ///   - x: The left edge in dots; `y` is the top edge.
  ///   - ink: Returns style and density of the dots at a fraction of the height from the top.
  mutating func draw(
    _ shape: DotShape, x: Int, y: Int, ink: (Double) -> (ink: Ink, density: Double)
  ) {
    for dot in shape.dots {
      for (down, across) in Self.around {
        self[x + dot.column + across, y + dot.row + down] = nil
      }
    }
    for dot in shape.dots {
      let (ink, density) = ink((Double(dot.row) + 0.5) / Double(shape.size))
      let (x, y) = (x + dot.column, y + dot.row)
      // Edges are denser than the interior, so that a faint tree keeps its form.
      if Self.place(x: x, y: y) < (dot.isEdge ? density * 1.3 : density) { self[x, y] = ink }
    }
  }

  private static let around = [
    (-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 0), (0, 1), (1, -1), (1, 0), (1, 1),
  ]

  /// Whether a cell has dots other than ground.
  func isTaken(column: Int, row: Int) -> Bool {
    (0..<Self.perCell.rows).contains { down in
      (0..<Self.perCell.columns).contains { across in
        let dot = self[column * Self.perCell.columns + across, row * Self.perCell.rows + down]
        return dot.map { !$0.isGround } ?? false
      }
    }
  }

  /// Draws the nonempty cells into a drawing.
  public func draw(into drawing: inout Drawing) {
    for row in 0..<rows {
      for column in 0..<columns {
        if let cell = cell(column: column, row: row) { drawing[column, row] = cell }
      }
    }
  }

  /// The bits of braille patterns by row and column. Source: Unicode, Braille Patterns.
  private static let bits: [[UInt32]] = [
    [0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80],
  ]

  /// A cell in the colour of most of its dots.
  private func cell(column: Int, row: Int) -> Cell? {
    var pattern: UInt32 = 0
    var inks: [(ink: Ink, count: Int)] = []
    for down in 0..<Self.perCell.rows {
      for across in 0..<Self.perCell.columns {
        let (x, y) = (column * Self.perCell.columns + across, row * Self.perCell.rows + down)
        guard let ink = self[x, y] else { continue }
        pattern |= Self.bits[down][across]
        if let index = inks.firstIndex(where: { $0.ink == ink }) {
          inks[index].count += 1
        } else {
          inks.append((ink, 1))
        }
      }
    }
    guard let most = inks.max(by: { $0.count < $1.count }),
      let scalar = Unicode.Scalar(0x2800 + pattern)
    else { return nil }
    return Cell(Character(scalar), foreground: most.ink.colour, isDim: most.ink.isDim)
  }
}

/// A silhouette rasterised to a square of dots.
struct DotShape {
  /// The side of the square in dots.
  let size: Int
  /// The dots from top to bottom.
  let dots: [Dot]

  /// A dot of a silhouette.
  struct Dot {
    let row: Int
    let column: Int
    /// Whether a neighbour is empty.
    let isEdge: Bool
  }

  /// The least coverage of a filled dot. Below one half, so that thin branches remain.
  private static let least = 0.42

  /// Rasterises a silhouette.
  ///
  /// - Complexity: That of `SilhouettePath.coverage`.
  init(_ path: SilhouettePath, size: Int) {
    self.size = min(max(size, 1), SilhouettePath.limitCells)
    let filled = path.coverage(columns: self.size, rows: self.size)
      .map { row in row.map { $0 >= Self.least } }
    func isFilled(_ row: Int, _ column: Int) -> Bool {
      filled.indices.contains(row) && filled[row].indices.contains(column) && filled[row][column]
    }
    var dots: [Dot] = []
    for (row, cells) in filled.enumerated() {
      for (column, isDot) in cells.enumerated() where isDot {
        let isInside =
          isFilled(row - 1, column) && isFilled(row + 1, column) && isFilled(row, column - 1)
          && isFilled(row, column + 1)
        dots.append(Dot(row: row, column: column, isEdge: !isInside))
      }
    }
    self.dots = dots
  }
}
