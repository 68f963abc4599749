// SPDX-License-Identifier: Apache-2.0
// Sets rows in columns.

/// A table of text. Columns are as wide as their widest cell, counted in characters.
struct Table {
  private var header: [String]
  private var rows: [[String]] = []

  /// A table without rows.
  init(_ header: String...) {
    self.header = header
  }

  /// Adds a row with a cell for each column.
  mutating func add(_ cells: String...) {
    precondition(cells.count == header.count, "a row has a cell for each column")
    rows.append(cells)
  }

  /// The lines, the header quiet.
  func text(_ style: Style) -> String {
    let widths = header.indices.map { column in
      (rows + [header]).map { $0[column].count }.max() ?? 0
    }
    func line(_ cells: [String]) -> String {
      var line = ""
      for (cell, width) in zip(cells, widths) {
        line += cell + String(repeating: " ", count: width - cell.count + 2)
      }
      while line.last == " " { line.removeLast() }
      return line
    }
    return ([style.quiet(line(header))] + rows.map(line)).joined(separator: "\n")
  }
}
