// SPDX-License-Identifier: Apache-2.0
// Draws the ground: grass, and under it the soil, as full as it is.

import AtrestDomain
import AtrestPresentation
import AtrestReplication
import TrunkDomain

/// The ground under a tree.
struct GroundInk {
  let width: Double
  let height: Double
  /// The height of the grass in the middle.
  let line: Double
  let meters: Meters
  /// How grown the tree is, 0 to 1.
  let growth: Double
  /// The trunk's width.
  let trunk: Double

  /// How far the hill falls towards the edges.
  private var fall: Double { min(34, width * 0.05) }
  private var turf: Double { 11 }

  private var isBelowZero: Bool { meters.soil < .zero }

  /// The hill's line, lowered, closed below.
  private func hill(lowered: Double) -> String {
    let (edge, top) = (line + fall + lowered, line - fall + lowered)
    return "M0 \(points(edge))Q\(points(width / 2)) \(points(top)) \(points(width)) \(points(edge))"
      + "V\(points(height))H0Z"
  }

  /// The height of the grass at an x.
  func grass(at x: Double) -> Double {
    let t = x / width
    let r = 1 - t
    return (line + fall) * (r * r + t * t) + (line - fall) * 2 * r * t
  }

  func define(in markup: inout Markup) {
    let (top, low) =
      isBelowZero
      ? (Daylight.parched, Daylight.dry) : (Daylight.dry, Daylight.dryLow)
    markup.defineFade(id: "dry", [(0, top, 1), (1, low, 1)])
    markup.defineFade(id: "earth", [(0, Daylight.earth, 1), (1, Daylight.earthDeep, 1)])
    markup.group("clipPath", [("id", "soil")]) { markup in
      markup.element("path", [("d", hill(lowered: turf))])
    }
  }

  /// Far hills, behind the tree.
  func drawDistance(in markup: inout Markup) {
    let (w, y) = (width, line)
    markup.element(
      "path",
      [
        (
          "d",
          "M0 \(points(y - 34))Q\(points(w * 0.2)) \(points(y - 78)) \(points(w * 0.46)) "
            + "\(points(y - 26))T\(points(w)) \(points(y - 46))V\(points(y + 60))H0Z"
        ), ("fill", Daylight.grassFar.hex), ("fill-opacity", "0.5"),
      ])
    markup.element(
      "path",
      [
        (
          "d",
          "M0 \(points(y - 6))Q\(points(w * 0.3)) \(points(y - 4)) \(points(w * 0.52)) "
            + "\(points(y - 20))T\(points(w)) \(points(y - 26))V\(points(y + 60))H0Z"
        ), ("fill", Daylight.grassFar.hex), ("fill-opacity", "0.8"),
      ])
  }

  /// The soil with the roots, and the grass on it.
  func draw(in markup: inout Markup) {
    markup.element("path", [("d", hill(lowered: 0)), ("fill", Daylight.grass.hex)])
    markup.group("g", [("clip-path", "url(#soil)")]) { markup in
      markup.element("path", [("d", hill(lowered: turf)), ("fill", "url(#dry)")])
      let share = meters.soilShare
      if share > 0 { drawEarth(share, in: &markup) }
      if isBelowZero { drawCracks(in: &markup) }
      drawRoots(in: &markup)
    }
    drawTufts(in: &markup)
  }

  /// Rich earth from below, up to the share that there is.
  private func drawEarth(_ share: Double, in markup: inout Markup) {
    let top = line + turf - 2
    let level = height - share * (height - top)
    let wave = min(7, (1 - share) * 40)
    // A full soil follows the hill.
    let bend = share > 0.85 ? (share - 0.85) / 0.15 * fall : 0
    markup.element(
      "path",
      [
        (
          "d",
          "M0 \(points(level + bend))Q\(points(width * 0.25)) \(points(level - wave)) "
            + "\(points(width / 2)) \(points(level))T\(points(width)) \(points(level + bend))"
            + "V\(points(height))H0Z"
        ), ("fill", "url(#earth)"),
      ])
    var grain = Grain(77)
    var pebbles = ""
    for _ in 0..<18 {
      let (x, down) = (grain.next() * width, grain.next())
      let y = level + 10 + down * (height - level)
      pebbles += "M\(points(x)) \(points(y))h\(points(2 + 3 * grain.next()))"
    }
    markup.element(
      "path",
      [
        ("d", pebbles), ("stroke", Daylight.barkLight.hex), ("stroke-opacity", "0.5"),
        ("stroke-width", "2.4"), ("stroke-linecap", "round"),
      ])
  }

  private func drawCracks(in markup: inout Markup) {
    var grain = Grain(5)
    var cracks = ""
    var x = 14.0
    while x < width {
      let top = grass(at: min(x, width)) + turf + 1
      let (a, b) = (grain.next(), grain.next())
      let depth = (height - top) * (0.12 + 0.3 * b)
      let lean = a < 0.5 ? -1.0 : 1.0
      cracks += "M\(points(x - 2.2)) \(points(top))"
      cracks += "l\(points(3 * lean)) \(points(depth * 0.3))"
      cracks += "l\(points(-5 * lean - 2)) \(points(depth * 0.22))"
      cracks += "l\(points(6 * lean + 2)) \(points(depth * 0.48))"
      cracks += "l\(points(-2.4 * lean)) \(points(-depth * 0.5))"
      cracks += "l\(points(4 * lean + 3)) \(points(-depth * 0.2))"
      cracks += "L\(points(x + 2.2)) \(points(top))Z"
      x += 22 + 52 * grain.next()
    }
    markup.element(
      "path",
      [
        ("d", cracks), ("fill", Daylight.crack.hex), ("fill-opacity", "0.75"),
      ])
  }

  /// Roots under the trunk, longer the more the tree has grown.
  private func drawRoots(in markup: inout Markup) {
    let depth = (height - line) * (0.4 + 0.5 * growth)
    let middle = Point(x: width / 2, y: line - 4)
    for (across, down, part) in [
      (-1.5, 0.42, 0.34), (-0.7, 0.78, 0.4), (0.12, 0.95, 0.42), (0.8, 0.7, 0.38),
      (1.55, 0.36, 0.32),
    ] {
      let end = Point(x: middle.x + across * depth, y: middle.y + turf + down * depth)
      let curve = Curve(
        start: Point(x: middle.x + across * trunk * 0.24, y: middle.y),
        control: Point(x: middle.x + across * depth * 0.3, y: middle.y + depth * 0.34), end: end)
      markup.element(
        "path",
        [
          ("d", curve.tapered(from: trunk * part, to: 0.8)), ("fill", Daylight.barkDark.hex),
          ("fill-opacity", "0.75"),
        ])
    }
  }

  private func drawTufts(in markup: inout Markup) {
    var grain = Grain(31)
    var blades = ""
    for _ in 0..<Int(min(90, 16 + width / 16)) {
      let x = grain.next() * width
      let y = grass(at: x) + 2
      blades += "M\(points(x)) \(points(y))q\(points(grain.next() * 2 - 1)) -4 "
      blades += "\(points(grain.next() * 5 - 2.5)) \(points(-5 - 4 * grain.next()))"
    }
    markup.element(
      "path",
      [
        ("d", blades), ("fill", "none"), ("stroke", Daylight.leaves[2].hex),
        ("stroke-width", "1.3"), ("stroke-linecap", "round"), ("stroke-opacity", "0.75"),
      ])
  }

  /// The most fallen leaves on the ground.
  static let fallenLimit = 16

  /// A fallen leaf for each sprout that was uprooted, up to a limit.
  func drawFallen(_ sprouts: [Sprout], in markup: inout Markup) {
    for sprout in sprouts.prefix(Self.fallenLimit) {
      var grain = Grain(of: sprout.id)
      let spread = min(width * 0.4, 210)
      let x = width / 2 + (grain.next() - 0.5) * 2 * spread
      let direction = Point(x: grain.next() < 0.5 ? 1 : -1, y: (grain.next() - 0.5) * 0.5).unit
      MarkInk.use(
        "fallen", Point(x: x, y: grass(at: x) + 1 + 6 * grain.next()), direction, 12, in: &markup)
    }
  }
}
