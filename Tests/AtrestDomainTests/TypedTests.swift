// SPDX-License-Identifier: Apache-2.0
// Parsing of what people type.

import AtrestDomain
import AtrestReplication
import AtrestTestSupport
import Foundation
import Testing

@Suite("Typed times", .timeLimit(.minutes(20)))
struct TypedTimeTests {
  // Berlin is an hour ahead of UTC in November: it is Saturday, 14:30 there.
  private let now = instant("2026-11-21T13:30:00Z")

  @Test(
    "are read in the zone of the person",
    arguments: [
      ("now", "2026-11-21T13:30:00Z"),
      ("  NOW ", "2026-11-21T13:30:00Z"),
      ("2h ago", "2026-11-21T11:30:00Z"),
      ("2h30m ago", "2026-11-21T11:00:00Z"),
      ("2h 30m ago", "2026-11-21T11:00:00Z"),
      ("90m ago", "2026-11-21T12:00:00Z"),
      ("0m ago", "2026-11-21T13:30:00Z"),
      ("2 hours ago", "2026-11-21T11:30:00Z"),
      ("30 min ago", "2026-11-21T13:00:00Z"),
      ("1 hour 30 minutes ago", "2026-11-21T12:00:00Z"),
      ("1d ago", "2026-11-20T13:30:00Z"),
      ("jetzt", "2026-11-21T13:30:00Z"),
      ("vor 2 Stunden 30 Minuten", "2026-11-21T11:00:00Z"),
      ("vor 1 Tag", "2026-11-20T13:30:00Z"),
      ("Heute 7:05", "2026-11-21T06:05:00Z"),
      ("gestern 22:30", "2026-11-20T21:30:00Z"),
      ("22h30", "2026-11-20T21:30:00Z"),
      ("yesterday 9h05", "2026-11-20T08:05:00Z"),
      ("14:30", "2026-11-21T13:30:00Z"),
      ("14:31", "2026-11-21T13:31:00Z"),  // Within the tolerance for clocks.
      ("14:32", "2026-11-20T13:32:00Z"),  // Not yet today, so yesterday.
      ("22:30", "2026-11-20T21:30:00Z"),
      ("7:05", "2026-11-21T06:05:00Z"),
      ("00:00", "2026-11-20T23:00:00Z"),
      ("14:29:59", "2026-11-21T13:29:59Z"),
      ("yesterday 22:30", "2026-11-20T21:30:00Z"),
      ("Yesterday  9:00", "2026-11-20T08:00:00Z"),
      ("today 23:00", "2026-11-21T22:00:00Z"),  // In the future: not checked here.
      ("2026-11-21T10:00", "2026-11-21T09:00:00Z"),
      ("2026-11-21 10:00", "2026-11-21T09:00:00Z"),
      ("2026-11-21T10:00:30", "2026-11-21T09:00:30Z"),
      ("2026-11-21T10:00:30Z", "2026-11-21T10:00:30Z"),
      ("2026-11-21t10:00z", "2026-11-21T10:00:00Z"),
      ("2026-11-21T10:00+02:00", "2026-11-21T08:00:00Z"),
      ("2026-11-21T10:00-0330", "2026-11-21T13:30:00Z"),
      ("2024-02-29T12:00", "2024-02-29T11:00:00Z"),
      ("2026-07-01T12:00", "2026-07-01T10:00:00Z"),  // Daylight saving time then, but not now.
    ])
  func read(text: String, expected: String) throws {
    #expect(try Typed.time(text, now: now, in: Zones.berlin) == instant(expected))
  }

  @Test("keep milliseconds")
  func milliseconds() throws {
    let time = try Typed.time("2026-11-21T10:00:30.25Z", now: now, in: Zones.utc)
    #expect(time == instant("2026-11-21T10:00:30Z").advanced(bySeconds: 0.25))
  }

  @Test(
    "that cannot be read are refused, and never guessed",
    arguments: [
      "", " ", "t", "z", "-", "T10:00", "noon", "tomorrow 22:30", "24:00", "22:60", "22:3", "2230",
      "22", "-1:30", "22:30:60", "2h", "22h5", "22h30h15", "2w ago", "vor 2h ago", "vor",
      "vor gestern", "-2h ago", " ago", "ago",
      "h ago", "2h61m ago",
      "99999999999999999999h ago", "1999999h ago", "yesterday", "yesterday 25:00",
      "2026-11-21", "2026-13-01T10:00", "2026-02-29T10:00", "2026-04-31T10:00", "1969-12-31T10:00",
      "2026-11-21T10", "2026-11-21T10:00+2", "2026-11-21T10:00+25:00", "2026-11-21T10:00:00.1234Z",
      "2026-11-21T10:00.5", "2026-11-21T10:00:00.Z", "26-11-21T10:00", "２２:３０", "22:30 Uhr",
      "2026-11-21T10:00Zz", "2026-11-21T10:00z0200", "2026-11-21T10:00+0:20:0",
      "2026-11-21T10:00+02:0:0", String(repeating: "9", count: 10_000), "1e3h ago", "0x10h ago",
      "\u{0}",
    ])
  func refused(text: String) {
    #expect(throws: InputProblem.notATime) { try Typed.time(text, now: now, in: Zones.berlin) }
  }

  @Test("that the clocks skip are refused")
  func skipped() throws {
    let zone = Zones.berlin
    // Clocks go from 02:00 to 03:00 on 29 March 2026.
    #expect(throws: InputProblem.skippedTime) {
      try Typed.time("2026-03-29T02:30", now: now, in: zone)
    }
    #expect(
      try Typed.time("2026-03-29T01:59", now: now, in: zone) == instant("2026-03-29T00:59:00Z"))
    #expect(
      try Typed.time("2026-03-29T03:00", now: now, in: zone) == instant("2026-03-29T01:00:00Z"))
    #expect(throws: InputProblem.skippedTime) {
      try Typed.time("02:30", now: instant("2026-03-29T08:00:00Z"), in: zone)
    }
    // Before the gap, as for any time that has not come, it is yesterday's.
    #expect(
      try Typed.time("02:30", now: instant("2026-03-29T00:30:00Z"), in: zone)
        == instant("2026-03-28T01:30:00Z"))
    #expect(throws: InputProblem.skippedTime) {
      try Typed.time("2011-12-30T12:00", now: now, in: Zones.apia)
    }
  }

  @Test("an end typed to the minute has the seconds of the start, so that what is shown adds up")
  func endOfFast() {
    let start = instant("2026-11-20T18:00:42Z")
    let end = Typed.end(instant("2026-11-21T10:00:00Z"), ofFastFrom: start)
    #expect(end == instant("2026-11-21T10:00:42Z"))
    let exact = instant("2026-11-21T10:00:01Z")
    #expect(Typed.end(exact, ofFastFrom: start) == exact)
    #expect(Typed.end(instant("2026-11-20T18:00:00Z"), ofFastFrom: start) == start)
  }

  @Test("that the clocks show twice mean the first; a zone says which")
  func repeated() throws {
    let zone = Zones.berlin
    // Clocks go from 03:00 back to 02:00 on 25 October 2026.
    let first = instant("2026-10-25T00:30:00Z")
    #expect(try Typed.time("2026-10-25T02:30", now: now, in: zone) == first)
    #expect(
      try Typed.time("2026-10-25T02:30+01:00", now: now, in: zone)
        == first.advanced(bySeconds: 3600)
    )
    // Half an hour in Lord Howe: 5 April 2026, from 02:00 (+11) back to 01:30 (+10:30).
    #expect(
      try Typed.time("2026-04-05T01:45", now: now, in: Zones.lordHowe)
        == instant("2026-04-04T14:45:00Z"))
  }

  @Test(
    "mean what the clocks of their place show, whatever the instant",
    arguments: [1, 2, 3, 0x5f3a91])
  func clocks(seed: UInt64) throws {
    var generator = SeededRandom(seed: seed)
    let zones = [
      Zones.utc, Zones.berlin, Zones.losAngeles, Zones.kolkata, Zones.lordHowe, Zones.apia,
      Zones.cairo,
    ]
    for _ in 0..<500 {
      let minute = Int.random(in: 1...40_000_000, using: &generator)  // Up to the year 2046.
      let shown = WallTime(seconds: Double(minute) * 60)
      let zone = zones[Int.random(in: zones.indices, using: &generator)]
      let text = "\(LocalDay(shown, in: zone).iso)T\(TimeText.clock(shown, in: zone))"
      let read = try Typed.time(text, now: now, in: zone)
      let again = "\(LocalDay(read, in: zone).iso)T\(TimeText.clock(read, in: zone))"
      try #require(again == text, "\(text)")
      // Earlier only where clocks show a time twice.
      try #require(
        read <= shown && shown.milliseconds(since: read) <= 3_600_000, "\(text)")
      try #require(try Typed.time(TimeText.iso(shown), now: now, in: zone) == shown, "\(text)")
    }
  }

  @Test("count hours ago in elapsed time, also over a change of the clocks")
  func agoOverChange() throws {
    let afterChange = instant("2026-03-29T06:00:00Z")
    #expect(
      try Typed.time("8h ago", now: afterChange, in: Zones.berlin)
        == instant("2026-03-28T22:00:00Z"))
    #expect(
      try Typed.time("yesterday 22:00", now: afterChange, in: Zones.berlin)
        == instant("2026-03-28T21:00:00Z"))
  }
}

@Suite("Typed lengths and amounts", .timeLimit(.minutes(20)))
struct TypedQuantityTests {
  @Test(
    "lengths",
    arguments: [
      ("16h", 960), ("16h30m", 990), ("16h 30m", 990), ("90m", 90), ("1H", 60), ("0h", 0),
      ("16h30", 990), ("16 hours", 960), ("16 h 30 min", 990), ("1 day", 1440), ("1d 2h", 1560),
      ("1d90m", 1530),
    ])
  func lengths(text: String, minutes: Int) throws {
    #expect(try Typed.minutes(text) == minutes)
  }

  @Test(
    "lengths that cannot be read",
    arguments: [
      "", "16", "h", "m", "16h5", "16h60", "16h60m", "30m16h", "1h1h", "-1h", "1.5h", "1d24h",
      "1d30", "16 hrss", "16 30h", "10000d", "100000h", "9999999m", "16h30s", "١٦h",
    ])
  func badLengths(text: String) {
    #expect(throws: InputProblem.notADuration) { try Typed.minutes(text) }
  }

  @Test("a target may be a number of hours alone")
  func targets() throws {
    for (text, minutes) in [("16", 960), ("16h", 960), ("17h30m", 1050), ("168", 10_080)] {
      #expect(try Typed.targetMinutes(text) == minutes, "\(text)")
    }
    for text in ["0", "0m", "169", "169h"] {
      #expect(throws: InputProblem.targetOutOfRange, "\(text)") { try Typed.targetMinutes(text) }
    }
    for text in ["", "-3", "16.5", "soon"] {
      #expect(throws: InputProblem.notADuration, "\(text)") { try Typed.targetMinutes(text) }
    }
  }

  @Test(
    "amounts",
    arguments: [
      ("250", 250), ("250ml", 250), ("250 ML", 250), ("0.5l", 500), ("1l", 1000), ("0.25 l", 250),
      ("8oz", 237), ("8 fl oz", 237), ("8.5oz", 251), ("1oz", 30), ("16oz", 473), ("0", 0),
      ("20l", 20_000), ("250.4", 250), ("250.5ml", 251), ("999999l", 999_999_000),
      ("0,5l", 500), ("1,5 l", 1500), ("0,125l", 125), ("0.125l", 125), ("8,5oz", 251),
    ])
  func amounts(text: String, millilitres: Int) throws {
    #expect(try Typed.millilitres(text) == millilitres)
  }

  @Test("what is shown can be typed: the amount is the same, to what is shown of it")
  func shownAmounts() throws {
    for millilitres in [1, 2, 30, 237, 250, 999, 1000, 1250, 4999, 5000, 50_000] {
      let metric = AmountText.text(millilitres: millilitres, unit: .millilitres)
      #expect(try Typed.millilitres(metric) == millilitres, "\(metric)")
      let ounces = AmountText.text(millilitres: millilitres, unit: .fluidOunces)
      // A tenth of an ounce is 2.96 ml.
      #expect(abs(try Typed.millilitres(ounces) - millilitres) <= 2, "\(ounces)")
    }
  }

  @Test(
    "amounts that cannot be read",
    arguments: [
      "", "ml", "a lot", "-250", "250 cups", "1.2.3l", "1.l", ".5l", "1.2345l", "9999999ml",
      "99999999999999999999999", "1e3", "２５０", "nan", "inf", "250ml250ml", "1,000.5", "1,,5l",
      ",5l",
    ])
  func badAmounts(text: String) {
    #expect(throws: InputProblem.notAnAmount) { try Typed.millilitres(text) }
  }

  @Test(
    "amounts that are a thousand to some people and one to others are not guessed",
    arguments: ["1.000", "1,000", "2.500 ml", "1.500l", "12,345oz"])
  func ambiguousAmounts(text: String) {
    #expect(throws: InputProblem.ambiguousAmount) { try Typed.millilitres(text) }
  }
}

@Suite("What a person may mean", .timeLimit(.minutes(20)))
struct TypedRulesTests {
  private let now = instant("2026-11-21T13:30:00Z")
  private func ago(hours: Double) -> WallTime { now.advanced(bySeconds: -hours * 3600) }

  @Test("times lie in the past, and after 1970")
  func times() throws {
    try TypedRules.check(time: now, now: now)
    try TypedRules.check(time: now.advanced(bySeconds: 60), now: now)
    #expect(throws: InputProblem.inTheFuture) {
      try TypedRules.check(time: now.advanced(bySeconds: 61), now: now)
    }
    #expect(throws: InputProblem.longAgo) {
      try TypedRules.check(time: WallTime(seconds: 0), now: now)
    }
  }

  @Test("a fast ends after its start, in the past, within 14 days")
  func spans() throws {
    try TypedRules.check(start: ago(hours: 16), end: now, now: now)
    try TypedRules.check(start: ago(hours: 16), end: ago(hours: 16), now: now)
    try TypedRules.check(start: ago(hours: 336), end: nil, now: now)
    #expect(throws: InputProblem.endBeforeStart) {
      try TypedRules.check(start: ago(hours: 1), end: ago(hours: 2), now: now)
    }
    #expect(throws: InputProblem.inTheFuture) {
      try TypedRules.check(start: ago(hours: 1), end: ago(hours: -1), now: now)
    }
    #expect(throws: InputProblem.inTheFuture) {
      try TypedRules.check(start: ago(hours: -1), end: nil, now: now)
    }
    #expect(throws: InputProblem.fastTooLong) {
      try TypedRules.check(start: ago(hours: 337), end: nil, now: now)
    }
    #expect(throws: InputProblem.fastTooLong) {
      try TypedRules.check(start: ago(hours: 400), end: ago(hours: 60), now: now)
    }
  }

  @Test("amounts and targets", arguments: [(0, 0), (5001, 200 * 60), (20_000, 0), (-1, -1)])
  func outOfRange(millilitres: Int, targetMinutes: Int) throws {
    #expect(throws: InputProblem.amountOutOfRange) {
      try TypedRules.check(millilitres: millilitres)
    }
    #expect(throws: InputProblem.ouncesOutOfRange) {
      try TypedRules.check(millilitres: millilitres, unit: .fluidOunces)
    }
    #expect(throws: InputProblem.targetOutOfRange) {
      try TypedRules.check(targetMinutes: targetMinutes)
    }
    try TypedRules.check(millilitres: 5000)
    try TypedRules.check(targetMinutes: 16 * 60)
    #expect(Session.targetRange.contains(TypedRules.targetMinutes.upperBound))
    #expect(Session.targetRange.upperBound == 14 * 24 * 60)
    #expect(WaterEntry.millilitreRange.contains(TypedRules.millilitres.upperBound))
  }
}
