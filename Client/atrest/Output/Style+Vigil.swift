// SPDX-License-Identifier: Apache-2.0
// The colours of Vigil's text on a terminal.

import AtrestCommandLine
import AtrestDomain

extension Style {
  /// Vigil's text in dimmed starlight.
  func scripture(_ text: String) -> String {
    colours == .none
      ? quiet(text)
      : ink(starlight(Palette.scriptureOpacity), text)
  }

  /// A citation in fainter starlight.
  func citation(_ text: String) -> String {
    colours == .none
      ? quiet(text)
      : ink(starlight(Palette.citationOpacity), text)
  }
}
