// SPDX-License-Identifier: Apache-2.0
// Renders a terminal drawing as a web page for a screenshot.

import AtrestDomain
import AtrestPresentation

enum TerminalPage {
  /// Pixels per cell.
  private static let cell = (width: 9, height: 18)

  /// A page exactly as large as the drawing plus a margin. Dots are drawn as circles, as in
  /// terminals, because fonts place braille dots differently.
  static func html(
    _ drawing: Drawing, ink: RGB = Palette.accent, paper: RGB = Palette.deepNight
  ) -> String {
    let margin = 14
    let width = drawing.width * cell.width + margin * 2
    let height = drawing.height * cell.height + margin * 2
    var body = ""
    for (row, cells) in drawing.rows.enumerated() {
      for (column, cell) in cells.enumerated() where cell.character != " " {
        body += draw(
          cell, ink: ink, x: margin + column * Self.cell.width,
          y: margin + row * Self.cell.height)
      }
    }
    return """
      <!doctype html><meta charset="utf-8"><title>Atrest</title>
      <style>body{margin:0;background:\(paper.hex)}
      text{font:15px 'DejaVu Sans Mono',monospace}</style>
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)">
      \(body)</svg>

      """
  }

  private static func draw(_ cell: Cell, ink: RGB, x: Int, y: Int) -> String {
    let colour = (cell.foreground ?? ink).hex
    guard let value = cell.character.unicodeScalars.first?.value, (0x2800...0x28FF).contains(value)
    else {
      return
        "<text x=\"\(x)\" y=\"\(y + 14)\" fill=\"\(colour)\">\(cell.character)</text>\n"
    }
    // Source: Unicode, Braille Patterns: bit 0 to 7 by column and row.
    let places = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)]
    var path = ""
    for (bit, place) in places.enumerated() where (value - 0x2800) >> UInt32(bit) & 1 == 1 {
      let cx = Double(x) + 2.25 + Double(place.0) * 4.5
      let cy = Double(y) + 2.25 + Double(place.1) * 4.5
      path += "M\(cx - 1.6) \(cy)a1.6 1.6 0 1 0 3.2 0a1.6 1.6 0 1 0-3.2 0"
    }
    return "<path fill=\"\(colour)\" d=\"\(path)\"/>\n"
  }
}
