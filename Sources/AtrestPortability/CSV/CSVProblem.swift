// SPDX-License-Identifier: Apache-2.0
// Why a file with fasts in rows was not read, with words for the person.

import AtrestDomain
import AtrestTransfer

/// Why a file with fasts in rows was not read. Nothing was changed.
public enum CSVProblem: Error, Hashable, Sendable {
  /// More bytes than `Portability.Limits.fileBytes`.
  case tooLarge
  /// Not UTF-8.
  case notText
  /// No two columns in any row.
  case notATable
  /// A quote without its counterpart.
  case openQuote(line: Int)
  /// A cell beyond the bound.
  case cellTooLong(line: Int)
  /// A row beyond the bound.
  case tooManyColumns(line: Int)
  /// More rows than the bound.
  case tooManyRows
  /// A column that the file does not have, as it was typed.
  case unknownColumn(String)
  /// Nothing says when fasts began.
  case noStartColumn
  /// Nothing says when fasts ended or how long they took.
  case noEndColumn
  /// A column of lengths in something else than a unit of time, by its name.
  case unknownUnit(column: String)
  /// Dates that have two readings, with the first line of them.
  case ambiguousDates(line: Int)
  /// Dates of which some have the day first and some the month, with a line of each.
  case contradictoryDates(dayFirst: Int, monthFirst: Int)

  /// What happened, then what to do.
  public var userMessage: String {
    switch self {
    case .tooLarge, .tooManyRows:
      Language.text(
        "The file is longer than any history that is read at once: \(CSVTable.Limits.rows) rows. "
          + "Check that it is the right one.",
        de: "Die Datei ist länger als jeder Verlauf, der auf einmal gelesen wird: "
          + "\(CSVTable.Limits.rows) Zeilen. Prüfe, ob es die richtige ist.")
    case .notText:
      Language.text(
        "The file is not text in UTF-8. Save it as UTF-8, then import it again.",
        de:
          "Die Datei ist kein Text in UTF-8. Speichere sie als UTF-8, dann importiere sie noch einmal."
      )
    case .notATable:
      Language.text(
        "This is no export that can be read here: neither JSON nor rows with at least two columns.",
        de:
          "Diesen Export kann ich nicht lesen: weder JSON noch Zeilen mit mindestens zwei Spalten.")
    case .openQuote(let line):
      Language.text(
        "A quote that begins in line \(line) does not end. Make the export again.",
        de: "Ein Anführungszeichen in Zeile \(line) hat kein Ende. Mach den Export noch einmal.")
    case .cellTooLong(let line):
      Language.text(
        "A cell in line \(line) is too long to be of a history. Check that it is the right file.",
        de:
          "Eine Zelle in Zeile \(line) ist zu lang für einen Verlauf. Prüfe, ob es die richtige Datei ist."
      )
    case .tooManyColumns(let line):
      Language.text(
        "Line \(line) has more than \(CSVTable.Limits.columns) columns. Check that it is the right file.",
        de:
          "Zeile \(line) hat mehr als \(CSVTable.Limits.columns) Spalten. Prüfe, ob es die richtige Datei ist."
      )
    case .unknownColumn:
      Language.text(
        "The file has no such column. Say its name as in the first row, or its number from 1.",
        de:
          "Diese Spalte hat die Datei nicht. Sag ihren Namen wie in der ersten Zeile oder ihre Nummer ab 1."
      )
    case .noStartColumn:
      Language.text(
        "No column is known to say when a fast began. Say which one does: `--start-column NAME`.",
        de: "Keine Spalte sagt erkennbar, wann ein Fasten begann. Sag, welche es tut: "
          + "`--start-column NAME`.")
    case .noEndColumn:
      Language.text(
        "No column is known to say when a fast ended or how long it took. Say which one does: "
          + "`--end-column NAME` or `--duration-column NAME`.",
        de:
          "Keine Spalte sagt erkennbar, wann ein Fasten endete oder wie lange es dauerte. Sag, welche "
          + "es tut: `--end-column NAME` oder `--duration-column NAME`.")
    case .unknownUnit(let column):
      Language.text(
        "The column \(column.quotedForDisplay) is in no unit of time that is known here. Name its unit in the "
          + "first row (ms, s, min, h or days), or say which column it is: `--duration-column NAME`.",
        de:
          "Die Spalte \(column.quotedForDisplay) hat keine Zeiteinheit, die hier bekannt ist. Nenne ihre "
          + "Einheit in der ersten Zeile (ms, s, min, h oder Tage), oder sag, welche Spalte es ist: "
          + "`--duration-column NAME`.")
    case .ambiguousDates(let line):
      Language.text(
        "The dates have two readings, such as that in line \(line): day first or month first. Say "
          + "which: `--date-order dmy` or `--date-order mdy`.",
        de:
          "Die Daten lassen sich zweifach lesen, etwa das in Zeile \(line): Tag oder Monat zuerst. "
          + "Sag, wie: `--date-order dmy` oder `--date-order mdy`.")
    case .contradictoryDates(let dayFirst, let monthFirst):
      Language.text(
        "Line \(dayFirst) has the day first, line \(monthFirst) the month. Say which is right: "
          + "`--date-order dmy` or `--date-order mdy`; rows that do not fit are left out.",
        de: "In Zeile \(dayFirst) steht der Tag zuerst, in Zeile \(monthFirst) der Monat. Sag, was "
          + "stimmt: `--date-order dmy` oder `--date-order mdy`; was nicht passt, bleibt aus.")
    }
  }
}
