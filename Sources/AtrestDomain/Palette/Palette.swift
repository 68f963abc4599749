// SPDX-License-Identifier: Apache-2.0
// The colours of Atrest and their interpolation.

/// An sRGB colour with components from 0 to 1.
public struct RGB: Hashable, Sendable {
  /// Red, 0 to 1.
  public let red: Double
  /// Green, 0 to 1.
  public let green: Double
  /// Blue, 0 to 1.
  public let blue: Double

  /// Creates a colour. Components are clamped to 0...1.
  public init(red: Double, green: Double, blue: Double) {
    self.red = min(max(red, 0), 1)
    self.green = min(max(green, 0), 1)
    self.blue = min(max(blue, 0), 1)
  }

  /// Creates a colour from `0xRRGGBB`.
  public init(hex: UInt32) {
    self.init(
      red: Double(hex >> 16 & 0xff) / 255, green: Double(hex >> 8 & 0xff) / 255,
      blue: Double(hex & 0xff) / 255)
  }

  /// The components as 0 to 255, for terminals.
  public var bytes: (red: UInt8, green: UInt8, blue: UInt8) {
    (
      UInt8((red * 255).rounded()), UInt8((green * 255).rounded()), UInt8((blue * 255).rounded())
    )
  }

  /// The colour as `#RRGGBB`.
  public var hex: String {
    let parts = bytes
    return "#"
      + [parts.red, parts.green, parts.blue].map { byte in
        let digits = String(byte, radix: 16, uppercase: true)
        return byte < 16 ? "0" + digits : digits
      }.joined()
  }

  /// The linear interpolation between two colours. `t` is clamped to 0...1.
  public static func interpolate(from: RGB, to: RGB, t: Double) -> RGB {
    let t = min(max(t, 0), 1)
    return RGB(
      red: from.red + (to.red - from.red) * t, green: from.green + (to.green - from.green) * t,
      blue: from.blue + (to.blue - from.blue) * t)
  }
}

/// The palette: dusk, earth, and one star.
public enum Palette {
  // The sky.
  /// The top of the sky.
  public static let deepNight = RGB(hex: 0x0D0D1A)
  /// The middle of the sky.
  public static let duskBase = RGB(hex: 0x1A1225)
  /// The sky above the ground.
  public static let horizonWarm = RGB(hex: 0x2D1F0E)
  /// A cooler horizon.
  public static let horizonCool = RGB(hex: 0x111827)

  /// The sky's gradient behind timer and forest, bottom to top, evenly spaced.
  public static let dusk = [horizonWarm, duskBase, deepNight]

  // Surfaces and text.
  /// The background.
  public static let canvas = deepNight
  /// Raised surfaces.
  public static let surface = RGB(red: 0.12, green: 0.10, blue: 0.14)
  /// Lines.
  public static let stroke = RGB(red: 0.30, green: 0.25, blue: 0.33)
  /// Secondary text.
  public static let accent = RGB(red: 0.58, green: 0.55, blue: 0.65)
  /// De-emphasised text.
  public static let muted = RGB(red: 0.45, green: 0.42, blue: 0.50)
  /// Emphasised text.
  public static let highlight = RGB(red: 0.88, green: 0.84, blue: 0.78)

  /// A tree's pair of colours.
  public struct EarthTone: Hashable, Sendable {
    /// The darker colour, for shade.
    public let dark: RGB
    /// The lighter colour, of a complete tree.
    public let light: RGB
  }

  /// The five tones, by `TreeCharacter.tone`.
  public static let earthTones = [
    EarthTone(dark: RGB(hex: 0x3D2B1F), light: RGB(hex: 0x7A5C45)),
    EarthTone(dark: RGB(hex: 0xC17F3A), light: RGB(hex: 0xE8A94E)),
    EarthTone(dark: RGB(hex: 0x3A4A35), light: RGB(hex: 0x6B7F5E)),
    EarthTone(dark: RGB(hex: 0x4A4E5A), light: RGB(hex: 0x8A909E)),
    EarthTone(dark: RGB(hex: 0x8B6914), light: RGB(hex: 0xD4A825)),
  ]

  /// A tone's name in lower case, for use within a sentence. Accepts any number.
  public static func name(ofTone tone: Int) -> String {
    Catalogue.text("palette.tone.\(tone.magnitude % UInt(earthTones.count))")
  }

  /// The tone for any number, modulo the number of tones.
  public static func earthTone(_ tone: Int) -> EarthTone {
    earthTones[Int(tone.magnitude % UInt(earthTones.count))]
  }

  /// The grey of new trees, incomplete trees and the dots of fasts that ended early.
  public static let treeGrey = RGB(red: 0.55, green: 0.55, blue: 0.60)

  /// The colour of stars and of Vigil's text.
  public static let starLight = RGB(hex: 0xF0EDE6)
  /// The opacity of Scripture in `starLight`.
  public static let scriptureOpacity = 0.60
  /// The opacity of a citation in `starLight`.
  public static let citationOpacity = 0.40

  /// The colour of a calendar's dot.
  public static func dot(_ dot: CalendarDot) -> RGB {
    switch dot {
    case .tone(let tone): earthTone(tone).light
    case .grey: treeGrey
    }
  }
}
