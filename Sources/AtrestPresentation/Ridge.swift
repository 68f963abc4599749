// SPDX-License-Identifier: Apache-2.0
// The ground that trees stand on: soft ridges that rise under them and fade into the dusk below.

/// Where something stands.
struct Foot: Hashable {
  /// In points from the left.
  let x: Double
  /// In points from the top.
  let y: Double
  /// The size of what stands there.
  let size: Double

  /// How far into the ground a tree reaches, of its size.
  private static let rooted = 0.03

  /// The foot of a tree by its centre.
  init(centreX: Double, centreY: Double, size: Double) {
    x = centreX
    y = centreY + size * (0.5 - Self.rooted)
    self.size = size
  }
}

/// A gentle line through the feet of some trees of a layer.
struct Ridge {
  /// Where the trees stand, from left to right.
  private(set) var feet: [Foot]

  /// A hill with no tree on it, at a height.
  init(free y: Double, width: Double, size: Double) {
    let places = [0.22 + 0.16 * grain(y), 0.64 + 0.2 * grain(y + 3)]
    feet = places.enumerated().map { index, place in
      Foot(
        centreX: width * place, centreY: y + size * 0.3 * (grain(y + Double(index)) - 0.5),
        size: size)
    }
  }

  private init(feet: [Foot]) {
    self.feet = feet
  }

  /// How steep the ground may be between two trees, in points up to points across.
  private static let slope = 0.2

  /// The mean height, in points from the top.
  var level: Double {
    feet.reduce(0) { $0 + $1.y } / Double(max(1, feet.count))
  }

  /// Joins the feet of a layer into ridges, farthest first, that are nowhere steep.
  ///
  /// - Parameter feet: From the top down.
  /// - Complexity: O(n²) in the trees of a layer, of which there are at most 67.
  static func ridges(through feet: [Foot]) -> [Ridge] {
    var ridges: [Ridge] = []
    for foot in feet {
      if let index = ridges.lastIndex(where: { $0.takes(foot) }) {
        ridges[index].insert(foot)
      } else {
        ridges.append(Ridge(feet: [foot]))
      }
    }
    return ridges.sorted { $0.level < $1.level }
  }

  private func takes(_ foot: Foot) -> Bool {
    feet.allSatisfy { other in
      let across = abs(other.x - foot.x)
      return across > foot.size * 0.4
        && abs(other.y - foot.y) <= foot.size * 0.04 + across * Self.slope
    }
  }

  private mutating func insert(_ foot: Foot) {
    feet.insert(foot, at: feet.firstIndex { $0.x > foot.x } ?? feet.endIndex)
  }

  /// The points that the line goes through, from beyond the left edge to beyond the right one.
  ///
  /// Between trees that stand far apart it sinks a little, and beyond the last ones it falls away:
  /// how much follows from where they stand.
  func line(width: Double) -> [(x: Double, y: Double)] {
    guard let first = feet.first, let last = feet.last else { return [] }
    let size = first.size
    var line = [
      (
        x: min(-size / 2, first.x - size),
        y: first.y + (first.x + size / 2) * (0.05 + 0.09 * grain(first.y))
      )
    ]
    for foot in feet {
      if let last = line.last, line.count > 1, foot.x - last.x > size * 1.6 {
        let across = foot.x - last.x
        let part = 0.38 + 0.24 * grain(foot.x + last.y)
        let dip = min(across * 0.06, size * 0.36) * (0.5 + grain(foot.y))
        line.append((last.x + across * part, last.y + (foot.y - last.y) * part + dip))
      }
      line.append((foot.x, foot.y))
    }
    line.append(
      (
        max(width + size / 2, last.x + size),
        last.y + (width + size / 2 - last.x) * (0.05 + 0.09 * grain(last.y + 7))
      ))
    return line
  }

  /// The line of the ground, and its body below, as an SVG path.
  func path(width: Double, fade: Double) -> String {
    let line = line(width: width)
    guard let first = line.first else { return "" }
    let bottom = (line.map(\.y).max() ?? 0) + fade
    return curve(through: line) + "V\(number(bottom))H\(number(first.x))Z"
  }
}

/// A smooth line through points from left to right, as the beginning of an SVG path. It never goes
/// higher or lower than the points beside it.
///
/// Source: Fritsch, Butland, "A Method for Constructing Local Monotone Piecewise Cubic
/// Interpolants", 1984: the tangent is the harmonic mean of the slopes, and level at a peak or in a
/// valley.
func curve(through points: [(x: Double, y: Double)]) -> String {
  guard let first = points.first else { return "" }
  var text = "M\(number(first.x)) \(number(first.y))"
  for index in points.indices.dropLast() {
    let (a, b) = (points[index], points[index + 1])
    let third = (b.x - a.x) / 3
    text += "C\(number(a.x + third)) \(number(a.y + tangent(points, index) * third))"
    text += " \(number(b.x - third)) \(number(b.y - tangent(points, index + 1) * third))"
    text += " \(number(b.x)) \(number(b.y))"
  }
  return text
}

/// The height of the same line at a place; that of the nearest end beyond its ends.
func height(of points: [(x: Double, y: Double)], at x: Double) -> Double {
  guard let first = points.first, let last = points.last else { return 0 }
  guard x > first.x else { return first.y }
  guard x < last.x, let after = points.firstIndex(where: { $0.x >= x }), after > 0 else {
    return last.y
  }
  let (a, b) = (points[after - 1], points[after])
  let length = b.x - a.x
  guard length > 0 else { return b.y }
  let t = (x - a.x) / length
  let r = 1 - t
  return a.y * r * r * (1 + 2 * t) + b.y * t * t * (3 - 2 * t)
    + tangent(points, after - 1) * length * t * r * r - tangent(points, after) * length * t * t * r
}

/// How steep the line is at one of its points.
private func tangent(_ points: [(x: Double, y: Double)], _ index: Int) -> Double {
  func slope(_ index: Int) -> Double {
    let (a, b) = (points[index], points[index + 1])
    return b.x > a.x ? (b.y - a.y) / (b.x - a.x) : 0
  }
  guard points.count > 1 else { return 0 }
  guard index > 0 else { return slope(0) }
  guard index < points.count - 1 else { return slope(index - 1) }
  let (before, after) = (slope(index - 1), slope(index))
  return before * after > 0 ? 2 * before * after / (before + after) : 0
}

/// A number from 0 to 1 that follows from another and looks as if it did not: nature's
/// irregularity, the same on every device.
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
