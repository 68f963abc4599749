// SPDX-License-Identifier: Apache-2.0
// The colours of the ground, near and far, and the haze over it.

import AtrestDomain

/// The ground.
enum Ground {
  /// How far a ridge fades out below its lowest point, in points: far where there is room, and soon
  /// where the next ones follow closely.
  ///
  /// - Parameter spacing: Points from one ridge to the next, in the mean.
  static func fade(_ depth: ForestDepth, spacing: Double) -> Double {
    min(max(2.2 * spacing, depth.treeSize * 0.9), depth.treeSize * 2.4)
  }

  /// How many colours the light on the ground goes through, from the top of a canvas down.
  static let hours = 10

  /// Which of them a ridge has at a part of the canvas's height, from the top.
  static func hour(at part: Double) -> Int {
    min(max(Int(part * Double(hours)), 0), hours - 1)
  }

  /// The light that lies on ridges, and how much of it there is at their line: moonlight on the far
  /// ones, and the last of the day on the near ones. It is laid over the dusk thinly.
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

  /// Defines the gradient of the ridges of an hour.
  static func defineRidge(_ hour: Int, in markup: inout Markup) {
    let light = light(hour)
    // Eased, so that no edge shows where it ends.
    markup.defineFade(
      id: "ridge-\(hour)",
      [(0, 1), (0.1, 0.82), (0.25, 0.58), (0.45, 0.32), (0.7, 0.1), (1, 0)].map {
        ($0, light.colour, light.opacity * $1)
      })
  }

  /// What is to be seen where a tree will stand: the sky, and some of the light on the ground.
  static func colour(behind tree: PlacedTree, sky: Sky, hour: Int) -> RGB {
    let light = light(hour)
    return .interpolate(
      from: sky.colour(at: tree.y), to: light.colour, t: light.opacity * 0.4)
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

  /// Draws the haze over the lowest part of a canvas, and lets its edge sink into the dark.
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
