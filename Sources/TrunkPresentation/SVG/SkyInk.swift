// SPDX-License-Identifier: Apache-2.0
// The air of the pictures: a light sky that becomes paper, the sun, and drops of water.

import AtrestDomain
import AtrestPresentation
import TrunkDomain

/// Draws the sky and what the meters of water and sun show.
enum SkyInk {
  /// Defines the gradients `air` and `shine`.
  static func define(in markup: inout Markup) {
    markup.defineFade(
      id: "air",
      [
        (0, Daylight.skyTop, 1), (0.35, Daylight.skyMiddle, 1), (0.75, Daylight.paper, 1),
        (1, Daylight.paper, 1),
      ])
    markup.defineGlow(id: "shine", Daylight.sunHeart, opacity: 0.8)
  }

  /// Fills the picture.
  static func draw(in markup: inout Markup, width: Double, height: Double) {
    markup.element(
      "rect",
      [("width", points(width)), ("height", points(height)), ("fill", "url(#air)")])
  }

  /// Draws the sun: full while it can shine on a twig, a ring once it has this week.
  static func drawSun(_ meters: Meters, at place: Point, size: Double, in markup: inout Markup) {
    var attributes = [("cx", points(place.x)), ("cy", points(place.y))]
    if meters.sun > 0 {
      markup.element(
        "circle", attributes + [("r", points(size * 3.2)), ("fill", "url(#shine)")])
      attributes += [("r", points(size)), ("fill", Daylight.sun.hex)]
    } else {
      attributes += [
        ("r", points(size)), ("fill", Daylight.paper.hex), ("fill-opacity", "0.5"),
        ("stroke", Daylight.sun.hex), ("stroke-width", points(size * 0.09)),
        ("stroke-dasharray", "\(points(size * 0.3)) \(points(size * 0.22))"),
      ]
    }
    markup.element("circle", attributes)
  }

  /// Draws a drop for each watering of a day: full ones that are left, then empty ones.
  static func drawDrops(_ meters: Meters, at place: Point, size: Double, in markup: inout Markup) {
    for index in 0..<Watering.perDay {
      let isThere = index < meters.water
      let (x, s) = (place.x + Double(index) * size * 1.5, size / 10)
      let path = "M0-6C2.4-2.6 4-.6 4 1.8A4 4 0 0 1-4 1.8C-4-.6-2.4-2.6 0-6Z"
      markup.element(
        "path",
        [
          ("d", path),
          ("transform", "translate(\(points(x)) \(points(place.y)))scale(\(Markup.decimal(s)))"),
          ("fill", isThere ? Daylight.water.hex : "none"), ("stroke", Daylight.water.hex),
          ("stroke-width", "1"), ("stroke-opacity", isThere ? "1" : "0.6"),
        ])
      if isThere {
        markup.element(
          "path",
          [
            ("d", "M-2.3 1.6A2.5 2.5 0 0 0-.4 4"),
            ("transform", "translate(\(points(x)) \(points(place.y)))scale(\(Markup.decimal(s)))"),
            ("fill", "none"), ("stroke", Daylight.waterLight.hex), ("stroke-width", "1"),
            ("stroke-linecap", "round"),
          ])
      }
    }
  }
}
