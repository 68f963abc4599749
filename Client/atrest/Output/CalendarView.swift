// SPDX-License-Identifier: Apache-2.0
// Output of the calendar and the history.

import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestPresentation
import AtrestReplication
import Foundation

/// An ended fast, for `--json`.
struct HistoryRow: Encodable, Equatable {
  var id: String
  var start: WallTime
  var end: WallTime
  var durationMinutes: Int
  var targetMinutes: Int
  var endedEarly: Bool
  /// The tree's tone, 0 to 4; absent if the fast ended early.
  var tone: Int?

  init(_ entry: CalendarEntry) {
    id = entry.session.id.uuidString.lowercased()
    start = entry.session.span.start
    end = entry.date
    durationMinutes = DurationText.wholeMinutes(milliseconds: entry.durationMilliseconds)
    targetMinutes = entry.session.targetMinutes
    endedEarly = entry.endedEarly
    if case .tone(let tone) = entry.dot { self.tone = tone }
  }
}

/// A month for `--json`: its days with fasts.
struct CalendarRow: Encodable, Equatable {
  struct Day: Encodable, Equatable {
    var day: String
    var entries: [HistoryRow]
  }

  var month: String
  var days: [Day]

  init(_ grid: MonthGrid) {
    month = grid.month.iso
    days = grid.weeks.joined().compactMap { day in
      day.flatMap {
        $0.entries.isEmpty
          ? nil : Day(day: $0.day.iso, entries: $0.entries.map(HistoryRow.init))
      }
    }
  }
}

/// The calendar as text.
enum CalendarView {
  /// The usable columns for a month. The last column stays empty, as in other drawings, unless a
  /// week would not fit.
  static func room(on screen: ScreenSize) -> Int {
    max(screen.columns - 1, min(screen.columns, CalendarDrawing.leastWidth))
  }

  /// A month grid of at most `columns`, or a list of days with fasts if it does not fit.
  static func text(_ grid: MonthGrid, _ style: Style, columns: Int, isUnicode: Bool) -> String {
    guard columns >= CalendarDrawing.leastWidth else { return days(grid) }
    let drawing = CalendarDrawing.draw(
      grid, width: min(columns, CalendarDrawing.width), height: CalendarDrawing.height)
    return DrawingView.trimmed(isUnicode ? drawing : drawing.ascii, style).joined(separator: "\n")
  }

  private static func days(_ grid: MonthGrid) -> String {
    let lines = grid.weeks.joined().compactMap { $0 }.flatMap { day in
      let number = day.number < 10 ? " \(day.number)" : "\(day.number)"
      return day.entries.map { "\(number) \(SessionWords.ending($0.session))" }
    }
    return ([grid.month.title] + (lines.isEmpty ? [Word.calendarEmpty.text] : lines))
      .joined(separator: "\n")
  }

  /// A table of entries, newest first.
  static func list(_ entries: [CalendarEntry], _ context: CommandContext) -> Table {
    var table = Table(headings: Language.text("ENDED,LASTED,", de: "ENDE,DAUER,"))
    for entry in entries {
      table.add([
        context.words(entry.date),
        DurationText.text(milliseconds: entry.durationMilliseconds),
        SessionWords.ending(entry.session),
      ])
    }
    return table
  }
}
