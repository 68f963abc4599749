// SPDX-License-Identifier: Apache-2.0
// Days begin at six, weeks on Monday at six.

import AtrestDomain
import AtrestReplication
import Testing
import TrunkDomain

@Suite("Days and weeks of the garden", .timeLimit(.minutes(20)))
struct GardenDayTests {
  static func time(_ iso: String) throws -> WallTime {
    try Typed.time(iso, now: .epoch, in: .utc)
  }

  @Test(
    "a day begins at six",
    arguments: [
      ("2026-11-25T05:59:59Z", 0), ("2026-11-25T06:00:00Z", 1), ("2026-11-26T05:59:00Z", 1),
      ("2026-11-26T06:00:00Z", 2),
    ])
  func days(iso: String, after: Int) throws {
    let base = try GardenDay(Self.time("2026-11-24T12:00:00Z"), in: .utc)
    #expect(try GardenDay(Self.time(iso), in: .utc).number == base.number + after)
  }

  @Test(
    "a week begins on Monday at six",
    arguments: [
      ("2026-11-23T05:59:59Z", "2026-11-16"), ("2026-11-23T06:00:00Z", "2026-11-23"),
      ("2026-11-29T23:00:00Z", "2026-11-23"), ("2026-11-30T05:00:00Z", "2026-11-23"),
      ("2027-01-01T12:00:00Z", "2026-12-28"),
    ])
  func weeks(iso: String, monday: String) throws {
    let week = try GardenWeek(Self.time(iso), in: .utc)
    #expect(LocalDay(number: week.monday).iso == monday)
  }

  @Test("a day begins at six of the local clock, also when that is set forward or back that night")
  func clockChanges() throws {
    // Berlin in 2026: forward on 29 March, back on 25 October, both at 01:00 UTC.
    let berlin = try #require(
      ZoneOffsets(
        first: 3600,
        transitions: [
          .init(second: Self.time("2026-03-29T01:00:00Z").milliseconds / 1000, offset: 7200),
          .init(second: Self.time("2026-10-25T01:00:00Z").milliseconds / 1000, offset: 3600),
        ]))
    for (iso, date) in [
      ("2026-03-29T03:59:59Z", "2026-03-28"), ("2026-03-29T04:00:00Z", "2026-03-29"),
      ("2026-10-25T04:59:59Z", "2026-10-24"), ("2026-10-25T05:00:00Z", "2026-10-25"),
    ] {
      let day = try GardenDay(Self.time(iso), in: berlin)
      #expect(LocalDay(number: day.number).iso == date, "\(iso)")
      #expect(try day.start(in: berlin) <= Self.time(iso))
      #expect(try day.next.start(in: berlin) > Self.time(iso))
    }
  }

  @Test("water and sun are back at the next six, and the next Monday")
  func meters() throws {
    let now = try Self.time("2026-11-25T12:00:00Z")
    let meters = Garden().meters(at: now, in: .utc)
    #expect(meters.water == 3 && meters.sun == 1)
    #expect(try meters.waterReturns == Self.time("2026-11-26T06:00:00Z"))
    #expect(try meters.sunReturns == Self.time("2026-11-30T06:00:00Z"))
  }
}
