// SPDX-License-Identifier: Apache-2.0
// Makes a QR code of a text, and draws it with half-block characters so that phones read it off a
// terminal.

import CAtrestQRencode

/// A QR code: a square of dark and light modules.
///
/// Source: ISO/IEC 18004, by libqrencode.
package struct QRCode: Equatable {
  /// Modules on a side, the quiet zone left out.
  package let width: Int
  /// Rows from the top, each from the left; true is dark.
  package let modules: [Bool]

  /// Light modules around the code: what the standard asks for.
  package static let quietZone = 4

  /// A code of least size, with the lowest correction: a screen has no scratches.
  ///
  /// - Returns: nil for text that no code can hold (2,953 bytes at most), or without memory.
  package init?(_ text: String) {
    // The symbol stands for one text only, so the modes are libqrencode's to choose.
    guard !text.isEmpty, !text.utf8.contains(0),
      let code = QRcode_encodeString(text, 0, QR_ECLEVEL_L, QR_MODE_8, 1)
    else { return nil }
    defer { QRcode_free(code) }
    width = Int(code.pointee.width)
    guard width > 0, let data = code.pointee.data else { return nil }
    // The lowest bit says dark; the others are the library's notes.
    modules = UnsafeBufferPointer(start: data, count: width * width).map { $0 & 1 == 1 }
  }

  /// A pairing link. In capitals, which mean the same there and take two thirds of the room.
  package static func ofLink(_ link: String) -> QRCode? { QRCode(link.uppercased()) }

  /// Columns that the picture takes.
  package var columns: Int { width + 2 * Self.quietZone }

  /// Whether a module is dark; around the code all are light.
  package func isDark(row: Int, column: Int) -> Bool {
    (0..<width).contains(row) && (0..<width).contains(column) && modules[row * width + column]
  }

  /// The picture: two modules in each character, the upper and the lower one. The characters draw
  /// what is light, so that a dark terminal shows dark on light.
  ///
  /// - Parameter isColoured: Whether colours are set, and so the same on every terminal; without
  ///   them the terminal's own are taken to be light on dark.
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
