// SPDX-License-Identifier: Apache-2.0
// Emphasis and colours on a terminal.

import AtrestDomain

/// Emphasis with escape sequences, or plain text.
public struct Style: Sendable {
  /// Whether escape sequences are written.
  public let isOn: Bool
  /// The colour support if styling is on.
  public let colours: Colours
  /// What is behind the text.
  public let backdrop: Backdrop

  /// A style.
  public init(isOn: Bool, colours: Colours = .none, backdrop: Backdrop = .unknown) {
    self.isOn = isOn
    self.colours = colours
    self.backdrop = backdrop
  }

  /// The same for a view that paints the whole screen. Without colours nothing is painted.
  public var atNight: Style {
    Style(isOn: isOn, colours: colours, backdrop: colours == .none ? backdrop : .night)
  }

  /// What begins each line of a screen that is painted; empty for others.
  public var ground: String {
    guard isOn, case .painted(let background, let text) = backdrop,
      let behind = colours.code(background), let front = colours.code(text)
    else { return "" }
    return "\u{1B}[48;\(behind);38;\(front)m"
  }

  /// No styling.
  public static let plain = Style(isOn: false)

  /// Bold text.
  public func strong(_ text: String) -> String { isOn ? "\u{1B}[1m\(text)\u{1B}[22m" : text }

  /// De-emphasised text: dim, or where the background is known in a colour that can be read on it.
  /// What a terminal makes of dim may be too faint on a light background.
  public func quiet(_ text: String) -> String {
    guard isOn else { return text }
    if colours != .none, backdrop != .unknown { return ink(Palette.muted, text) }
    return "\u{1B}[2m\(text)\u{1B}[22m"
  }

  /// Text in a palette colour, or one near it that can be read; plain without colours.
  ///
  /// - Parameter least: The least contrast. 1 lets the colour be.
  public func ink(_ colour: RGB, _ text: String, least: Double = Contrast.text) -> String {
    // The nearest of 256 colours may be a step nearer to the background.
    let wanted = colours == .palette256 ? least * 1.2 : least
    let shown = least > 1 ? backdrop.legible(colour, least: wanted) : colour
    guard isOn, let code = colours.code(shown) else { return text }
    return "\u{1B}[38;\(code)m\(text)\(afterInk)"
  }

  /// Ends a colour: back to that of the screen.
  private var afterInk: String {
    if case .painted(_, let text) = backdrop, let code = colours.code(text) {
      return "\u{1B}[38;\(code)m"
    }
    return "\u{1B}[39m"
  }

  /// The colour of starlight at an opacity of 0 to 1, over what is behind it.
  public func starlight(_ opacity: Double) -> RGB {
    switch backdrop {
    case .unknown: .interpolate(from: Palette.canvas, to: Palette.starLight, t: opacity)
    case .known(let background), .painted(let background, _):
      .interpolate(
        from: background,
        to: Palette.starLight.legible(on: background, least: Contrast.text), t: opacity)
    }
  }

  /// Text styled like a cell of a drawing: words and digits as text, other marks as shapes. Dim
  /// stands for a colour only where there are none.
  public func paint(_ text: String, foreground: RGB?, isDim: Bool, isBold: Bool) -> String {
    let isText = text.contains { $0.isLetter || $0.isNumber }
    let text = isBold ? strong(text) : isDim && colours == .none ? quiet(text) : text
    guard let foreground else { return text }
    return isText
      ? ink(foreground, text)
      : ink(backdrop.isLight ? foreground.mirrored : foreground, text, least: Contrast.shape)
  }
}
