// SPDX-License-Identifier: Apache-2.0
// Splits a file of separated values into rows of cells. Pure and bounded.

import AtrestTransfer
import Foundation

/// A file of separated values, as spreadsheets and other apps write it.
///
/// Source: RFC 4180, and beyond it: semicolons and tabs as separators, a byte order mark, and any
/// line ending.
struct CSVTable: Hashable, Sendable {
  /// A row that is not blank.
  struct Row: Hashable, Sendable {
    /// The line of the file on which it begins, from 1.
    var line: Int
    /// Its cells without quotes and surrounding blanks.
    var cells: [String]

    /// The text of a column; empty if the row has none.
    subscript(column: Int?) -> String {
      column.flatMap { cells.indices.contains($0) ? cells[$0] : nil } ?? ""
    }
  }

  /// All rows, the header among them. Never empty.
  let rows: [Row]

  /// Bounds. A person's history is far within them.
  enum Limits {
    /// The most rows.
    static let rows = 100_000
    /// The most cells of a row.
    static let columns = 256
    /// The longest cell in bytes.
    static let cellBytes = 16 * 1024
  }

  /// Splits a file.
  ///
  /// - Throws: `CSVProblem` for what is no such file: not UTF-8, a quote without its counterpart, a
  ///   single column, or more than the bounds.
  /// - Complexity: O(n).
  init(_ bytes: [UInt8]) throws(CSVProblem) {
    guard bytes.count <= Portability.Limits.fileBytes else { throw .tooLarge }
    let text = Portability.withoutMark(bytes)[...]
    guard !text.contains(0), String(validating: text, as: UTF8.self) != nil else { throw .notText }
    var splitter = Splitter(separator: Self.declaredSeparator(of: text) ?? Self.separator(of: text))
    try splitter.read(text)
    guard let widest = splitter.rows.map(\.cells.count).max(), widest > 1 else { throw .notATable }
    // A title above the header has one cell with words; so has a line that declares a separator.
    let titles = splitter.rows.prefix { row in
      let words = row.cells.filter { !$0.isEmpty }
      return words.count < 2 && words.allSatisfy { CSVMoment($0) == nil }
    }
    rows = Array(splitter.rows.dropFirst(titles.count))
    guard !rows.isEmpty else { throw .notATable }
  }

  /// The separator that a first line of `sep=;` declares, as spreadsheets write it.
  private static func declaredSeparator(of text: ArraySlice<UInt8>) -> UInt8? {
    let line = text.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    let words = Array("sep=".utf8)
    guard line.count == words.count + 1, line.starts(with: words) else { return nil }
    return line.last
  }

  /// The separator that the first line with any has most of outside of quotes.
  private static func separator(of text: ArraySlice<UInt8>) -> UInt8 {
    let separators = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|")]
    var counts = [0, 0, 0, 0]
    var isQuoted = false
    var sawCell = false
    for byte in text.prefix(Limits.cellBytes * 4) {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      guard !isQuoted else { continue }
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
        if sawCell, counts != [0, 0, 0, 0] { break }
        continue
      }
      sawCell = true
      if let index = separators.firstIndex(of: byte) { counts[index] += 1 }
    }
    let best = counts.indices.max {
      counts[$0] < counts[$1] || (counts[$0] == counts[$1] && $0 > $1)
    }
    return separators[best ?? 0]
  }

  /// Reads byte by byte.
  private struct Splitter {
    let separator: UInt8
    var rows: [Row] = []
    private var cells: [String] = []
    private var cell: [UInt8] = []
    private var quote = Quote.none
    private var line = 1
    private var rowLine = 1
    private var sawReturn = false

    /// Where the cell is with its quotes.
    private enum Quote {
      /// It has none so far.
      case none
      case open(line: Int)
      /// Just after a quote within quotes: the end of them, or the first of two.
      case closing
    }

    init(separator: UInt8) {
      self.separator = separator
    }

    mutating func read(_ text: ArraySlice<UInt8>) throws(CSVProblem) {
      for byte in text { try take(byte) }
      if case .open(let line) = quote { throw .openQuote(line: line) }
      try endRow()
    }

    private mutating func take(_ byte: UInt8) throws(CSVProblem) {
      let isLineEnd = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
      // A line feed after a return belongs to it.
      let isSecondHalf = byte == UInt8(ascii: "\n") && sawReturn
      sawReturn = byte == UInt8(ascii: "\r")
      if case .open = quote {
        if isLineEnd, !isSecondHalf { line += 1 }
        if byte == UInt8(ascii: "\"") { quote = .closing } else { try append(byte) }
        return
      }
      switch byte {
      case UInt8(ascii: "\""):
        if case .closing = quote {
          try append(byte)
          quote = .open(line: line)
        } else if cell.allSatisfy({ $0 == UInt8(ascii: " ") }) {
          cell = []
          quote = .open(line: line)
        } else {
          // Within a cell that did not begin with one it is a mark like any other.
          try append(byte)
        }
      case separator: try endCell()
      case _ where isLineEnd:
        if isSecondHalf { return }
        try endRow()
        line += 1
        rowLine = line
      default:
        try append(byte)
        if case .closing = quote { quote = .none }
      }
    }

    private mutating func append(_ byte: UInt8) throws(CSVProblem) {
      guard cell.count < Limits.cellBytes else { throw .cellTooLong(line: rowLine) }
      cell.append(byte)
    }

    private mutating func endCell() throws(CSVProblem) {
      guard cells.count < Limits.columns else { throw .tooManyColumns(line: rowLine) }
      cells.append(
        String(decoding: cell, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
      cell = []
      quote = .none
    }

    private mutating func endRow() throws(CSVProblem) {
      try endCell()
      if cells.contains(where: { !$0.isEmpty }) {
        guard rows.count < Limits.rows else { throw .tooManyRows }
        rows.append(Row(line: rowLine, cells: cells))
      }
      cells = []
    }
  }
}
