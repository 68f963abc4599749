// SPDX-License-Identifier: Apache-2.0
// Rasterises a silhouette for terminals.

extension SilhouettePath {
  /// The largest raster dimension, in cells.
  public static let limitCells = 512

  /// The coverage of each cell, row by row from the top, 0 to 1.
  ///
  /// - Parameters:
  ///   - columns: Cells across the square; clamped to 1...512.
  ///   - rows: Cells down the square; clamped to 1...512. Terminal cells are about twice as high as
  ///     wide: half as many rows, or half blocks, keep the proportions.
  /// - Complexity: O(outline points × scan lines they cross); four scan lines per row.
  public func coverage(columns: Int, rows: Int) -> [[Double]] {
    let columns = min(max(columns, 1), Self.limitCells)
    let rows = min(max(rows, 1), Self.limitCells)
    let lines = 4
    var cells = Array(repeating: Array(repeating: 0.0, count: columns), count: rows)
    let crossings = crossings(atLines: rows * lines)
    for (line, found) in crossings.enumerated() {
      var winding = 0
      for (index, crossing) in found.enumerated() {
        if winding != 0 {
          let from = found[index - 1].x / TreeSilhouette.side * Double(columns)
          let to = crossing.x / TreeSilhouette.side * Double(columns)
          Self.add(from: from, to: to, weight: 1 / Double(lines), to: &cells[line / lines])
        }
        winding += crossing.direction
      }
    }
    return cells
  }

  private struct Crossing {
    var x: Double
    var direction: Int
  }

  /// The crossings of the outlines with the middle of each scan line, left to right.
  private func crossings(atLines count: Int) -> [[Crossing]] {
    var result = Array(repeating: [Crossing](), count: count)
    let height = TreeSilhouette.side / Double(count)
    for outline in outlines {
      var previous = outline.last ?? SilhouettePoint(x: 0, y: 0)
      for point in outline {
        let (upper, lower, direction) =
          previous.y < point.y ? (previous, point, 1) : (point, previous, -1)
        previous = point
        guard upper.y < lower.y else { continue }
        // A segment covers the scan lines whose middle lies in its half-open vertical range.
        let first = max(0, (upper.y / height - 0.5).rounded(.up))
        let last = min(Double(count) - 1, (lower.y / height - 0.5).rounded(.up) - 1)
        guard first <= last else { continue }
        for line in Int(first)...Int(last) {
          let y = (Double(line) + 0.5) * height
          let x = upper.x + (lower.x - upper.x) * (y - upper.y) / (lower.y - upper.y)
          result[line].append(Crossing(x: x, direction: direction))
        }
      }
    }
    return result.map { $0.sorted { $0.x < $1.x } }
  }

  /// Adds a span of a scan line to the cells that it touches.
  private static func add(from: Double, to: Double, weight: Double, to row: inout [Double]) {
    let from = max(0, from)
    let to = min(Double(row.count), to)
    guard from < to else { return }
    for column in Int(from)...min(Int(to), row.count - 1) {
      let part = min(to, Double(column + 1)) - max(from, Double(column))
      if part > 0 { row[column] = min(1, row[column] + part * weight) }
    }
  }
}
