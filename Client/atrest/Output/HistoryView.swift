// SPDX-License-Identifier: Apache-2.0
// Output about another app's file of separated values: its columns, and what is taken of it.

import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestPortability
import Foundation

/// A row that was left out, for `--json`.
struct SkippedRow: Encodable {
  var line: Int
  var reason: String
}

/// Texts about files of separated values.
enum HistoryWords {
  static let startQuestion = "Which column says when a fast began? Its name or number:"
  static let endQuestion =
    "Which column says when it ended? Its name or number, or nothing if there is none:"
  static let durationQuestion = "Which column says how long it took? Its name or number:"

  static func orderQuestion(line: Int) -> String {
    "The date in line \(line) has two readings. Day first or month first? [d/m]"
  }

  /// The most rows that are named.
  private static let namedRows = 5

  /// The columns of a file with an example of each.
  static func columns(_ file: CSVFile) -> String {
    let example = file.example
    let lines = file.header.enumerated().map { index, name in
      let value = example.indices.contains(index) ? example[index] : ""
      return
        "  \(index + 1)  \(shortened(name))\(value.isEmpty ? "" : ", such as \(shortened(value))")"
    }
    return (["The columns of the file:"] + lines).joined(separator: "\n")
  }

  private static func shortened(_ text: String) -> String {
    let text = text.escapedForTerminal
    return ColumnWidth.of(text) > 40 ? ColumnWidth.prefix(text, columns: 39) + "…" : text
  }

  /// What is read, which columns say so, and what is left out with its line.
  ///
  /// - Parameter overlapping: The lines of fasts that share time with one that is here.
  static func preview(
    _ history: CSVHistory, _ columns: CSVColumns, header: [String], overlapping: [Int]
  ) -> String {
    var lines = [columnWords(columns, header)]
    if !history.skipped.isEmpty {
      lines.append("Left out: \(count(history.skipped.count, "row")).")
      lines += history.skipped.prefix(namedRows).map { "  line \($0.line): \($0.reason.words)" }
      if history.skipped.count > namedRows {
        lines.append("  and \(history.skipped.count - namedRows) more; `--json` names them all")
      }
    }
    let pairs = history.overlaps
    if !pairs.isEmpty {
      let named = pairs.prefix(namedRows).map { "\($0) and \($1)" }.joined(separator: ", ")
      let more = pairs.count > namedRows ? ", and \(pairs.count - namedRows) more pairs" : ""
      lines.append("Fasts of the file share time, and each would count: lines \(named)\(more).")
    }
    if !overlapping.isEmpty {
      let named = overlapping.prefix(namedRows).map(String.init).joined(separator: ", ")
      let more = overlapping.count > namedRows ? ", and \(overlapping.count - namedRows) more" : ""
      lines.append(
        "\(count(overlapping.count, "fast")) would share time with one that is here, and both would count: "
          + "\(overlapping.count == 1 ? "line" : "lines") \(named)\(more). `--skip-overlaps` leaves such fasts out."
      )
    }
    return lines.joined(separator: "\n")
  }

  private static func columnWords(_ columns: CSVColumns, _ header: [String]) -> String {
    let parts = [
      ("start", [columns.date, columns.start]), ("end", [columns.end]),
      ("length", [columns.duration]), ("target", [columns.target]),
    ]
    let words = parts.compactMap { word, columns -> String? in
      let names = columns.compactMap(\.self).map {
        "“\(shortened(header.indices.contains($0) ? header[$0] : ""))”"
      }
      return names.isEmpty ? nil : "\(word) from \(names.joined(separator: " and "))"
    }
    return "Read: \(words.joined(separator: ", "))."
  }

  private static func count(_ number: Int, _ noun: String) -> String {
    number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
  }
}
