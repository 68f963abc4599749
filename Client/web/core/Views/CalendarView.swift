// SPDX-License-Identifier: Apache-2.0
// What the calendar and the history show of ended fasts, as the entitlement allows.

import AtrestDomain
import AtrestPresentation
import AtrestReplication
import AtrestSync

extension WebCore {
  func calendar(_ argument: Arguments, _ work: inout Work) throws(CoreFailure) -> JSON {
    let records = work
    let (now, zone) = (work.now, environment.zone)
    var month = LocalMonth(now, in: zone)
    if let text = try argument.text("month") {
      let parts = text.split(separator: "-").map { Int($0) }
      guard parts.count == 2, let year = parts[0], let number = parts[1],
        let chosen = LocalMonth(year: year, month: number)
      else { throw .misuse("the month is not like 2026-11") }
      month = chosen
    }
    let entries = try entries(of: records)
    let grid = MonthGrid(
      month: month, entries: entries, now: now, in: zone,
      firstWeekday: environment.firstWeekday)
    return .members(
      ("month", .text(month.iso)), ("title", .text(month.title)),
      ("heading", .text(Word.calendarTitle.text)),
      (
        "previous",
        .members(
          ("month", .text(month.previous.iso)),
          ("words", .text(Word.calendarPreviousA11y.text(month.previous.title))))
      ),
      (
        "next",
        .members(
          ("month", .text(month.next.iso)),
          ("words", .text(Word.calendarNextA11y.text(month.next.title))))
      ), ("weekdays", .array(grid.weekdays.map { .text($0.shortName) })),
      (
        "svg",
        .text(
          CalendarPicture.svg(
            grid, in: zone, width: try argument.side("width", or: 390),
            height: try argument.side("height", or: 844)))
      ), ("empty", entries.isEmpty ? .text(Word.calendarEmpty.text) : nil),
      ("weeks", .array(grid.weeks.map { week in .array(week.map { cell($0, now) }) })))
  }

  func history(_ argument: Arguments, _ work: inout Work) throws(CoreFailure) -> JSON {
    let records = work
    let limit = Int(try argument.number("limit", 1...1000) ?? 50)
    var entries = try entries(of: records)[...]
    if let before = try argument.time("before") { entries = entries.drop { $0.date >= before } }
    // Fasts with one end stay on one page, or the next page would leave some out.
    var page = entries.prefix(limit)
    if let last = page.last {
      page += entries.dropFirst(limit).prefix { $0.date == last.date }
    }
    let isMore = page.count < entries.count
    return .members(
      ("fasts", .array(page.map { entry in listed(entry, records.now) })),
      ("next", isMore ? page.last.map { .time($0.date) } : nil),
      ("empty", .text(Word.calendarEmpty.text)))
  }

  private func entries(of work: Work) throws(CoreFailure) -> [CalendarEntry] {
    CalendarPolicy.entries(of: try history(in: work), for: try entitlement(in: work))
  }

  private func listed(_ entry: CalendarEntry, _ now: WallTime) -> JSON {
    fast(entry.session, at: now, with: MonthGrid.detail(of: entry, in: environment.zone))
  }

  /// A day of the month; an empty object for a blank.
  private func cell(_ day: MonthGrid.Day?, _ now: WallTime) -> JSON {
    guard let day else { return .object([]) }
    return .members(
      ("day", .text(day.day.iso)), ("number", .count(day.number)), ("isToday", .bool(day.isToday)),
      ("fasts", .array(day.entries.map { listed($0, now) })))
  }
}
