// SPDX-License-Identifier: Apache-2.0
// Makes text that another program wrote safe to show.

extension String {
  /// The text with U+FFFD for every scalar that steers a display. O(n).
  package var escapedForDisplay: String {
    guard unicodeScalars.contains(where: { $0.steersDisplay }) else { return self }
    var scalars = String.UnicodeScalarView()
    for scalar in unicodeScalars { scalars.append(scalar.steersDisplay ? "\u{FFFD}" : scalar) }
    return String(scalars)
  }

  /// ``escapedForDisplay`` in quotation marks that nothing in it can close.
  package var quotedForDisplay: String {
    var scalars = String.UnicodeScalarView()
    for scalar in escapedForDisplay.unicodeScalars {
      switch scalar {
      case "\u{201C}", "\u{201D}", "\u{201E}", "\u{201F}", "\"": scalars.append("'")
      default: scalars.append(scalar)
      }
    }
    let text = String(scalars)
    return Language.text("“\(text)”", de: "„\(text)“")
  }
}
