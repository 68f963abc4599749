// SPDX-License-Identifier: Apache-2.0
// Draws buds, leaves, blossoms and scars: a form for each, used many times.

import AtrestDomain
import AtrestPresentation
import TrunkDomain

/// Draws the marks of sprouts.
enum MarkInk {
  /// The length of a leaf's form, and the width of a blossom's.
  private static let unit = 10.0

  /// Defines the forms. All of them, because they are small.
  static func define(in markup: inout Markup) {
    for (index, colour) in Daylight.leaves.enumerated() {
      defineSprig("leaf-\(index)", colour, shade: Daylight.leafShade, in: &markup)
    }
    defineSprig("ripe", Daylight.ripe, shade: Daylight.ripeShade, in: &markup)
    markup.group("g", [("id", "bud")]) { markup in
      markup.element(
        "path",
        [
          ("d", "M0 0C1.2-3 5.4-2.6 7.6 0C5.4 2.6 1.2 3 0 0Z"), ("fill", Daylight.bud.hex),
          ("stroke", Daylight.budScale.hex), ("stroke-width", "0.5"),
        ])
      markup.element(
        "path",
        [
          ("d", "M0 0C.6-2.2 2.6-2.6 4-2.3C3.2-1.3 3.2 1.3 4 2.3C2.6 2.6.6 2.2 0 0Z"),
          ("fill", Daylight.budScale.hex),
        ])
    }
    for result in HarvestResult.allCases { defineBlossom(result, in: &markup) }
    markup.group("g", [("id", "scar")]) { markup in
      markup.element(
        "ellipse",
        [
          ("rx", "2.6"), ("ry", "1.9"), ("fill", Daylight.scar.hex),
          ("stroke", Daylight.barkDark.hex), ("stroke-width", "0.7"),
        ])
      markup.element("ellipse", [("rx", "0.9"), ("ry", "0.6"), ("fill", Daylight.bark.hex)])
    }
    defineLeaf("fallen", Daylight.fallen, shade: Daylight.barkDark, in: &markup)
  }

  private static func defineLeaf(
    _ id: String, _ colour: RGB, shade: RGB, in markup: inout Markup
  ) {
    markup.group("g", [("id", id)]) { drawBlade(colour, shade: shade, in: &$0) }
  }

  /// Defines a sprig: a leaf between two smaller ones, whose undersides are darker.
  private static func defineSprig(
    _ id: String, _ colour: RGB, shade: RGB, in markup: inout Markup
  ) {
    let under = RGB.interpolate(from: colour, to: shade, t: 0.28)
    markup.group("g", [("id", id)]) { markup in
      for (turn, colour) in [("rotate(58)scale(.72)", under), ("rotate(-58)scale(.72)", colour)] {
        markup.group("g", [("transform", turn)]) { drawBlade(colour, shade: shade, in: &$0) }
      }
      drawBlade(colour, shade: shade, in: &markup)
    }
  }

  private static func drawBlade(_ colour: RGB, shade: RGB, in markup: inout Markup) {
    markup.element(
      "path", [("d", "M0 0C2-3.7 6.4-3.5 10 0C6.4 3.5 2 3.7 0 0Z"), ("fill", colour.hex)])
    markup.element(
      "path",
      [("d", "M0 0C2 3.7 6.4 3.5 10 0Z"), ("fill", shade.hex), ("fill-opacity", "0.24")])
    markup.element(
      "path",
      [
        ("d", "M0 0H8.6"), ("stroke", shade.hex), ("stroke-width", "0.4"),
        ("stroke-opacity", "0.55"),
      ])
  }

  /// The angles of a blossom's petals: more of them for a better result.
  private static func angles(_ result: HarvestResult) -> [Int] {
    switch result {
    case .minimal: [-90, 30, 150]
    case .partial: [-90, 0, 90, 180]
    case .good, .strong, .exceptional: [-90, -18, 54, 126, 198]
    }
  }

  private static func defineBlossom(_ result: HarvestResult, in markup: inout Markup) {
    let colour = Daylight.petals[Int(result.rawValue) - 1]
    let petal = "M0 0C1.2-2.6 4.6-2.9 5.2-.9Q4.7 0 5.2.9C4.6 2.9 1.2 2.6 0 0Z"
    markup.group("g", [("id", "blossom-\(result.rawValue)")]) { markup in
      if result == .exceptional {
        for angle in angles(result) {
          markup.element(
            "path",
            [
              ("d", petal), ("fill", Daylight.petals[3].hex), ("stroke", Daylight.petalShade.hex),
              ("stroke-width", "0.3"), ("transform", "rotate(\(angle + 36))scale(1.12)"),
            ])
        }
      }
      for angle in angles(result) {
        markup.element(
          "path",
          [
            ("d", petal), ("fill", colour.hex), ("stroke", Daylight.petalShade.hex),
            ("stroke-width", "0.35"), ("transform", "rotate(\(angle))"),
          ])
      }
      if result >= .strong {
        markup.element(
          "circle",
          [("r", "2"), ("fill", Daylight.petalShade.hex), ("fill-opacity", "0.45")])
      }
      markup.element(
        "circle", [("r", result >= .good ? "1.3" : "0.9"), ("fill", Daylight.pollen.hex)])
    }
  }

  /// Draws a mark.
  ///
  /// - Parameters:
  ///   - place: Where its stalk begins; a blossom's middle.
  ///   - direction: Where it points, with length 1.
  ///   - size: The length of a full leaf in points.
  ///   - tone: Which of the greens, 0 to 1.
  static func draw(
    _ mark: Mark, at place: Point, direction: Point, size: Double, tone: Double,
    in markup: inout Markup
  ) {
    switch mark {
    case .bud: use("bud", place, direction, size * 0.8, in: &markup)
    case .leaf(let progress):
      let id = progress >= 1 ? "ripe" : "leaf-\(min(2, Int((tone + progress) * 1.5)))"
      use(id, place, direction, size * (0.6 + 0.4 * progress), in: &markup)
    case .blossom(let result):
      let share = 0.72 + 0.1 * Double(result.rawValue)
      use(
        "blossom-\(result.rawValue)", place, direction.turned(halfTangent: tone), size * share,
        in: &markup)
    case .scar: use("scar", place, direction, size * 0.55, in: &markup)
    }
  }

  /// Draws a form turned into a direction.
  static func use(
    _ id: String, _ place: Point, _ direction: Point, _ size: Double, in markup: inout Markup
  ) {
    let (a, b) = (direction.x * size / unit, direction.y * size / unit)
    let (cosine, sine) = (Markup.decimal(a), Markup.decimal(b))
    markup.element(
      "use",
      [
        ("href", "#\(id)"),
        (
          "transform",
          "matrix(\(cosine) \(sine) \(Markup.decimal(-b)) \(cosine) \(points(place.x)) "
            + "\(points(place.y)))"
        ),
      ])
  }
}
