// SPDX-License-Identifier: Apache-2.0
// How the calendar and the history are shown.

import AtrestDomain
import Foundation

/// A fast that is over, for `--json`.
struct HistoryRow: Encodable, Equatable {
  var id: String
  var start: Date
  var end: Date
  var durationMinutes: Int
  var targetMinutes: Int
  var endedEarly: Bool
  /// Of its tree, 0 to 4; absent where it ended early.
  var tone: Int?

  init(_ entry: CalendarEntry) {
    id = entry.session.id.uuidString.lowercased()
    start = entry.session.span.start
    end = entry.date
    durationMinutes = DurationText.wholeMinutes(Double(entry.durationMilliseconds) / 1000)
    targetMinutes = entry.session.targetMinutes
    endedEarly = entry.endedEarly
    if case .tone(let tone) = entry.dot { self.tone = tone }
  }
}

/// A month, for `--json`: its days with a fast.
struct CalendarRow: Encodable, Equatable {
  /// A day.
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

/// The calendar for people.
enum CalendarView {
  /// Columns of a day: three fit a terminal of 21.
  private static let cell = 4

  /// A month grid. Each day is its number and a dot; today is underlined, or pointed at where there is no emphasis.
  static func text(_ grid: MonthGrid, _ around: Surroundings, _ style: Style) -> String {
    let names = grid.weekdays.map { Self.name($0).leading(cell - 1) + " " }.joined()
    let title = "\(months[grid.month.month - 1]) \(grid.month.year)"
    let margin = String(repeating: " ", count: max(0, (7 * cell - title.count) / 2))
    var lines = [margin + style.strong(title), style.quiet(names.trimmedEnd)]
    for week in grid.weeks {
      lines.append(week.map { $0.map { day($0, style) } ?? "    " }.joined().trimmedEnd)
    }
    let entries = grid.weeks.joined().compactMap { $0?.entries }.joined()
    if entries.isEmpty { lines.append(style.quiet(Word.calendarEmpty.text)) }
    return lines.joined(separator: "\n")
  }

  private static func day(_ day: MonthGrid.Day, _ style: Style) -> String {
    let number = String(day.number)
    let room = String(repeating: " ", count: cell - 1 - number.count)
    var shown = room + number
    if day.isToday {
      shown =
        style.isOn ? room + "\u{1B}[4m\(number)\u{1B}[24m" : room.dropLast() + ">" + number
    }
    guard let dot = day.dot else { return shown + " " }
    switch dot {
    case .tone: return shown + style.ink(Palette.dot(dot), "●")
    case .grey: return shown + style.ink(Palette.dot(dot), "○")
    }
  }

  /// Entries, newest first.
  static func list(_ entries: [CalendarEntry], _ around: Surroundings) -> Table {
    var table = Table("ENDED", "LASTED", "")
    for entry in entries {
      let detail = MonthGrid.detail(of: entry, in: around.zone)
      table.add(around.words(entry.date), detail[1], detail[2])
    }
    return table
  }

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]

  private static func name(_ weekday: Weekday) -> String {
    switch weekday {
    case .sunday: "Su"
    case .monday: "Mo"
    case .tuesday: "Tu"
    case .wednesday: "We"
    case .thursday: "Th"
    case .friday: "Fr"
    case .saturday: "Sa"
    }
  }
}

extension String {
  /// With blanks in front, so many characters wide.
  func leading(_ width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }

  /// Without blanks at its end.
  var trimmedEnd: String {
    var text = self[...]
    while text.last == " " { text = text.dropLast() }
    return String(text)
  }
}
