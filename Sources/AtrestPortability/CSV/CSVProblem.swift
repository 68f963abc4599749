// SPDX-License-Identifier: Apache-2.0
// Why a file of separated values, or a row of it, was not taken; each with words for the person.

/// Why a file of separated values was not read. Nothing was changed.
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
  /// Dates that have two readings, with the first line of them.
  case ambiguousDates(line: Int)
  /// Dates of which some have the day first and some the month, with a line of each.
  case contradictoryDates(dayFirst: Int, monthFirst: Int)

  /// What happened, then what to do.
  public var userMessage: String {
    switch self {
    case .tooLarge, .tooManyRows:
      "The file is longer than any history that is read at once: \(CSVTable.Limits.rows) rows. "
        + "Check that it is the right one."
    case .notText: "The file is not text in UTF-8. Save it as UTF-8, then import it again."
    case .notATable:
      "This is no export that can be read here: neither JSON nor rows with at least two columns."
    case .openQuote(let line):
      "A quote that begins in line \(line) does not end. Make the export again."
    case .cellTooLong(let line):
      "A cell in line \(line) is too long to be of a history. Check that it is the right file."
    case .tooManyColumns(let line):
      "Line \(line) has more than \(CSVTable.Limits.columns) columns. Check that it is the right file."
    case .unknownColumn:
      "The file has no such column. Say its name as in the first row, or its number from 1."
    case .noStartColumn:
      "No column is known to say when a fast began. Say which one does: `--start-column NAME`."
    case .noEndColumn:
      "No column is known to say when a fast ended or how long it took. Say which one does: "
        + "`--end-column NAME` or `--duration-column NAME`."
    case .ambiguousDates(let line):
      "The dates have two readings, such as that in line \(line): day first or month first. Say "
        + "which: `--date-order dmy` or `--date-order mdy`."
    case .contradictoryDates(let dayFirst, let monthFirst):
      "Line \(dayFirst) has the day first, line \(monthFirst) the month. Say which is right: "
        + "`--date-order dmy` or `--date-order mdy`; rows that do not fit are left out."
    }
  }
}

/// Why a row was left out.
public enum CSVSkip: String, Hashable, Sendable, CaseIterable {
  /// Its start is empty or cannot be read.
  case noStart = "no_start"
  /// It has neither an end nor a length that can be read: the fast may have been going on.
  case noEnd = "no_end"
  /// A local time that the clocks skipped.
  case skippedTime = "skipped_time"
  /// It ends when it starts, or before.
  case endBeforeStart = "end_before_start"
  /// More than 14 days.
  case tooLong = "too_long"
  /// A part of it has not come yet.
  case inTheFuture = "in_the_future"
  /// Before 1970.
  case longAgo = "long_ago"
  /// The same fast as in an earlier row.
  case repeated
  /// It shares time with a fast that is here, and the person wants none of these.
  case overlaps

  /// The reason as part of a sentence.
  public var words: String {
    switch self {
    case .noStart: "when it began cannot be read"
    case .noEnd: "when it ended cannot be read"
    case .skippedTime: "the clocks went forward over its time"
    case .endBeforeStart: "it ends before it begins"
    case .tooLong: "it lasts more than 14 days"
    case .inTheFuture: "it lies in the future"
    case .longAgo: "it lies before 1970"
    case .repeated: "an earlier line has the same fast"
    case .overlaps: "it shares time with a fast that is here"
    }
  }
}
