// SPDX-License-Identifier: Apache-2.0
// Draws a text's QR code with half-block characters for terminals.

import AtrestPresentation

/// A text's QR code on a terminal.
package struct QRCode: Equatable {
  private let symbol: QRSymbol

  /// Modules per side without the quiet zone.
  package var width: Int { symbol.width }

  /// Width of the light border in modules, as the standard requires.
  package static let quietZone = QRSymbol.quietZone

  /// Encodes text.
  ///
  /// - Returns: nil if the text is empty or exceeds 2,953 bytes.
  package init?(_ text: String) {
    guard let symbol = QRSymbol(Array(text.utf8)) else { return nil }
    self.symbol = symbol
  }

  /// Encodes a pairing link in capitals, which are equivalent in a link and take two thirds of the
  /// space.
  package static func ofLink(_ link: String) -> QRCode? { QRCode(link.uppercased()) }

  /// Columns of the drawn code.
  package var columns: Int { width + 2 * Self.quietZone }

  /// Whether a module is dark. Modules outside the code are light.
  package func isDark(row: Int, column: Int) -> Bool {
    symbol.isDark(row: row, column: column)
  }

  /// Draws the code, two modules per character: the upper and the lower one. The characters draw
  /// the light modules, so the code is dark on light on a dark terminal.
  ///
  /// - Parameter isColoured: Whether to set colours explicitly, which looks the same on every
  ///   terminal. Without them a light-on-dark terminal is assumed.
  package func picture(isColoured: Bool) -> String {
    let range = -Self.quietZone..<(width + Self.quietZone)
    return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
      let line = range.map { column in
        let isUpperDark = isDark(row: row, column: column)
        let isLowerDark =
          row + 1 >= range.upperBound || isDark(row: row + 1, column: column)
        return isUpperDark ? (isLowerDark ? " " : "▄") : (isLowerDark ? "▀" : "█")
      }.joined()
      // Bright white on black.
      return isColoured ? "\u{1B}[97;40m\(line)\u{1B}[0m" : line
    }.joined(separator: "\n")
  }
}
