// SPDX-License-Identifier: Apache-2.0
// Output about another app's file with fasts in rows: its columns, and what is taken of it.

import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestPortability
import Foundation

/// A row or an entry that was left out, for `--json`.
struct SkippedRow: Encodable {
  var line: Int?
  var entry: Int?
  var reason: String

  init(_ skipped: FastHistory.Skipped, in history: FastHistory) {
    switch history.place(skipped.number) {
    case .line(let number): line = number
    case .entry(let number): entry = number
    case .active: break
    }
    reason = skipped.reason.rawValue
  }
}

/// Texts about files with fasts in rows.
enum HistoryWords {
  static var startQuestion: String {
    Language.text(
      "Which column says when a fast began? Its name or number:",
      de: "Welche Spalte sagt, wann ein Fasten begann? Ihr Name oder ihre Nummer:")
  }

  static var endQuestion: String {
    Language.text(
      "Which column says when it ended? Its name or number, or nothing if there is none:",
      de:
        "Welche Spalte sagt, wann es endete? Ihr Name oder ihre Nummer, oder nichts, wenn es keine gibt:"
    )
  }

  static var durationQuestion: String {
    Language.text(
      "Which column says how long it took? Its name or number:",
      de: "Welche Spalte sagt, wie lange es dauerte? Ihr Name oder ihre Nummer:")
  }

  static func orderQuestion(line: Int) -> String {
    Language.text(
      "The date in line \(line) has two readings. Day first or month first? [d/m]",
      de: "Das Datum in Zeile \(line) lässt sich zweifach lesen. Tag oder Monat zuerst? [t/m]")
  }

  /// The most rows that are named.
  private static let namedRows = 5

  /// The columns of a file with an example of each.
  static func columns(_ file: CSVFile) -> String {
    let example = file.example
    let lines = file.header.enumerated().map { index, name in
      let value = example.indices.contains(index) ? example[index] : ""
      let shown =
        value.isEmpty
        ? ""
        : Language.text(", such as \(shortened(value))", de: ", etwa \(shortened(value))")
      return "  \(index + 1)  \(shortened(name))\(shown)"
    }
    return ([Language.text("The columns of the file:", de: "Die Spalten der Datei:")] + lines)
      .joined(separator: "\n")
  }

  private static func shortened(_ text: String) -> String {
    let text = text.escapedForTerminal
    return ColumnWidth.of(text) > 40 ? ColumnWidth.prefix(text, columns: 39) + "…" : text
  }

  /// What is read, which columns say so, and what is left out with its line.
  ///
  /// - Parameter overlapping: The numbers of fasts that share time with one that is here.
  static func preview(
    _ history: FastHistory, _ columns: CSVColumns, header: [String], overlapping: [Int],
    _ target: DefaultTarget
  ) -> String {
    var lines = [columnWords(columns, header)]
    if history.lacksTargets { lines.append(words(target)) }
    if !history.skipped.isEmpty {
      let count = history.skipped.count
      let counted = Self.counted(count, history)
      lines.append(Language.text("Left out: \(counted).", de: "Ausgelassen: \(counted)."))
      lines += history.skipped.prefix(namedRows).map { skipped in
        "  \(history.place(skipped.number).words): \(skipped.reason.words)"
      }
      if count > namedRows {
        lines.append(
          Language.text(
            "  and \(count - namedRows) more; `--json` names them all",
            de: "  und \(count - namedRows) weitere; `--json` nennt sie alle"))
      }
    }
    let pairs = history.overlaps
    if !pairs.isEmpty {
      let named = pairs.prefix(namedRows).map { "\($0)+\($1)" }.joined(separator: ", ")
      let more = pairs.count > namedRows ? ", …" : ""
      lines.append(
        Language.text(
          "Fasts of the file share time, and each would count: \(noun(history, isOne: false)) "
            + "\(named)\(more).",
          de: "Fasten der Datei überschneiden sich, und jedes würde zählen: "
            + "\(noun(history, isOne: false)) \(named)\(more)."))
    }
    if !overlapping.isEmpty {
      let named = overlapping.prefix(namedRows).map(String.init).joined(separator: ", ")
      let more = overlapping.count > namedRows ? ", …" : ""
      let isOne = overlapping.count == 1
      lines.append(
        Language.text(
          "\(isOne ? "1 fast" : "\(overlapping.count) fasts") would share time with one that is here, and both would count: "
            + "\(noun(history, isOne: isOne)) \(named)\(more). `--skip-overlaps` leaves such fasts out.",
          de:
            "\(overlapping.count) Fasten würde\(isOne ? "" : "n") sich mit einem von hier überschneiden, und beide würden zählen: "
            + "\(noun(history, isOne: isOne)) \(named)\(more). `--skip-overlaps` lässt solche aus.")
      )
    }
    return lines.joined(separator: "\n")
  }

  /// So many rows or entries.
  private static func counted(_ count: Int, _ history: FastHistory) -> String {
    history.format == .csv
      ? Language.text(
        count == 1 ? "1 row" : "\(count) rows", de: count == 1 ? "1 Zeile" : "\(count) Zeilen")
      : Language.text(
        count == 1 ? "1 entry" : "\(count) entries",
        de: count == 1 ? "1 Eintrag" : "\(count) Einträge")
  }

  /// What numbers of a history are of.
  private static func noun(_ history: FastHistory, isOne: Bool) -> String {
    history.format == .csv
      ? Language.text(isOne ? "line" : "lines", de: isOne ? "Zeile" : "Zeilen")
      : Language.text(isOne ? "entry" : "entries", de: isOne ? "Eintrag" : "Einträge")
  }

  private static func words(_ target: DefaultTarget) -> String {
    let length = DurationText.text(minutes: target.minutes)
    let usual = target.isUsual ? Language.text(", your usual one", de: ", dein übliches") : ""
    return Language.text(
      "Target, where the file has none: \(length)\(usual).",
      de: "Ziel, wo die Datei keines hat: \(length)\(usual).")
  }

  private static func columnWords(_ columns: CSVColumns, _ header: [String]) -> String {
    let parts = [
      (Language.text("start", de: "Beginn"), [columns.date, columns.start]),
      (Language.text("end", de: "Ende"), [columns.endDate, columns.end]),
      (Language.text("length", de: "Dauer"), [columns.duration]),
      (Language.text("target", de: "Ziel"), [columns.target]),
    ]
    let words = parts.compactMap { word, columns -> String? in
      let names = columns.compactMap(\.self).map { column in
        let name = shortened(header.indices.contains(column) ? header[column] : "")
        return Language.text("“\(name)”", de: "„\(name)“")
      }
      guard !names.isEmpty else { return nil }
      return Language.text(
        "\(word) from \(names.joined(separator: " and "))",
        de: "\(word) aus \(names.joined(separator: " und "))")
    }
    let list = words.joined(separator: ", ")
    return Language.text("Read: \(list).", de: "Gelesen: \(list).")
  }
}
