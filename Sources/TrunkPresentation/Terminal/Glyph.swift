// SPDX-License-Identifier: Apache-2.0
// The characters of marks in terminals, each one column wide, and their colours.

import AtrestDomain
import AtrestPresentation
import TrunkDomain

/// The characters of a garden. They differ in form, so that colour is not needed.
enum Glyph {
  static let bare: Character = "⋅"
  static let bud: Character = "○"
  static let leaf: Character = "●"
  static let ripe: Character = "◆"
  static let blossom: Character = "✧"
  static let richBlossom: Character = "✦"
  static let scar: Character = "×"
  static let more: Character = "…"
  static let full: Character = "⣿"
  static let hollow: Character = "⣀"

  /// The same in ASCII: none is a character that stands for dots.
  static let ascii: [Character: Character] = [
    bare: ",", bud: "o", leaf: "Y", ripe: "&", blossom: "w", richBlossom: "W", scar: "x", more: "~",
    full: "#", hollow: "-", "\u{201C}": "'", "\u{201D}": "'", "\u{2212}": "-",
  ]

  /// The character of a mark.
  static func of(_ mark: Mark) -> Character {
    switch mark {
    case .bud: bud
    case .leaf(let progress): progress < 1 ? leaf : ripe
    case .blossom(let result): result >= .strong ? richBlossom : blossom
    case .scar: scar
    }
  }

  /// The colour of a mark: of middle lightness, so that it shows on light and on dark.
  static func colour(of mark: Mark) -> RGB {
    switch mark {
    case .bud: Shade.bud
    case .leaf(let progress): progress < 1 ? Shade.leaf : Shade.ripe
    case .blossom: Shade.blossom
    case .scar: Shade.wood
    }
  }
}

/// Colours for terminals whose background is unknown: each has a contrast of at least 3 with white
/// and with black.
enum Shade {
  static let wood = RGB(hex: 0x96714F)
  static let bareWood = RGB(hex: 0x8A8078)
  static let leaf = RGB(hex: 0x5E9440)
  static let ripe = RGB(hex: 0xA87518)
  static let bud = RGB(hex: 0x9A7238)
  static let blossom = RGB(hex: 0xCC6478)
  static let earth = RGB(hex: 0x8F6A4A)
  static let water = RGB(hex: 0x4A88AD)
  static let sun = RGB(hex: 0xA67A18)
  static let warning = RGB(hex: 0xC25A45)
}
