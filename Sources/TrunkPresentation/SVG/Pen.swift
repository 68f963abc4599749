// SPDX-License-Identifier: Apache-2.0
// Short forms of what the pictures write most: numbers, paths and words.

import AtrestDomain
import AtrestPresentation

/// A coordinate with one decimal: a tenth of a point is finer than the eye.
func points(_ value: Double) -> String { Markup.decimal(value, digits: 1) }

/// A point of a path.
func at(_ point: Point) -> String { "\(points(point.x)) \(points(point.y))" }

extension Curve {
  /// The curve as a path.
  var path: String { "M\(at(start))Q\(at(control)) \(at(end))" }

  /// The area of a stroke along the curve that becomes thinner, quickly at first.
  func tapered(from first: Double, to last: Double) -> String {
    let middle = first * 0.36 + last * 0.64
    let a = direction(0).turned * (first / 2)
    let b = direction(0.5).turned * (middle / 2)
    let c = direction(1).turned * (last / 2)
    return "M\(at(start + a))Q\(at(control + b)) \(at(end + c))L\(at(end - c))"
      + "Q\(at(control - b)) \(at(start - a))Z"
  }
}

extension Markup {
  /// Writes a line of words.
  mutating func write(
    _ words: String, x: Double, y: Double, size: Double, colour: RGB, anchor: String = "start",
    weight: String? = nil, isItalic: Bool = false, halo: RGB? = nil
  ) {
    var attributes = [
      ("x", points(x)), ("y", points(y)), ("font-size", points(size)), ("fill", colour.hex),
    ]
    if anchor != "start" { attributes.append(("text-anchor", anchor)) }
    if let weight { attributes.append(("font-weight", weight)) }
    if isItalic { attributes.append(("font-style", "italic")) }
    if let halo {
      attributes += [
        ("stroke", halo.hex), ("stroke-width", points(size * 0.28)), ("stroke-linejoin", "round"),
        ("stroke-opacity", "0.85"), ("paint-order", "stroke"),
      ]
    }
    element("text", attributes, words: words)
  }

  /// Defines a glow that fades out evenly.
  mutating func defineGlow(id: String, _ colour: RGB, opacity: Double) {
    group("radialGradient", [("id", id)]) { markup in
      markup.stops([
        (0, colour, opacity), (0.45, colour, opacity * 0.62), (0.75, colour, opacity * 0.2),
        (1, colour, 0),
      ])
    }
  }
}
