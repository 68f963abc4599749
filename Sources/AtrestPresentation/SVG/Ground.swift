// SPDX-License-Identifier: Apache-2.0
// The colours of the ground and its haze.

import AtrestDomain

/// The ground's colours and gradients.
enum Ground {
  /// The number of steps in the light on the ground, top to bottom.
  static let hours = 10

  /// The step at a fraction of the canvas height from the top.
  static func hour(at part: Double) -> Int {
    min(max(Int(part * Double(hours)), 0), hours - 1)
  }

  /// The light on a ridge and its opacity: moonlight on far ridges, the last daylight on near ones.
  static func light(_ hour: Int) -> (colour: RGB, opacity: Double) {
    let part = (Double(hour) + 0.5) / Double(hours)
    let colours = [RGB(hex: 0x6878B0), RGB(hex: 0x9682B2), RGB(hex: 0xC89A6C)]
    let place = min(max((part - 0.2) / 0.6, 0), 1) * 2
    let index = min(Int(place), 1)
    return (
      .interpolate(from: colours[index], to: colours[index + 1], t: place - Double(index)),
      0.18 + 0.05 * part
    )
  }

  /// Defines the gradient of the ridges of a step.
  static func defineRidge(_ hour: Int, in markup: inout Markup) {
    let light = light(hour)
    // Eased, so that its end shows no edge.
    markup.defineFade(
      id: "ridge-\(hour)",
      [(0, 1), (0.1, 0.82), (0.25, 0.58), (0.45, 0.32), (0.7, 0.1), (1, 0)].map {
        ($0, light.colour, light.opacity * $1)
      })
  }

  /// The background colour at a height: the sky with some of the ground's light.
  static func colour(at y: Double, sky: Sky, hour: Int) -> RGB {
    let light = light(hour)
    return .interpolate(
      from: sky.colour(at: y), to: light.colour, t: light.opacity * 0.4)
  }

  /// Defines the gradients `haze` and `soil`.
  static func define(in markup: inout Markup) {
    let warm = RGB(hex: 0x9A6A3C)
    markup.defineFade(
      id: "haze",
      [(0, warm, 0), (0.3, warm, 0.02), (0.6, warm, 0.08), (0.8, warm, 0.1), (1, warm, 0)])
    let soil = RGB(hex: 0x0B080A)
    markup.defineFade(
      id: "soil", [(0, soil, 0), (0.25, soil, 0.1), (0.6, soil, 0.45), (1, soil, 0.8)])
  }

  /// Draws the haze over the lowest part of a canvas and darkens its edge.
  static func draw(in markup: inout Markup, width: Double, bottom: Double, screen: Double) {
    for (id, above, height) in [("haze", 0.42, 0.42), ("soil", 0.14, 0.14)] {
      markup.element(
        "rect",
        [
          ("y", number(bottom - screen * above)), ("width", number(width)),
          ("height", number(screen * height)), ("fill", "url(#\(id))"),
        ])
    }
  }
}
