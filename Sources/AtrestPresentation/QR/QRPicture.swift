// SPDX-License-Identifier: Apache-2.0
// Draws a QR symbol as SVG: dark on light, whatever is around it.

extension QRSymbol {
  /// The picture, with the quiet zone. Each module is one point.
  ///
  /// - Parameter title: What it is, for screen readers; no markup.
  package func svg(title: String) -> String {
    let side = width + 2 * Self.quietZone
    var path = ""
    for row in 0..<width {
      var column = 0
      while column < width {
        guard isDark(row: row, column: column) else {
          column += 1
          continue
        }
        let start = column
        while isDark(row: row, column: column) { column += 1 }
        path +=
          "M\(start + Self.quietZone) \(row + Self.quietZone)h\(column - start)v1H"
          + "\(start + Self.quietZone)z"
      }
    }
    var markup = Markup(
      title: title, summary: title, width: Double(side), height: Double(side))
    markup.element(
      "rect", [("width", String(side)), ("height", String(side)), ("fill", "#ffffff")])
    markup.element("path", [("d", path), ("fill", "#000000"), ("shape-rendering", "crispEdges")])
    return markup.finished()
  }
}
