// SPDX-License-Identifier: Apache-2.0
// Draws trunk, limbs and twigs.

import AtrestDomain
import AtrestPresentation
import TrunkDomain

/// Draws wood.
enum WoodInk {
  /// Defines the gradient `bark`: light from the upper right, where the sun is.
  static func define(in markup: inout Markup, from left: Double, to right: Double) {
    markup.group(
      "linearGradient",
      [
        ("id", "bark"), ("gradientUnits", "userSpaceOnUse"), ("x1", points(left)),
        ("x2", points(right)), ("y1", "0"), ("y2", "0"),
      ]
    ) { markup in
      markup.stops([
        (0, Daylight.barkDark, 1), (0.45, Daylight.bark, 1), (0.8, Daylight.barkLight, 1),
        (1, Daylight.bark, 1),
      ])
    }
  }

  /// Draws the trunk with its flare at the ground.
  static func drawTrunk(_ tree: TreeLayout, in markup: inout Markup) {
    let (trunk, width) = (tree.trunk, tree.trunkWidth)
    let foot = trunk.start
    let (top, across) = (trunk.end, trunk.direction(1).turned * (width * 0.42))
    let rise = (foot.y - top.y)
    func edge(_ side: Double) -> (flare: Point, low: Point, high: Point, end: Point) {
      (
        Point(x: foot.x + side * width * 1.25, y: foot.y + 7),
        Point(x: foot.x + side * width * 0.5, y: foot.y - rise * 0.05),
        Point(x: trunk.control.x + side * width * 0.42, y: foot.y - rise * 0.45),
        top + across * side
      )
    }
    let (left, right) = (edge(-1), edge(1))
    markup.element(
      "path",
      [
        (
          "d",
          "M\(at(left.flare))C\(at(left.low)) \(at(left.high)) \(at(left.end))"
            + "L\(at(right.end))C\(at(right.high)) \(at(right.low)) \(at(right.flare))"
            + "Q\(points(foot.x)) \(points(foot.y + 21)) \(at(left.flare))Z"
        ), ("fill", "url(#bark)"),
      ])
    // Furrows of the bark.
    var furrows = ""
    for (side, from, to) in [(-0.22, 0.1, 0.5), (0.1, 0.22, 0.72), (-0.04, 0.5, 0.86)] {
      let (a, b) = (trunk.point(from), trunk.point(to))
      let shift = width * side
      furrows += "M\(points(a.x + shift)) \(points(a.y))"
      furrows += "Q\(points((a.x + b.x) / 2 + shift * 1.4)) \(points((a.y + b.y) / 2)) "
      furrows += "\(points(b.x + shift)) \(points(b.y))"
    }
    markup.element(
      "path",
      [
        ("d", furrows), ("fill", "none"), ("stroke", Daylight.barkDark.hex),
        ("stroke-width", points(max(0.7, width * 0.045))), ("stroke-opacity", "0.45"),
        ("stroke-linecap", "round"),
      ])
  }

  /// Draws the limbs, the outer ones first.
  static func drawLimbs(_ tree: TreeLayout, in markup: inout Markup) {
    for position in [0, 7, 1, 6, 2, 5, 3, 4] {
      let limb = tree.limbs[TreeLayout.branch(at: position)]
      markup.element(
        "path",
        [
          ("d", limb.curve.tapered(from: limb.width * 1.3, to: max(1.2, limb.width * 0.16))),
          ("fill", "url(#bark)"),
        ])
    }
  }

  /// Draws the twigs: those with something on them darker and thicker.
  static func drawTwigs(
    _ tree: TreeLayout, isBare: (Twig) -> Bool, in markup: inout Markup
  ) {
    var (bare, full) = ("", "")
    for place in tree.limbs.flatMap({ $0.twigs }) {
      if isBare(place.twig) { bare += place.curve.path } else { full += place.curve.path }
    }
    for (path, colour, width) in [
      (bare, Daylight.bareTwig, 0.028), (full, Daylight.twig, 0.045),
    ] where !path.isEmpty {
      markup.element(
        "path",
        [
          ("d", path), ("fill", "none"), ("stroke", colour.hex),
          ("stroke-width", points(max(1, tree.cell * width))), ("stroke-linecap", "round"),
        ])
    }
  }
}
