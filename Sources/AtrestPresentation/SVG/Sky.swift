// SPDX-License-Identifier: Apache-2.0
// The sky's gradient, and its colour at a height.

import AtrestDomain

/// The dusk in the background: warm at the ground, night above.
struct Sky {
  /// The vertical range in points from the top of the canvas.
  let range: ClosedRange<Double>

  /// The gradient's colour at a height.
  func colour(at y: Double) -> RGB {
    let length = range.upperBound - range.lowerBound
    return Self.colour(up: length > 0 ? (range.upperBound - y) / length : 0)
  }

  /// The colour at a fraction of the height, bottom to top. Smoothed around the middle colour,
  /// where the eye would see a band.
  static func colour(up: Double) -> RGB {
    let near = [-0.12, -0.06, 0, 0.06, 0.12].map { linear(up: up + $0) }
    func mean(_ part: (RGB) -> Double) -> Double {
      near.reduce(0) { $0 + part($1) } / Double(near.count)
    }
    return RGB(red: mean { $0.red }, green: mean { $0.green }, blue: mean { $0.blue })
  }

  private static func linear(up: Double) -> RGB {
    let place = min(max(up, 0), 1) * Double(Palette.dusk.count - 1)
    let index = min(Int(place), Palette.dusk.count - 2)
    return RGB.interpolate(
      from: Palette.dusk[index], to: Palette.dusk[index + 1], t: place - Double(index))
  }

  /// Defines the gradient `sky`.
  func define(in markup: inout Markup) {
    markup.group(
      "linearGradient",
      [
        ("id", "sky"), ("gradientUnits", "userSpaceOnUse"), ("x1", "0"), ("x2", "0"),
        ("y1", number(range.upperBound)), ("y2", number(range.lowerBound)),
      ]
    ) { markup in
      markup.stops(
        [0, 0.25, 0.38, 0.44, 0.5, 0.56, 0.62, 0.75, 1].map {
          ($0, Self.colour(up: $0), 1)
        })
    }
  }

  /// Fills the sky.
  func draw(in markup: inout Markup, width: Double) {
    markup.element(
      "rect",
      [
        ("y", number(range.lowerBound)), ("width", number(width)),
        ("height", number(range.upperBound - range.lowerBound)), ("fill", "url(#sky)"),
      ])
  }
}

extension Markup {
  /// Defines a vertical gradient relative to the filled shape.
  public mutating func defineFade(
    id: String, _ stops: [(offset: Double, colour: RGB, opacity: Double)]
  ) {
    group("linearGradient", [("id", id), ("x1", "0"), ("x2", "0"), ("y1", "0"), ("y2", "1")]) {
      markup in
      markup.stops(stops)
    }
  }

  /// Writes the stops of a gradient.
  public mutating func stops(_ stops: [(offset: Double, colour: RGB, opacity: Double)]) {
    for stop in stops {
      var attributes = [("offset", part(stop.offset)), ("stop-color", stop.colour.hex)]
      if stop.opacity != 1 { attributes.append(("stop-opacity", part(stop.opacity))) }
      element("stop", attributes)
    }
  }
}
