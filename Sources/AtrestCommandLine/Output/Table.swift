// SPDX-License-Identifier: Apache-2.0
// Aligns rows in columns.

/// A table of text. Columns are as wide as their widest cell on a terminal.
public struct Table: Sendable {
  private let header: [String]
  private var rows: [[String]] = []

  /// A table without rows.
  public init(_ header: String...) {
    self.header = header
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
  /// - Parameter heading: Sets off the line of headings.
  public func text(heading: (String) -> String = { $0 }) -> String {
    let widths = header.indices.map { column in
      (rows + [header]).map { ColumnWidth.of($0[column]) }.max() ?? 0
    }
    func line(_ cells: [String]) -> String {
      var line = ""
      for (cell, width) in zip(cells, widths) {
        line += cell + String(repeating: " ", count: width - ColumnWidth.of(cell) + 2)
      }
      while line.last == " " { line.removeLast() }
      return line
    }
    return ([heading(line(header))] + rows.map(line)).joined(separator: "\n")
  }

  /// The lines, the header quiet.
  public func text(_ style: Style) -> String { text(heading: style.quiet) }
}
