// SPDX-License-Identifier: Apache-2.0
// Months as weeks of seven days, for every first weekday and clock change.

import AtrestDomain
import AtrestFoundation
import AtrestReplication
import AtrestTestSupport
import Foundation
import Testing

@Suite("The month grid", .timeLimit(.minutes(20)))
struct MonthGridTests {
  private func month(_ year: Int, _ month: Int) throws -> LocalMonth {
    try #require(LocalMonth(year: year, month: month))
  }

  private func grid(
    _ month: LocalMonth, _ sessions: [Session] = [], zone: ZoneOffsets = Zones.utc,
    first: Weekday = .monday
  ) -> MonthGrid {
    MonthGrid(
      month: month, entries: CalendarPolicy.entries(of: sessions, for: .premium),
      now: Moments.now, in: zone, firstWeekday: first)
  }

  private func day(_ number: Int, in grid: MonthGrid) -> MonthGrid.Day? {
    grid.weeks.joined().compactMap { $0 }.first { $0.number == number }
  }

  @Test("has rows of seven; November 2026 begins on a Sunday")
  func shape() throws {
    let monday = grid(try month(2026, 11))
    #expect(monday.weekdays.first == .monday && monday.weekdays.last == .sunday)
    #expect(monday.weeks.count == 6 && monday.weeks.allSatisfy { $0.count == 7 })
    #expect(monday.weeks[0].map { $0?.number } == [nil, nil, nil, nil, nil, nil, 1])
    #expect(monday.weeks[5].map { $0?.number } == [30, nil, nil, nil, nil, nil, nil])
    let sunday = grid(try month(2026, 11), first: .sunday)
    #expect(sunday.weeks[0].map { $0?.number } == [1, 2, 3, 4, 5, 6, 7])
    #expect(sunday.weeks.count == 5)
    #expect(grid(try month(2027, 2), first: .monday).weeks.count == 4)
  }

  @Test("agrees with Foundation's calendar for every month of forty years")
  func everyMonth() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    var month = try month(2000, 1)
    while month.year < 2040 {
      for first in [Weekday.sunday, .monday, .saturday] {
        let grid = grid(month, first: first)
        let days = grid.weeks.joined().compactMap { $0 }
        let start = WallTime(seconds: Double(month.firstDay.number) * 86_400)
        try #require(days.map(\.number) == Array(1...month.dayCount))
        try #require(calendar.range(of: .day, in: .month, for: start.date)?.count == month.dayCount)
        for row in grid.weeks {
          for (column, day) in row.enumerated() {
            guard let day else { continue }
            let date = WallTime(seconds: Double(day.day.number) * 86_400)
            try #require(
              calendar.component(.weekday, from: date.date) == grid.weekdays[column].rawValue,
              "\(day.day.iso)")
          }
        }
        try #require(grid.weeks.allSatisfy { row in row.contains { $0 != nil } })
      }
      month = month.next
    }
  }

  @Test(
    "weeks begin where a locale begins them",
    arguments: [
      ("en_US", Weekday.sunday), ("de_DE", .monday), ("en_GB", .monday), ("fa_IR", .saturday),
      ("ar_EG", .saturday), ("ja_JP", .sunday), ("pt_BR", .sunday), ("fr_FR", .monday),
    ])
  func locales(name: String, expected: Weekday) {
    #expect(Weekday.first(in: Locale(identifier: name)) == expected)
  }

  @Test(
    "a strange locale is no reason to fail",
    arguments: ["", "xx", "C", "POSIX", "zz_ZZ", "en_US@calendar=buddhist", "\u{0}", "🌳"])
  func strangeLocales(name: String) throws {
    let first = Weekday.first(in: Locale(identifier: name))
    #expect(Set(first.week).count == 7)
    #expect(grid(try month(2026, 11), first: first).weeks.allSatisfy { $0.count == 7 })
  }

  @Test("dots stand where a fast ended, in the colour of its tree, or grey")
  func dots() throws {
    let whole = fast(1, start: "2026-11-09T20:00:00Z", end: "2026-11-10T12:00:00Z")
    let early = fast(2, start: "2026-11-11T20:00:00Z", end: "2026-11-12T08:00:00Z")
    let short = fast(3, start: "2026-11-13T08:00:00Z", end: "2026-11-13T11:00:00Z")
    let grid = grid(try month(2026, 11), [whole, early, short])
    #expect(day(10, in: grid)?.dot == .tone(TreeCharacter(id: id(1)).tone))
    #expect(day(12, in: grid)?.dot == .grey)
    #expect(day(13, in: grid)?.dot == nil && day(9, in: grid)?.dot == nil)
    #expect(day(21, in: grid)?.isToday == true && day(20, in: grid)?.isToday == false)
    let entry = try #require(day(12, in: grid)?.entries.first)
    #expect(MonthGrid.detail(of: entry, in: Zones.utc) == ["12 Nov 2026", "12h 0m", "Ended early"])
  }

  @Test("a day of two fasts has both, newest first, and the dot of the one that reached its target")
  func twoOnADay() throws {
    let whole = fast(
      1, start: "2026-11-10T00:00:00Z", end: "2026-11-10T06:00:00Z", targetMinutes: 300)
    let early = fast(2, start: "2026-11-10T10:00:00Z", end: "2026-11-10T22:00:00Z")
    let found = try #require(day(10, in: grid(try month(2026, 11), [whole, early])))
    #expect(found.entries.map(\.id) == [id(2), id(1)])
    #expect(found.dot == .tone(TreeCharacter(id: id(1)).tone))
  }

  @Test("a fast stands under the day of the person, and at the edge of a month in one of the two")
  func zones() throws {
    let late = fast(1, start: "2026-10-31T07:00:00Z", end: "2026-10-31T23:30:00Z")
    #expect(day(31, in: grid(try month(2026, 10), [late]))?.dot != nil)
    #expect(day(1, in: grid(try month(2026, 11), [late], zone: Zones.berlin))?.dot != nil)
    #expect(day(31, in: grid(try month(2026, 10), [late], zone: Zones.berlin))?.dot == nil)
  }

  @Test("days of 23 and 25 hours, and days that never were, are days")
  func clockChanges() throws {
    // Berlin, 25 October 2026: 25 hours. Apia had no 30 December 2011.
    let fall = fast(1, start: "2026-10-24T22:30:00Z", end: "2026-10-25T22:59:00Z")
    #expect(day(25, in: grid(try month(2026, 10), [fall], zone: Zones.berlin))?.dot != nil)
    let apia = grid(try month(2011, 12), zone: Zones.apia)
    #expect(apia.weeks.joined().compactMap { $0 }.count == 31)
    let spring = fast(2, start: "2026-03-28T12:00:00Z", end: "2026-03-29T21:59:59Z")
    #expect(day(29, in: grid(try month(2026, 3), [spring], zone: Zones.berlin))?.dot != nil)
  }

  @Test("every entry of any fasts stands exactly once, in one month, in any zone")
  func everyEntryOnce() throws {
    let zones = [Zones.utc, Zones.berlin, Zones.kolkata, Zones.lordHowe, Zones.apia, Zones.cairo]
    checkLaw(cases: 60) { random in
      let zone = zones[Int.random(in: zones.indices, using: &random)]
      let sessions = (0..<30).map { number in
        ended(number, hours: 16, ago: Double.random(in: 0...4000, using: &random))
      }
      var month = LocalMonth(Moments.now, in: zone)
      var found: [RecordUUID] = []
      for _ in 0..<8 {
        found += grid(month, sessions, zone: zone).weeks.joined()
          .flatMap { $0?.entries.map(\.id) ?? [] }
        month = month.previous
      }
      return found.count == 30 && Set(found).count == 30
    }
  }

  @Test("months follow each other, and stop where years do")
  func months() throws {
    #expect(try month(2026, 12).next == month(2027, 1))
    #expect(try month(2026, 1).previous == month(2025, 12))
    #expect(try month(1970, 1).previous == month(1970, 1))
    #expect(try month(6429, 12).next == month(6429, 12))
    #expect(LocalMonth(year: 2026, month: 13) == nil && LocalMonth(year: .max, month: 1) == nil)
    #expect(LocalMonth(LocalDay(number: .max)).year == 6429)
    #expect(LocalMonth(LocalDay(number: -9)).iso == "1970-01")
    #expect(try month(2026, 11).iso == "2026-11")
    #expect(try month(2026, 11).title == "November 2026")
    #expect(Weekday.monday.week.map(\.shortName).joined() == "MonTueWedThuFriSatSun")
  }

  @Test(
    "months are read as people type them",
    arguments: [
      ("2026-11", "2026-11"), ("nov", "2026-11"), ("November", "2026-11"), ("dec", "2025-12"),
      ("NOV 2024", "2024-11"), ("this", "2026-11"), ("last", "2026-10"), (" sept ", "2026-09"),
      ("Dezember", "2025-12"), ("mär", "2026-03"), ("okt 2025", "2025-10"), ("letzten", "2026-10"),
    ])
  func typed(text: String, expected: String) throws {
    #expect(try Typed.month(text, now: Moments.now, in: Zones.berlin).iso == expected)
  }

  @Test(
    "and refused where they are none",
    arguments: [
      "", "no", "ma", "2026-13", "2026-00", "1969-12", "9999-01", "26-11", "2026-1", "nov 26",
      "nov 99999", "novembers", "11", "2026-11-21", "nov nov nov", "２０２６-１１",
      String(repeating: "n", count: 5000), "\u{0}",
    ])
  func refused(text: String) {
    #expect(throws: ChoiceProblem.notAMonth) {
      try Typed.month(text, now: Moments.now, in: Zones.berlin)
    }
  }
}
