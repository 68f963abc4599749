// SPDX-License-Identifier: Apache-2.0
// Encodes text as a QR code and draws it with half-block characters for terminals.

import CAtrestQRencode

/// A QR code: a square of dark and light modules.
///
/// Source: ISO/IEC 18004, by libqrencode.
package struct QRCode: Equatable {
  /// Modules per side without the quiet zone.
  package let width: Int
  /// The modules, row by row from the top, left to right; true is dark.
  package let modules: [Bool]

  /// Width of the light border in modules, as the standard requires.
  package static let quietZone = 4

  /// Encodes text in the smallest code at the lowest error correction: a screen has no scratches.
  ///
  /// - Returns: nil if the text is empty, contains NUL or exceeds 2,953 bytes, or if allocation
  ///   fails.
  package init?(_ text: String) {
    // Any symbol for the same text will do, so libqrencode chooses the modes.
    guard !text.isEmpty, !text.utf8.contains(0),
      let code = QRcode_encodeString(text, 0, QR_ECLEVEL_L, QR_MODE_8, 1)
    else { return nil }
    defer { QRcode_free(code) }
    width = Int(code.pointee.width)
    guard width > 0, let data = code.pointee.data else { return nil }
    // Bit 0 is the colour; the library uses the others internally.
    modules = UnsafeBufferPointer(start: data, count: width * width).map { $0 & 1 == 1 }
  }

  /// Encodes a pairing link in capitals, which are equivalent in a link and take two thirds of the
  /// space.
  package static func ofLink(_ link: String) -> QRCode? { QRCode(link.uppercased()) }

  /// Columns of the drawn code.
  package var columns: Int { width + 2 * Self.quietZone }

  /// Whether a module is dark. Modules outside the code are light.
  package func isDark(row: Int, column: Int) -> Bool {
    (0..<width).contains(row) && (0..<width).contains(column) && modules[row * width + column]
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
