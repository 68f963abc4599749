// SPDX-License-Identifier: Apache-2.0
// Points, and curves with a direction at every place.

/// A point, or the way from one to another. y grows downwards.
struct Point: Hashable {
  var x: Double
  var y: Double

  static func + (a: Point, b: Point) -> Point { Point(x: a.x + b.x, y: a.y + b.y) }
  static func - (a: Point, b: Point) -> Point { Point(x: a.x - b.x, y: a.y - b.y) }
  static func * (a: Point, scale: Double) -> Point { Point(x: a.x * scale, y: a.y * scale) }

  var length: Double { (x * x + y * y).squareRoot() }

  /// The same direction with length 1; upwards for no direction.
  var unit: Point {
    let length = length
    return length > 0 ? self * (1 / length) : Point(x: 0, y: -1)
  }

  /// Turned by a right angle, clockwise as seen.
  var turned: Point { Point(x: -y, y: x) }

  /// Turned towards `turned` by the angle whose tangent of the half is given: a rational rotation,
  /// exact without a sine.
  func turned(halfTangent t: Double) -> Point {
    let scale = 1 / (1 + t * t)
    let (cosine, sine) = ((1 - t * t) * scale, 2 * t * scale)
    return Point(x: x * cosine - y * sine, y: x * sine + y * cosine)
  }
}

/// A quadratic curve.
struct Curve: Hashable {
  let start: Point
  let control: Point
  let end: Point

  /// The point at a part of the way, 0 to 1.
  func point(_ t: Double) -> Point {
    let r = 1 - t
    return start * (r * r) + control * (2 * r * t) + end * (t * t)
  }

  /// The direction at a part of the way, with length 1.
  func direction(_ t: Double) -> Point {
    ((control - start) * (1 - t) + (end - control) * t).unit
  }
}
