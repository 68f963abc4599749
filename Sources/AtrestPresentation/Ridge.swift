// SPDX-License-Identifier: Apache-2.0
// Computes the ground: soft ridges under the trees that fade into the dusk below.

/// The foot of a tree on the ground.
struct Foot: Hashable {
  /// The distance from the left, in points.
  let x: Double
  /// The distance from the top, in points.
  let y: Double
  /// The tree's size.
  let size: Double

  /// How deep a tree is rooted, relative to its size.
  private static let rooted = 0.03

  /// The foot of a tree with a given centre.
  init(centreX: Double, centreY: Double, size: Double) {
    x = centreX
    y = centreY + size * (0.5 - Self.rooted)
    self.size = size
  }
}

/// A gentle line through the feet of some trees of a layer.
struct Ridge {
  /// The feet, left to right.
  private(set) var feet: [Foot]

  /// A hill without trees at a height.
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

  /// The steepest ground between two trees, as rise over run.
  private static let slope = 0.2

  /// The mean height, in points from the top.
  var level: Double {
    feet.reduce(0) { $0 + $1.y } / Double(max(1, feet.count))
  }

  /// Joins the feet of a layer into gently sloped ridges, farthest first.
  ///
  /// - Parameter feet: From top to bottom.
  /// - Complexity: O(n²) in the trees of a layer, at most 67.
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

  /// The points of the line, from beyond the left edge to beyond the right one.
  ///
  /// It dips between distant trees and falls off beyond the outermost. The depth is a deterministic
  /// function of the positions.
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

  /// The ground line and the area below it as an SVG path.
  func path(width: Double, fade: Double) -> String {
    let line = line(width: width)
    guard let first = line.first else { return "" }
    let bottom = (line.map { $0.y }.max() ?? 0) + fade
    return curve(through: line) + "V\(number(bottom))H\(number(first.x))Z"
  }
}

/// A smooth curve through points from left to right, as the start of an SVG path. It never
/// overshoots the neighbouring points.
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

/// The height of the same curve at an x; that of the nearest end outside.
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

/// The slope of the curve at one of its points.
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

/// A deterministic pseudorandom number in 0..<1 from another number: natural irregularity that is
/// the same on every device.
func grain(_ value: Double) -> Double {
  guard value.isFinite else { return 0.5 }
  let seed = UInt64(bitPattern: Int64((min(max(value, -1e9), 1e9) * 16).rounded()))
  return Grain.part(of: seed)
}
