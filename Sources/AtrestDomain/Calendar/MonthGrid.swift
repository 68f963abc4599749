// SPDX-License-Identifier: Apache-2.0
// Lays a month out in weeks, with the dots of its fasts.

import AtrestReplication

/// A month as the calendar shows it: rows of seven days with the fasts that ended on each.
public struct MonthGrid: Hashable, Sendable {
  /// A day of the month.
  public struct Day: Hashable, Sendable {
    /// The calendar day.
    public let day: LocalDay
    /// Its number in the month: 1 to 31.
    public let number: Int
    /// The fasts that ended on it, newest first.
    public let entries: [CalendarEntry]
    /// Whether it is the day of `now`.
    public let isToday: Bool

    /// The day's dot; nil if no fast ended. If several did, one that reached its target wins.
    public var dot: CalendarDot? {
      (entries.first { !$0.endedEarly } ?? entries.first)?.dot
    }
  }

  /// The month that the grid shows.
  public let month: LocalMonth
  /// The weekdays above the columns.
  public let weekdays: [Weekday]
  /// Four to six rows of seven; nil before the first and after the last day.
  public let weeks: [[Day?]]

  /// Lays a month out.
  ///
  /// Days are local days of 23, 24 or 25 hours. An entry belongs to the local day of its end.
  /// - Parameters:
  ///   - entries: The entries from `CalendarPolicy`. The grid drops only those of other months.
  ///   - firstWeekday: The one that the person's locale has.
  /// - Complexity: O(n) in entries.
  public init(
    month: LocalMonth, entries: some Sequence<CalendarEntry>, now: WallTime, in zone: ZoneOffsets,
    firstWeekday: Weekday
  ) {
    self.month = month
    weekdays = firstWeekday.week
    let first = month.firstDay
    let days = first.number..<(first.number + month.dayCount)
    var ended: [Int: [CalendarEntry]] = [:]
    for entry in entries {
      let number = LocalDay(entry.date, in: zone).number
      if days.contains(number) { ended[number, default: []].append(entry) }
    }
    let today = LocalDay(now, in: zone)
    let blanks = (Weekday(first).rawValue - firstWeekday.rawValue + 7) % 7
    var cells: [Day?] = Array(repeating: nil, count: blanks)
    for number in days {
      let found = (ended[number] ?? []).sorted { HistoryOrder.isOlder($1.session, $0.session) }
      cells.append(
        Day(
          day: LocalDay(number: number), number: number - first.number + 1, entries: found,
          isToday: number == today.number))
    }
    while cells.count % 7 != 0 { cells.append(nil) }
    weeks = stride(from: 0, to: cells.count, by: 7).map { Array(cells[$0..<($0 + 7)]) }
  }

  /// The details shown when a dot is tapped: date, length and outcome.
  public static func detail(of entry: CalendarEntry, in zone: ZoneOffsets) -> [String] {
    [
      TimeText.day(LocalDay(entry.date, in: zone)),
      ElapsedText.text(milliseconds: entry.durationMilliseconds),
      (entry.endedEarly ? Word.calendarEndedEarly : .calendarCompleted).text,
    ]
  }
}
