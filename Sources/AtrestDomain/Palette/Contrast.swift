// SPDX-License-Identifier: Apache-2.0
// How well colours are told apart, and colours that are told apart well enough.

/// Contrast of two colours, from 1 to 21.
///
/// Source: WCAG 2.2, "relative luminance" and "contrast ratio".
public enum Contrast {
  /// For text.
  public static let text = 4.5
  /// For shapes.
  public static let shape = 2.0

  /// The contrast ratio of two colours.
  public static func ratio(_ a: RGB, _ b: RGB) -> Double {
    let (a, b) = (a.luminance, b.luminance)
    return (max(a, b) + 0.05) / (min(a, b) + 0.05)
  }
}

extension RGB {
  public static let black = RGB(hex: 0x000000)
  public static let white = RGB(hex: 0xFFFFFF)

  /// The relative luminance, 0 to 1.
  public var luminance: Double {
    func linear(_ value: Double) -> Double {
      value <= 0.04045 ? value / 12.92 : Self.power((value + 0.055) / 1.055)
    }
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  }

  /// The power of 2.4 of a number from 0 to 1, by its fifth root: the portable core has no `pow`.
  private static func power(_ x: Double) -> Double {
    // x^2.4 is (x^0.2)^12. Newton's method for the fifth root; x is above 0.08 here.
    var root = 1.0
    for _ in 0..<24 { root -= (root - x / (root * root * root * root)) / 5 }
    let cube = root * root * root
    return cube * cube * cube * cube
  }

  /// The colour of the same hue with the opposite lightness: what is far, and nearly as dark as
  /// the night, becomes nearly as light as paper.
  public var mirrored: RGB {
    let shift = 1 - max(red, green, blue) - min(red, green, blue)
    return RGB(red: red + shift, green: green + shift, blue: blue + shift)
  }

  /// The nearest colour towards black or white that has at least this contrast to a background;
  /// this one if it has it already.
  public func legible(on background: RGB, least: Double) -> RGB {
    guard Contrast.ratio(self, background) < least else { return self }
    let isDark = background.luminance < 0.18
    return moved(to: isDark ? .white : .black) { Contrast.ratio($0, background) >= least }
  }

  /// The nearest colour that has at least this contrast to black and to white alike, for
  /// backgrounds that nobody knows. At most about 4.58 is possible.
  public func legibleAnywhere(least: Double) -> RGB {
    if Contrast.ratio(self, .white) < least {
      return moved(to: .black) { Contrast.ratio($0, .white) >= least }
    }
    if Contrast.ratio(self, .black) < least {
      return moved(to: .white) { Contrast.ratio($0, .black) >= least }
    }
    return self
  }

  /// The first colour on the way to another one that is good enough. Bisects: contrast only grows
  /// on that way.
  private func moved(to end: RGB, until isGood: (RGB) -> Bool) -> RGB {
    var (bad, good) = (0.0, 1.0)
    for _ in 0..<16 {
      let middle = (bad + good) / 2
      if isGood(.interpolate(from: self, to: end, t: middle)) {
        good = middle
      } else {
        bad = middle
      }
    }
    return .interpolate(from: self, to: end, t: good)
  }
}
