// SPDX-License-Identifier: Apache-2.0
// Formatting of times, days and amounts, and daily totals of water.

import AtrestDomain
import AtrestFoundation
import AtrestReplication
import AtrestTestSupport
import Foundation
import Testing

@Suite("Local days", .timeLimit(.minutes(20)))
struct LocalDayTests {
  @Test("agree with Foundation's calendar on every day of many years, and count on by one")
  func calendar() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    var number = 0
    while number < 60_000 {
      let day = LocalDay(number: number)
      let parts = calendar.dateComponents(
        [.year, .month, .day], from: Date(timeIntervalSince1970: Double(number) * 86_400))
      try #require(day.parts.year == parts.year && day.parts.month == parts.month)
      try #require(day.parts.day == parts.day)
      try #require(
        LocalDay(year: day.parts.year, month: day.parts.month, day: day.parts.day) == day)
      number += 13  // Coprime with 7, 12, 28 to 31 and 365, so every kind of day occurs.
    }
  }

  @Test("depend on the zone")
  func zones() {
    let late = instant("2026-11-20T23:30:00Z")
    #expect(LocalDay(late, in: Zones.utc).iso == "2026-11-20")
    #expect(LocalDay(late, in: Zones.berlin).iso == "2026-11-21")
    #expect(LocalDay(late, in: Zones.losAngeles).iso == "2026-11-20")
    #expect(LocalDay(late, in: Zones.kolkata).iso == "2026-11-21")
    #expect(LocalDay(WallTime(seconds: -1), in: Zones.utc).iso == "1969-12-31")
  }

  @Test("that do not exist are nil")
  func impossible() {
    #expect(LocalDay(year: 2026, month: 2, day: 29) == nil)
    #expect(LocalDay(year: 2100, month: 2, day: 29) == nil)
    #expect(LocalDay(year: 2000, month: 2, day: 29) != nil)
    #expect(LocalDay(year: .max, month: 1, day: 1) == nil)
  }
}

@Suite("Written times", .timeLimit(.minutes(20)))
struct TimeTextTests {
  private let now = instant("2026-11-21T13:30:00Z")

  @Test(
    "are near where they are near",
    arguments: [
      ("2026-11-21T06:05:00Z", "today 07:05"), ("2026-11-20T23:00:00Z", "today 00:00"),
      ("2026-11-20T22:59:59Z", "yesterday 23:59"), ("2026-11-22T08:00:00Z", "tomorrow 09:00"),
      ("2026-11-19T21:30:00Z", "19 Nov 2026, 22:30"), ("2026-07-01T10:00:00Z", "1 Jul 2026, 12:00"),
    ])
  func near(at: String, expected: String) {
    #expect(TimeText.near(instant(at), now: now, in: Zones.berlin) == expected)
  }

  @Test("follow zones that are not whole hours away")
  func oddZones() {
    #expect(TimeText.near(now, now: now, in: Zones.kolkata) == "today 19:00")
    #expect(TimeText.clock(instant("2026-04-04T15:00:00Z"), in: Zones.lordHowe) == "01:30")
  }

  @Test("of the last year that can be stored are written like any other")
  func farFuture() {
    let last = WallTime(seconds: 140_737_488_355)
    #expect(TimeText.iso(last) == "6429-10-17T02:45:55Z")
    #expect(TimeText.near(last, now: now, in: Zones.kolkata) == "17 Oct 6429, 08:15")
  }

  @Test("are exact for programs")
  func iso() {
    #expect(TimeText.iso(now) == "2026-11-21T13:30:00Z")
    #expect(TimeText.iso(now.advanced(bySeconds: 0.007)) == "2026-11-21T13:30:00.007Z")
    #expect(TimeText.iso(now.advanced(bySeconds: 0.9996)) == "2026-11-21T13:30:01Z")
    #expect(TimeText.iso(WallTime(seconds: 0)) == "1970-01-01T00:00:00Z")
    #expect(TimeText.iso(WallTime(milliseconds: .max)) == "33658-09-27T01:46:40Z")
  }

  @Test(
    "lengths",
    arguments: [
      (0, "0m"), (59, "0m"), (60, "1m"), (45 * 60, "45m"), (16 * 3600, "16h"),
      (12.5 * 3600, "12h 30m"), (100 * 3600, "100h"), (-5, "0m"),
    ] as [(Double, String)])
  func lengths(seconds: Double, expected: String) {
    #expect(DurationText.text(milliseconds: Int64(seconds * 1000)) == expected)
  }

  @Test("a length between two dates of Foundation's is not a minute short")
  func rounding() {
    for offset in stride(from: 0.001, to: 0.999, by: 0.001) {
      let start = WallTime(now.date.addingTimeInterval(offset))
      let end = WallTime(
        Date(timeIntervalSince1970: (now.date.timeIntervalSince1970 + 57_600) + offset))
      #expect(DurationText.text(milliseconds: end.milliseconds(since: start)) == "16h")
    }
  }

  @Test("lengths that no clock can have measured trap nothing")
  func hostileLengths() {
    let (first, last) = (WallTime(milliseconds: .min), WallTime(milliseconds: .max))
    #expect(last.milliseconds(since: first) == .max && first.milliseconds(since: last) == .min)
    #expect(DurationText.text(milliseconds: .max) == "2562047788015h 12m")
    #expect(ElapsedText.text(milliseconds: .min) == "0h 0m")
  }

  @Test(
    "amounts",
    arguments: [(0, "0 ml"), (250, "250 ml"), (1250, "1250 ml"), (1_234_567, "1234567 ml")])
  func amounts(millilitres: Int, expected: String) {
    #expect(AmountText.text(millilitres: millilitres) == expected)
  }
}

@Suite("Water by day", .timeLimit(.minutes(20)))
struct WaterDayTests {
  @Test("a day is the person's, not Greenwich's")
  func zones() {
    let entries = [
      water(1, "2026-11-20T23:30:00Z", 250), water(2, "2026-11-20T22:30:00Z", 300),
      water(3, "2026-11-21T10:00:00Z", 200),
    ]
    let now = instant("2026-11-21T13:30:00Z")
    #expect(WaterDay.total(of: entries, onDayOf: now, in: Zones.utc) == 200)
    #expect(WaterDay.total(of: entries, onDayOf: now, in: Zones.berlin) == 450)
    let days = WaterDay.days(of: entries, in: Zones.berlin)
    #expect(days.map(\.day.iso) == ["2026-11-21", "2026-11-20"])
    #expect(days.map(\.millilitres) == [450, 300])
    #expect(days[0].entries.map(\.id) == [id(1), id(3)])
  }

  @Test("a day of 23 or 25 hours is one day, also where clocks change at midnight")
  func clockChanges() {
    // Berlin, 25 October 2026: 25 hours, from 22:00 UTC to 23:00 UTC.
    let entries = [
      water(1, "2026-10-24T22:00:00Z", 1), water(2, "2026-10-25T22:59:59Z", 2),
      water(3, "2026-10-25T23:00:00Z", 4), water(4, "2026-10-24T21:59:59Z", 8),
    ]
    let noon = instant("2026-10-25T11:00:00Z")
    #expect(WaterDay.total(of: entries, onDayOf: noon, in: Zones.berlin) == 3)
    // Cairo, 24 April 2026: there is no midnight. The day begins at 01:00, 22:00 UTC.
    let cairo = [water(1, "2026-04-23T22:00:00Z", 1), water(2, "2026-04-23T21:59:59Z", 2)]
    #expect(
      WaterDay.total(of: cairo, onDayOf: instant("2026-04-24T10:00:00Z"), in: Zones.cairo) == 1)
  }
}
