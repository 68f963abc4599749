// SPDX-License-Identifier: Apache-2.0
// Emphasis and colours on a terminal.

import AtrestDomain

/// Emphasis with escape sequences, or plain text.
public struct Style: Sendable {
  /// Whether escape sequences are written.
  public let isOn: Bool
  /// The colour support if styling is on.
  public let colours: Colours

  /// A style.
  public init(isOn: Bool, colours: Colours = .none) {
    self.isOn = isOn
    self.colours = colours
  }

  /// No styling.
  public static let plain = Style(isOn: false)

  /// Bold text.
  public func strong(_ text: String) -> String { isOn ? "\u{1B}[1m\(text)\u{1B}[0m" : text }

  /// Dim text.
  public func quiet(_ text: String) -> String { isOn ? "\u{1B}[2m\(text)\u{1B}[0m" : text }

  /// Text in a palette colour; plain without colours.
  public func ink(_ colour: RGB, _ text: String) -> String {
    guard isOn, let code = colours.code(colour) else { return text }
    return "\u{1B}[38;\(code)m\(text)\u{1B}[39m"
  }

  /// Text styled like a cell of a drawing. Dim stands for a colour only where there are none.
  public func paint(_ text: String, foreground: RGB?, isDim: Bool, isBold: Bool) -> String {
    let text = isBold ? strong(text) : isDim && colours == .none ? quiet(text) : text
    return foreground.map { ink($0, text) } ?? text
  }
}
