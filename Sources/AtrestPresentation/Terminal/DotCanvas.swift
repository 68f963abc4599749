// SPDX-License-Identifier: Apache-2.0
// Dots finer than a terminal's cells: two across and four down in each, as braille has them.

import AtrestDomain

/// A field of coloured dots.
struct DotCanvas {
  /// Dots across and down in a cell. In most terminals such dots are square.
  static let perCell = (columns: 2, rows: 4)

  /// Dots across.
  let width: Int
  /// Dots down.
  let height: Int
  private let columns: Int
  private let rows: Int
  private var dots: [Ink?]

  /// What a dot is made of.
  struct Ink: Hashable {
    /// Its colour.
    var colour: RGB
    /// Whether it stands back.
    var isDim = false
    /// Whether it is only ground, before which a star still shows.
    var isGround = false
  }

  /// Columns and rows are those of the cells; clamped to 0 to `Drawing.limit`.
  init(columns: Int, rows: Int) {
    self.columns = Drawing.clamped(columns)
    self.rows = Drawing.clamped(rows)
    width = self.columns * Self.perCell.columns
    height = self.rows * Self.perCell.rows
    dots = Array(repeating: nil, count: width * height)
  }

  /// A dot; nil where there is none, and outside. Setting outside does nothing.
  subscript(x: Int, y: Int) -> Ink? {
    get { x >= 0 && x < width && y >= 0 && y < height ? dots[y * width + x] : nil }
    set { if x >= 0, x < width, y >= 0, y < height { dots[y * width + x] = newValue } }
  }

  /// Where in an even scatter a dot comes, from 0 to 1: the dots whose places lie below a density
  /// are as many as it says, nowhere in clumps, and all still there at any greater density.
  ///
  /// Source: Roberts, "The Unreasonable Effectiveness of Quasirandom Sequences", 2018: the R2
  /// sequence as a dither mask.
  static func place(x: Int, y: Int) -> Double {
    let sum = Double(x) * 0.754_877_666_246_693 + Double(y) * 0.569_840_290_998_053
    return sum - sum.rounded(.down)
  }

  /// Draws a silhouette.
  ///
  /// A narrow gap is kept free around it, so that it stands out from what is behind it even without
  /// colours.
  /// - Parameters:
  ///   - x: Its left edge, in dots; `y` its top edge.
  ///   - ink: What a dot is made of, and how densely dots stand there, by the part of its height
  ///     from the top.
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
      // More of an outline than of what it holds: a tree keeps its form when it is faint.
      if Self.place(x: x, y: y) < (dot.isEdge ? density * 1.3 : density) { self[x, y] = ink }
    }
  }

  private static let around = [
    (-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 0), (0, 1), (1, -1), (1, 0), (1, 1),
  ]

  /// Whether a cell has dots of something that stands on the ground.
  func isTaken(column: Int, row: Int) -> Bool {
    (0..<Self.perCell.rows).contains { down in
      (0..<Self.perCell.columns).contains { across in
        let dot = self[column * Self.perCell.columns + across, row * Self.perCell.rows + down]
        return dot.map { !$0.isGround } ?? false
      }
    }
  }

  /// Puts the dots into a drawing, where there are any.
  func draw(into drawing: inout Drawing) {
    for row in 0..<rows {
      for column in 0..<columns {
        if let cell = cell(column: column, row: row) { drawing[column, row] = cell }
      }
    }
  }

  /// The bits of braille, by row and column. Source: Unicode, Braille Patterns.
  private static let bits: [[UInt32]] = [
    [0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80],
  ]

  /// A cell in the colour that most of its dots have.
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

/// A silhouette as dots in a square.
struct DotShape {
  /// The side of the square, in dots.
  let size: Int
  /// Where the dots are, from the top down.
  let dots: [Dot]

  /// A dot of a silhouette.
  struct Dot {
    let row: Int
    let column: Int
    /// Whether it has a neighbour that is none.
    let isEdge: Bool
  }

  /// How much of a dot a silhouette covers at least. Below one half, so that thin branches stay.
  private static let least = 0.42

  /// A silhouette of a size.
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
