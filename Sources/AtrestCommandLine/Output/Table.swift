// SPDX-License-Identifier: Apache-2.0
// Aligns rows in columns.

import AtrestDomain

/// A table of text. Columns are as wide as their widest cell on a terminal.
public struct Table: Sendable {
  private let header: [String]
  private var rows: [[String]] = []

  /// A table without rows.
  public init(_ header: String...) {
    self.header = header
  }

  /// A table without rows.
  ///
  /// - Parameter headings: Separated by commas, so that a translation is one text.
  public init(headings: String) {
    header = headings.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }

  /// A table of rows.
  public init(_ header: [String], rows: [[String]]) {
    self.header = header
    for row in rows { add(row) }
  }

  /// Adds a row with a cell for each column. Cells are escaped: there may be names in them.
  public mutating func add(_ cells: String...) {
    add(cells)
  }

  /// Adds a row with a cell for each column.
  public mutating func add(_ cells: [String]) {
    precondition(cells.count == header.count, "a row has a cell for each column")
    rows.append(cells.map(\.escapedForTerminal))
  }

  /// The lines, without spaces at their ends.
  ///
  /// - Parameters:
  ///   - heading: Sets off the line of headings.
  ///   - width: The columns that there are; nil for any number. Cells of the widest columns end in
  ///     `…` where there is no room, down to eight columns each.
  public func text(heading: (String) -> String = { $0 }, width: Int? = nil) -> String {
    let widths = widths(within: width)
    func line(_ cells: [String]) -> String {
      var line = ""
      for (cell, width) in zip(cells, widths) {
        let cell =
          ColumnWidth.of(cell) > width
          ? ColumnWidth.prefix(cell, columns: width - 1) + "…" : cell
        line += cell + String(repeating: " ", count: width - ColumnWidth.of(cell) + 2)
      }
      while line.last == " " { line.removeLast() }
      return line
    }
    return ([heading(line(header))] + rows.map(line)).joined(separator: "\n")
  }

  private func widths(within width: Int?) -> [Int] {
    var widths = header.indices.map { column in
      (rows + [header]).map { ColumnWidth.of($0[column]) }.max() ?? 0
    }
    guard let width else { return widths }
    var excess = widths.reduce(0) { $0 + $1 + 2 } - 2 - width
    while excess > 0, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
      widths[widest] > Self.leastWidth
    {
      // Down to the next widest column, which is cut with it then.
      let next = widths.filter { $0 < widths[widest] }.max() ?? 0
      let cut = min(excess, widths[widest] - max(next, Self.leastWidth))
      let step = max(1, cut)
      widths[widest] -= step
      excess -= step
    }
    return widths
  }

  private static let leastWidth = 8

  /// The lines, the header quiet. On a terminal that is too narrow for them the rows are stacked:
  /// the first cell, and under it each of the others beside its heading.
  public func text(_ style: Style) -> String { text(style, columns: Terminal.readColumns) }

  /// The lines for a terminal of some columns; nil for any number.
  public func text(_ style: Style, columns: Int?) -> String {
    let needed = widths(within: nil).reduce(-2) { $0 + $1 + 2 }
    guard let columns, needed > columns else { return text(heading: style.quiet) }
    let indent = header.dropFirst().map(ColumnWidth.of).max() ?? 0
    return rows.map { row in
      let cells = zip(header, row).dropFirst().filter { !$1.isEmpty }.map { heading, cell in
        let gap = String(repeating: " ", count: indent - ColumnWidth.of(heading) + 2)
        return "  " + style.quiet(heading.lowercased()) + gap + cell
      }
      return ([row[0]] + cells).joined(separator: "\n")
    }.joined(separator: "\n")
  }
}
