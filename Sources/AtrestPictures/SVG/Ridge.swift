// SPDX-License-Identifier: Apache-2.0
// The ground that trees stand on: soft ridges that rise under them and fade into the dusk below.

import AtrestDomain

/// Some trees of one layer that a gentle line joins at their feet.
struct Ridge {
  /// The trees, from left to right.
  private(set) var trees: [PlacedTree]

  /// How steep the ground may be between two trees, in points up to points across.
  private static let slope = 0.2
  /// How far into the ground a tree reaches, of its size.
  private static let rooted = 0.03

  /// The point where a tree stands.
  private static func foot(of tree: PlacedTree) -> (x: Double, y: Double) {
    (tree.x, tree.y + tree.size * (0.5 - rooted))
  }

  /// The mean height of its feet, in points from the top.
  var level: Double {
    trees.reduce(0) { $0 + Self.foot(of: $1).y } / Double(max(1, trees.count))
  }

  /// Joins trees of a layer into ridges, farthest first, that are nowhere steep.
  ///
  /// - Parameter trees: Of one layer; from the top down.
  /// - Complexity: O(n²) in the trees of a layer, of which there are at most 67.
  static func ridges(through trees: [PlacedTree]) -> [Ridge] {
    var ridges: [Ridge] = []
    for tree in trees {
      if let index = ridges.lastIndex(where: { $0.takes(tree) }) {
        ridges[index].insert(tree)
      } else {
        ridges.append(Ridge(trees: [tree]))
      }
    }
    return ridges.sorted { $0.level < $1.level }
  }

  private func takes(_ tree: PlacedTree) -> Bool {
    let foot = Self.foot(of: tree)
    return trees.allSatisfy { other in
      let standing = Self.foot(of: other)
      let across = abs(standing.x - foot.x)
      return across > tree.size * 0.4 && abs(standing.y - foot.y) <= 3 + across * Self.slope
    }
  }

  private mutating func insert(_ tree: PlacedTree) {
    let index = trees.firstIndex { $0.x > tree.x } ?? trees.endIndex
    trees.insert(tree, at: index)
  }

  /// The line of the ground, and its body below, as an SVG path.
  ///
  /// Between trees that stand far apart it sinks a little, and beyond the last ones it falls away:
  /// how much follows from where they stand.
  func path(width: Double, fade: Double) -> String {
    var line: [(x: Double, y: Double)] = []
    for tree in trees {
      let foot = Self.foot(of: tree)
      if let last = line.last, foot.x - last.x > 120 {
        let across = foot.x - last.x
        let part = 0.38 + 0.24 * grain(foot.x + last.y)
        line.append(
          (
            last.x + across * part,
            last.y + (foot.y - last.y) * part + min(across * 0.06, 26) * (0.5 + grain(foot.y))
          ))
      }
      line.append(foot)
    }
    guard let first = line.first, let last = line.last else { return "" }
    line.insert(
      (min(-40, first.x - 80), first.y + (first.x + 40) * (0.05 + 0.09 * grain(first.y))), at: 0)
    line.append(
      (
        max(width + 40, last.x + 80),
        last.y + (width + 40 - last.x) * (0.05 + 0.09 * grain(last.y + 7))
      ))
    let bottom = (line.map(\.y).max() ?? 0) + fade
    return curve(through: line)
      + "V\(number(bottom))H\(number(line[0].x))Z"
  }
}

/// A smooth line through points from left to right, as the beginning of an SVG path. It never goes
/// higher or lower than the points beside it.
///
/// Source: Fritsch, Butland, "A Method for Constructing Local Monotone Piecewise Cubic Interpolants",
/// 1984: the tangent is the harmonic mean of the slopes, and level at a peak or in a valley.
func curve(through points: [(x: Double, y: Double)]) -> String {
  guard let first = points.first else { return "" }
  func slope(_ index: Int) -> Double {
    let (a, b) = (points[index], points[index + 1])
    return b.x > a.x ? (b.y - a.y) / (b.x - a.x) : 0
  }
  func tangent(_ index: Int) -> Double {
    guard index > 0 else { return slope(0) }
    guard index < points.count - 1 else { return slope(index - 1) }
    let (before, after) = (slope(index - 1), slope(index))
    return before * after > 0 ? 2 * before * after / (before + after) : 0
  }
  var text = "M\(number(first.x)) \(number(first.y))"
  for index in 0..<(points.count - 1) {
    let (a, b) = (points[index], points[index + 1])
    let third = (b.x - a.x) / 3
    text += "C\(number(a.x + third)) \(number(a.y + tangent(index) * third))"
    text += " \(number(b.x - third)) \(number(b.y - tangent(index + 1) * third))"
    text += " \(number(b.x)) \(number(b.y))"
  }
  return text
}

/// A number from 0 to 1 that follows from another and looks as if it did not: nature's irregularity,
/// the same on every device.
///
/// Source: the finaliser of SplitMix64; Steele, Lea, Flood, 2014.
func grain(_ value: Double) -> Double {
  guard value.isFinite else { return 0.5 }
  var z = UInt64(bitPattern: Int64((min(max(value, -1e9), 1e9) * 16).rounded()))
  z = z &* 0x9e37_79b9_7f4a_7c15
  z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
  z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
  return Double((z ^ (z >> 31)) >> 11) * 0x1p-53
}
