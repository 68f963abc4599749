// SPDX-License-Identifier: Apache-2.0
// What is known of the colour behind a terminal's text.

import AtrestDomain

/// The background of a terminal.
public enum Backdrop: Sendable, Hashable {
  /// Nobody said. Colours are chosen that are read on black and on white.
  case unknown
  /// The terminal's own.
  case known(RGB)
  /// Painted by the program, with this colour for text that has none.
  case painted(RGB, text: RGB)

  /// The background of the live views: night, whatever the terminal's own is.
  public static let night = Backdrop.painted(Palette.canvas, text: Palette.highlight)

  /// What `COLORFGBG` says, which rxvt, Konsole and others set: `15;0`, the numbers of two of the
  /// sixteen colours. Only 0 to 8 without 7 are dark in every scheme.
  public init(environment: [String: String]) {
    let parts = (environment["COLORFGBG"] ?? "").split(separator: ";")
    guard parts.count >= 2, let number = parts.last.flatMap({ Int($0) }),
      (0...15).contains(number)
    else {
      self = .unknown
      return
    }
    self = .known(number == 7 || number > 8 ? .white : .black)
  }

  /// Whether it is known to be light, where near shapes are dark and far ones pale.
  var isLight: Bool {
    if case .known(let background) = self { background.luminance > 0.18 } else { false }
  }

  /// The colour in which text of a palette's colour is shown.
  package func legible(_ colour: RGB, least: Double) -> RGB {
    switch self {
    case .unknown: colour.legibleAnywhere(least: min(least, Contrast.text))
    case .known(let background), .painted(let background, _):
      colour.legible(on: background, least: least)
    }
  }
}
