// SPDX-License-Identifier: Apache-2.0
// Draws a star: four round-ended strokes and a glow.

import AtrestDomain

/// Draws stars.
enum StarInk {
  /// The side of the symbol's square: the longest stroke plus the glow on both sides.
  private static let reach = StarGlyph.size + 2 * StarGlyph.glowRadius

  /// Defines the symbol `star`. The glow is a gradient rather than a filter, because a forest has
  /// up to two hundred.
  static func define(in markup: inout Markup) {
    let light = Palette.starLight
    markup.group("radialGradient", [("id", "glow")]) { markup in
      let full = StarGlyph.glowOpacity
      markup.stops([
        (0, light, full), (0.18, light, full * 0.55), (0.42, light, full * 0.2),
        (0.7, light, full * 0.05), (1, light, 0),
      ])
    }
    let half = reach / 2
    markup.group(
      "symbol",
      [
        ("id", "star"),
        ("viewBox", "\(number(-half)) \(number(-half)) \(number(reach)) \(number(reach))"),
      ]
    ) { markup in
      markup.element("circle", [("r", number(half)), ("fill", "url(#glow)")])
      for stroke in StarGlyph.strokes {
        markup.element(
          "rect",
          [
            ("x", number(-stroke.width / 2)), ("y", number(-stroke.length / 2)),
            ("width", number(stroke.width)), ("height", number(stroke.length)),
            ("rx", number(stroke.width / 2)), ("fill", light.hex),
            ("transform", "rotate(\(number(stroke.degrees)))"),
          ])
      }
    }
  }

  /// Draws a star.
  ///
  /// - Parameter size: The side of the square that its strokes fill.
  static func draw(
    in markup: inout Markup, x: Double, y: Double, size: Double, opacity: Double
  ) {
    let side = size * reach / StarGlyph.size
    var attributes = [
      ("href", "#star"), ("x", number(x - side / 2)), ("y", number(y - side / 2)),
      ("width", number(side)), ("height", number(side)),
    ]
    if opacity < 1 { attributes.append(("opacity", part(opacity))) }
    markup.element("use", attributes)
  }
}
