// SPDX-License-Identifier: Apache-2.0
// Other apps' histories in rows: what is read, asked, refused and left out.

import AtrestDomain
import AtrestFoundation
import AtrestReplication
import AtrestTestSupport
import Foundation
import Testing

@testable import AtrestPortability

/// Files in the shape of other apps. They are made by us, after what those apps publish of their
/// exports, and hold nothing of anybody's.
private enum Shape {
  /// Zero: a date and two clock times, month first.
  static let zero = """
    Date,Start,End,Hours,Night Eating
    4/25/26,19:00,11:30,16.5,3
    4/26/26,20:15,12:00,15.75,0
    4/30/26,20:00,20:00,24,0
    5/2/26,20:00,,,0

    """
  /// Life: clock times of twelve hours within dates in words.
  static let life = """
    "Start Time","End Time","Duration","Goal (hours)"
    "Apr 25, 2026 at 7:00 PM","Apr 26, 2026 at 11:30 AM","16:30:00","16"
    "Apr 26, 2026 at 8:15\u{202F}PM","Apr 27, 2026 at 12:00\u{202F}PM","15:45:00","14"
    """
  /// BodyFast: semicolons, a decimal comma, day first, and the marks of spreadsheets.
  static let bodyFast =
    "\u{FEFF}Beginn;Ende;Dauer (h);Ziel\r\n25.04.2026 19:00;26.04.2026 11:30;16,5;16\r\n"
    + "26.04.2026 20:15;27.04.2026 12:00;15,75;14\r\n"
  /// Fastic: times with a zone.
  static let fastic = """
    start_date\tend_date\tplan
    2026-04-25T17:00:00Z\t2026-04-26T09:30:00.000Z\t16h
    2026-04-26T20:15:00+0200\t2026-04-27T12:00:00+02:00\t14h
    """
}

private let berlin: ZoneOffsets = {
  guard let zone = TimeZone(identifier: "Europe/Berlin") else { preconditionFailure("no Berlin") }
  return ZoneOffsets(zone)
}()
private let now = time("2026-11-21T13:30:00Z")

private func time(_ text: String) -> WallTime {
  guard let milliseconds = InstantText.milliseconds(text) else { preconditionFailure(text) }
  return WallTime(milliseconds: milliseconds)
}

/// The same under a name that no local one hides.
private func read(_ text: String) throws -> FastHistory { try history(text) }

private func history(
  _ text: String, order: DateOrder? = nil, columns: CSVColumns? = nil
) throws -> FastHistory {
  let file = try CSVFile(Array(text.utf8))
  return try file.history(
    .init(columns: columns ?? CSVColumns(header: file.header), order: order, zone: berlin),
    now: now)
}

@Suite("Histories of other apps", .timeLimit(.minutes(20)))
struct CSVTests {
  @Test(
    "files in the shape of other apps give the same two nights",
    arguments: [
      ("Zero", Shape.zero, [960, 960]), ("Life", Shape.life, [960, 840]),
      ("BodyFast", Shape.bodyFast, [960, 840]), ("Fastic", Shape.fastic, [960, 840]),
    ])
  func shapes(app: String, text: String, targets: [Int]) throws {
    let history = try history(text)
    let spans = history.fasts.prefix(2).map { [$0.session.span.start, $0.session.span.end] }
    #expect(
      spans == [
        [time("2026-04-25T17:00:00Z"), time("2026-04-26T09:30:00Z")],
        [time("2026-04-26T18:15:00Z"), time("2026-04-27T10:00:00Z")],
      ])
    #expect(history.fasts.prefix(2).map(\.session.targetMinutes) == targets)
    #expect(history.fasts.map(\.number).prefix(2) == [2, 3])
  }

  @Test("a clock time that comes again means what the length says; an open fast is left out")
  func clocks() throws {
    let history = try history(Shape.zero)
    #expect(history.rowCount == 4 && history.fasts.count == 3)
    #expect(history.fasts[2].session.durationMilliseconds == 24 * Milliseconds.perHour)
    #expect(history.skipped == [.init(number: 5, reason: .noEnd)])
    // Without a length it is the first such time after the start.
    let first = try CSVTests.firstLength("date,start,end\n2026-04-30,20:00,20:00\n")
    #expect(first == 24 * Milliseconds.perHour)
  }

  private static func firstLength(_ text: String) throws -> Int64? {
    try history(text).fasts.first?.session.durationMilliseconds
  }

  @Test("the same fasts have the same ids, whatever file they are in; others do not")
  func ids() throws {
    let zero = try history(Shape.zero).fasts.map(\.session.id)
    #expect(try history(Shape.bodyFast).fasts.map(\.session.id) == Array(zero.prefix(2)))
    #expect(Set(zero).count == 3)
    let twice = try history(
      "start,end\n2026-04-25 20:00,2026-04-26 12:00\n2026-04-25 20:00,2026-04-26 13:00")
    #expect(Set(twice.fasts.map(\.session.id)).count == 2)
  }

  @Test("two readings of a date are not guessed between, unless a date of the file tells")
  func orders() throws {
    let header = "start,end\n"
    let row = "4/5/2026 20:00,4/6/2026 12:00\n"
    #expect(throws: CSVProblem.ambiguousDates(line: 2)) { try history(header + row) }
    let april = try history(header + row, order: .monthFirst)
    #expect(april.fasts.first?.session.span.start == time("2026-04-05T18:00:00Z"))
    let may = try history(header + "4/5/2026 20:00,5/5/2026 12:00\n", order: .dayFirst)
    #expect(may.fasts.first?.session.span.start == time("2026-05-04T18:00:00Z"))
    let told = try history(header + row + "4/25/2026 20:00,4/26/2026 12:00\n")
    #expect(told.fasts.count == 2 && told.fasts.first == april.fasts.first)
    // The same number twice has one reading.
    #expect(try history(header + "5/5/2026 01:00,5/5/2026 12:00\n").fasts.count == 1)
    let both = header + "4/25/2026 20:00,4/26/2026 12:00\n25/4/2026 20:00,26/4/2026 12:00\n"
    #expect(throws: CSVProblem.contradictoryDates(dayFirst: 3, monthFirst: 2)) {
      try history(both)
    }
    #expect(
      try history(both, order: .dayFirst).skipped == [.init(number: 2, reason: .noStart)])
  }

  @Test("rows that cannot be are left out, each with its line and reason")
  func skipped() throws {
    let text = """
      Start,End
      yesterday,2026-04-26 12:00
      2026-04-25 20:00,2026-04-25 20:00
      2026-04-25 20:00,2026-04-25 12:00

      2026-04-01 20:00,2026-04-25 12:00
      2026-11-21 20:00,2026-11-22 12:00
      1969-04-25 20:00,1969-04-26 12:00
      2026-03-29 02:30,2026-03-29 20:00
      2026-04-25 20:00,2026-04-26 12:00
      "2026-04-25
      20:00",2026-04-26 12:00
      2026-04-27 20:00,
      """
    let history = try history(text)
    #expect(history.fasts.map(\.number) == [10])
    #expect(
      history.skipped == [
        .init(number: 2, reason: .noStart), .init(number: 3, reason: .endBeforeStart),
        .init(number: 4, reason: .endBeforeStart), .init(number: 6, reason: .tooLong),
        .init(number: 7, reason: .inTheFuture), .init(number: 8, reason: .noStart),
        .init(number: 9, reason: .skippedTime), .init(number: 11, reason: .repeated),
        .init(number: 13, reason: .noEnd),
      ])
  }

  @Test("fasts that share time are told: those of the file, and those that are here")
  func overlaps() throws {
    let history = try history(
      """
      Start,End
      2026-04-25 20:00,2026-04-26 12:00
      2026-04-26 11:00,2026-04-26 20:00
      2026-04-28 20:00,2026-04-29 12:00
      """)
    #expect(history.overlaps.map { [$0.0, $0.1] } == [[2, 3]])
    let here = Session.Span(
      start: time("2026-04-28T17:00:00Z"), end: time("2026-04-29T10:00:00Z"), outcome: .completed)
    let id = try #require(RecordUUID(bytes: [UInt8](repeating: 7, count: 16)))
    let session = Session(id: id, span: try #require(here), targetMinutes: 960)
    #expect(history.numbers(overlapping: [session] + history.fasts.map(\.session)) == [4])
    let rest = history.without([4])
    #expect(rest.fasts.map(\.number) == [2, 3])
    #expect(rest.skipped == [.init(number: 4, reason: .overlaps)])
  }

  @Test("a file of fasts that all share time is read like any other", arguments: [30_000])
  func allOverlap(count: Int) throws {
    // Each pair of them is 450 million, which neither time nor memory is spent on.
    let rows = (0..<count).map { "\(1_700_000_000 + $0),\(1_700_900_000 + $0)" }
    let history = try history("start,end\n" + rows.joined(separator: "\n"))
    #expect(history.fasts.count == count && history.overlaps.count == count - 1)
    let span = Session.Span(
      start: WallTime(seconds: 1_700_500_000), end: WallTime(seconds: 1_700_600_000),
      outcome: .completed)
    let id = try #require(RecordUUID(bytes: [UInt8](repeating: 7, count: 16)))
    let here = Session(id: id, span: try #require(span), targetMinutes: 960)
    #expect(history.numbers(overlapping: [here]).count == count)
  }

  @Test("columns are found by name, told by name or number, or missed")
  func columns() throws {
    var columns = CSVColumns(header: ["ID", "Start_Time", "End Time", "Duration (min)"])
    #expect(columns.start == 1 && columns.end == 2 && columns.duration == 3 && columns.date == nil)
    columns.end = nil
    let minutes = try history(
      "ID,Start_Time,End Time,Duration (min)\n1,2026-04-25 20:00,,960\n", columns: columns)
    #expect(minutes.fasts.first?.session.durationMilliseconds == 16 * Milliseconds.perHour)
    let header = ["from when", "Till", "2"]
    #expect(try CSVColumns.index(of: "TILL", in: header) == 1)
    #expect(try CSVColumns.index(of: "2", in: header) == 2)
    #expect(try CSVColumns.index(of: "1", in: header) == 0)
    #expect(throws: CSVProblem.unknownColumn("4")) { try CSVColumns.index(of: "4", in: header) }
    #expect(throws: CSVProblem.noStartColumn) { try history("a,b\n1,2\n") }
    #expect(throws: CSVProblem.noEndColumn) { try history("start,b\n1,2\n") }
  }

  @Test(
    "a length has the unit that its column's name tells",
    arguments: [
      ("Duration (s)", "3600", 60.0), ("Duration [sec.]", "3600", 60), ("Seconds", "3600", 60),
      ("Duration (ms)", "3600000", 60), ("Duration (days)", "2", 2880), ("Dauer (Tage)", "2", 2880),
      ("Duration (min)", "90", 90), ("Minuten", "90", 90), ("Dauer (Std.)", "1,5", 90),
      ("Hours", "1.5", 90), ("Duration", "1.5", 90), ("Duration (hh:mm)", "1:30", 90),
      ("Duration (h)", "1h 30m", 90), ("Duration (decimal hours)", "1.5", 90),
      ("Duration (in minutes)", "90", 90), ("Duration (hours:minutes)", "1:30", 90),
      ("durationMinutes", "90", 90), ("duration_seconds", "3600", 60), ("totalHours", "1.5", 90),
      ("fastingTime in minutes", "90", 90), ("Duration (hh.mm)", "1:30", 90),
      ("Duration", "PT16H30M", 990),
      ("Duration", "P1DT2H", 1560), ("Duration", "16h 30m 15s", 990.25),
      ("Duration", "16 hours, 30 minutes, 15 seconds", 990.25), ("Dauer", "16 Std. 30 Min.", 990),
      ("Duration", "16.5 h", 990), ("Dauer", "16,5 Stunden", 990), ("Duration", "16h30", 990),
    ])
  func units(column: String, cell: String, minutes: Double) throws {
    let history = try history("Start;\(column)\n2026-04-25 20:00;\(cell)\n")
    let length = history.fasts.first?.session.durationMilliseconds
    #expect(length == Int64(minutes * 60_000))
  }

  @Test(
    "a target is a length, or a plan of a day",
    arguments: [
      ("16", 960), ("16:30", 990), ("16:8", 960), ("14:10", 840), ("23:1", 1380), ("18h", 1080),
      ("OMAD", Session.defaultTargetMinutes),
    ])
  func plans(cell: String, minutes: Int) throws {
    let history = try history("Start,Hours,Plan\n2026-04-25 20:00,16,\(cell)\n")
    #expect(history.fasts.map(\.session.targetMinutes) == [minutes])
  }

  @Test("what is no length is none", arguments: ["P1M", "P2W", "30m 16h", "1h 90m", "h", "16x"])
  func noLengths(cell: String) throws {
    let history = try history("Start;Duration\n2026-04-25 20:00;\(cell)\n")
    #expect(history.skipped == [.init(number: 2, reason: .noEnd)])
  }

  @Test("a column in another unit is refused by name, unless ends say how long it took")
  func otherUnits() throws {
    for (name, cell) in [("Length (cm)", "33"), ("Total (ml)", "250"), ("Duration (lunar)", "1")] {
      let problem = CSVProblem.unknownUnit(column: name)
      #expect(throws: problem) { try history("Date;\(name)\n2026-04-25 20:00;\(cell)\n") }
      #expect(problem.userMessage.contains("“\(name)”"))
      let both = try history("Start;End;\(name)\n2026-04-25 20:00;2026-04-26 12:00;\(cell)\n")
      #expect(both.fasts.count == 1)
    }
    // A person may name a column that is none.
    var columns = CSVColumns(header: ["Start", "End", "Goal (kg)"])
    #expect(columns.target == nil)
    columns.target = 2
    #expect(throws: CSVProblem.unknownUnit(column: "Goal (kg)")) {
      try history("Start;End;Goal (kg)\n2026-04-25 20:00;2026-04-26 12:00;72\n", columns: columns)
    }
    // A goal in kilograms is none.
    let goal = try history("Start;Hours;Goal (kg)\n2026-04-25 20:00;16;72\n")
    #expect(goal.fasts.first?.session.targetMinutes == Session.defaultTargetMinutes)
  }

  @Test("of JSON the one list with the columns of a history is read; other JSON is none")
  func json() throws {
    func file(_ text: String) throws -> CSVFile? { try CSVFile(json: Array(text.utf8)) }
    let fasts = #"[{"startDate":761850000,"endDate":761907600},{"endDate":[1],"startDate":true},7]"#
    let other = #"[{"began":"x","length":1}]"#
    let read = try #require(try file(#"{"fasts":\#(fasts),"moods":[{"x":1}],"of":{"a":[]}}"#))
    #expect(read.header == ["endDate", "startDate"])
    let history = try read.history(
      .init(columns: CSVColumns(header: read.header), zone: berlin), now: now)
    #expect(history.format == .otherJSON && history.rowCount == 3)
    #expect(history.fasts.map(\.session.durationMilliseconds) == [57_600_000])
    #expect(history.skipped.map { history.place($0.number) } == [.entry(2), .entry(3)])
    for none in [
      #"{"fasts":\#(fasts),"others":\#(other)}"#, "[]", "{}", "[1]", #"[{"a":1}]"#, "[",
      fasts + "x",
      #"{"sessions":\#(fasts)}"#, #"{"payload":\#(fasts)}"#,
    ] {
      #expect(try file(none) == nil, "\(none)")
    }
    for example in Example.allCases { #expect(try CSVFile(json: example.bytes()) == nil) }
    let many = "[" + String(repeating: #"{"start":1,"end":2},"#, count: 100_000) + "{}]"
    #expect(throws: CSVProblem.tooManyRows) { try file(many) }
  }

  @Test("a row whose end and length contradict each other is left out, with the reason")
  func contradictions() throws {
    let history = try history(
      """
      Start,End,Hours
      2026-04-25 20:00,2026-04-26 12:00,16
      2026-04-26 20:00,2026-04-27 12:44,16
      2026-04-28 20:00,2026-04-29 12:00,16.0
      2026-04-29 19:15,12:00,22
      2026-05-02 20:00,2026-05-03 12:00,
      2026-05-03 20:00,2026-05-04 12:00,1
      2026-05-05 20:00,2026-05-06 12:44,16h
      2026-03-28 20:00,2026-03-29 12:00,16:00
      """)
    // The last one subtracts what clocks show over a night that lost an hour.
    #expect(history.fasts.map(\.number) == [2, 3, 4, 6, 8, 9])
    // A number of which nothing declares the unit is compared with nothing.
    let assumed = try read(
      "Start,End,Duration\n2026-04-25 20:00,2026-04-26 12:00,57600\n")
    #expect(assumed.fasts.count == 1)
    #expect(
      history.skipped == [
        .init(number: 5, reason: .contradiction), .init(number: 7, reason: .contradiction),
      ])
  }

  @Test("the length decides which hour is meant of one that clocks show twice")
  func repeatedHour() throws {
    // In Berlin 2:30 came twice on 26 October 2025.
    let history = try history(
      """
      Start,End,Duration (s)
      2025-10-25 20:00:00,2025-10-26 02:30:00,23400
      2025-10-25 20:00:00,2025-10-26 02:30:00,27000
      2025-10-26 02:45:00,2025-10-26 02:15:00,1800
      2025-10-26 02:50:00,2025-10-26 02:20:00,
      """)
    #expect(
      history.fasts.map(\.session.span.end) == [
        time("2025-10-26T00:30:00Z"), time("2025-10-26T01:30:00Z"), time("2025-10-26T01:15:00Z"),
        time("2025-10-26T01:20:00Z"),
      ])
    #expect(history.fasts.map(\.session.span.start).last == time("2025-10-26T00:50:00Z"))
  }

  @Test("dates and clock times in columns of their own, of the start and of the end")
  func splitMoments() throws {
    let columns = CSVColumns(header: ["Start Date", "Start Time", "End Date", "End Time"])
    #expect([columns.date, columns.start, columns.endDate, columns.end] == [0, 1, 2, 3])
    let whole = try history(
      """
      Start Date,Start Time,End Date,End Time,Duration
      2026-05-01,20:00,2026-05-02,12:00,16:00
      2026-05-02,20:00,2026-05-04,12:00,40:00
      """)
    #expect(whole.fasts.map(\.session.durationMilliseconds) == [57_600_000, 144_000_000])
    // Beside a date three numbers with dots are a clock time.
    let dotted = try history(
      "Startdatum;Startzeit;Enddatum;Endzeit\n24.05.26;20.05.07;25.05.26;12.05.07\n")
    #expect(dotted.fasts.map(\.session.span.start) == [time("2026-05-24T18:05:07Z")])
    #expect(dotted.fasts.first?.session.durationMilliseconds == 16 * Milliseconds.perHour)
    let withoutEnd = try history(
      "Start Date,Start Time,Duration (hours)\n2026-01-01,8:00,16\n2026-01-02,12:30,24\n")
    #expect(
      withoutEnd.fasts.map(\.session.span.start) == [
        time("2026-01-01T07:00:00Z"), time("2026-01-02T11:30:00Z"),
      ])
  }

  @Test(
    "what stands above the names of columns is no row",
    arguments: [
      "sep=;\nStart;End\n2026-04-25 20:00;2026-04-26 12:00\n",
      "sep=|\nStart|End\n2026-04-25 20:00|2026-04-26 12:00\n",
      "start|end\n2026-04-25 20:00|2026-04-26 12:00\n",
      "Fasting history of May\n\nStart,End\n2026-04-25 20:00,2026-04-26 12:00\n",
      "\u{FEFF}\"My fasts, all of them\";;\nStart;End;\n2026-04-25 20:00;2026-04-26 12:00;\n",
    ])
  func titles(text: String) throws {
    let history = try history(text)
    #expect(history.fasts.count == 1 && history.skipped.isEmpty)
  }

  @Test(
    "times are read as they are written",
    arguments: [
      ("2026-04-25T20:00:00+02:00", "2026-04-25T18:00:00Z"),
      ("2026-04-25 18:00:00 UTC", "2026-04-25T18:00:00Z"),
      ("2026/04/25 20:00", "2026-04-25T18:00:00Z"), ("25.4.26, 20:00 Uhr", "2026-04-25T18:00:00Z"),
      ("Sat, 25 Apr 2026 20:00:00 +0200", "2026-04-25T18:00:00Z"),
      ("April 25th, 2026 8:00pm", "2026-04-25T18:00:00Z"),
      ("Samstag, 25. April 2026 um 20:00", "2026-04-25T18:00:00Z"),
      ("04/25/2026 12:00 AM", "2026-04-24T22:00:00Z"),
      ("04/25/2026 12:00 PM", "2026-04-25T10:00:00Z"), ("1777140000", "2026-04-25T18:00:00Z"),
      ("1777140000000", "2026-04-25T18:00:00Z"),
      ("24. 5. 2026 20:05:07", "2026-05-24T18:05:07Z"),
      ("24.5. 2026 20:05", "2026-05-24T18:05:00Z"), ("24. 5. 26, 20:05", "2026-05-24T18:05:00Z"),
      ("24. Mai 2026 20.05.07", "2026-05-24T18:05:07Z"),
      ("2026. 5. 24. 20:05:07", "2026-05-24T18:05:07Z"),
      ("24.05.2026 20.05.07", "2026-05-24T18:05:07Z"), ("24/05/26 20.05", "2026-05-24T18:05:00Z"),
      ("24/05/2026 8:05 p. m.", "2026-05-24T18:05:00Z"),
      ("24/05/2026 8:05\u{A0}a.\u{A0}m.", "2026-05-24T06:05:00Z"),
      ("2026-05-24 18:05:07 +0000 UTC", "2026-05-24T18:05:07Z"),
      ("2026-05-24 20:05:07 +0200 CEST", "2026-05-24T18:05:07Z"),
      ("2026-05-24 20:05:07 UTC+2", "2026-05-24T18:05:07Z"),
      ("Sun May 24 2026 20:05:07 GMT+0200 (CEST)", "2026-05-24T18:05:07Z"),
      (
        "Sun May 24 2026 20:05:07 GMT+0200 (Central European Summer Time)",
        "2026-05-24T18:05:07Z"
      ),
      // Seconds since 2001, as Apple's systems write them.
      ("761850000", "2025-02-21T17:00:00Z"), ("761850000.25", "2025-02-21T17:00:00.250Z"),
    ])
  func times(text: String, instant: String) throws {
    let history = try history("Start;Note;Hours\n\(text);x;1\n")
    #expect(history.fasts.first?.session.span.start == time(instant))
  }

  @Test(
    "what is no time is none",
    arguments: [
      "", "tomorrow", "2026-02-30 20:00", "25/04/2026 24:00", "4/25/2026 13:00 PM",
      "2026-04-25 20:00 20:00", "32 Apr 2026 20:00", "2026-04-25 20:0", "2026-04-25 20:00 +25:00",
      "1/2/3/4 20:00", "25.04.126 20:00", "12345 20:00", "0/0/2026 20:00", "24. 13. 2026 20:00",
      "2026-05-24 20:00 +0200 UTC", "2026-05-24 20:00 CEST", "24.05.2026 24.00.00",
    ])
  func noTimes(text: String) {
    #expect(CSVMoment(text)?.day(.dayFirst) == nil || CSVMoment(text)?.second == nil)
  }

  @Test("files that are none are refused with what to do")
  func refused() {
    let rows = String(repeating: "a,b\n", count: 100_001)
    let files: [(String, CSVProblem)] = [
      ("one column\nof words\n", .notATable), (" \n", .notATable),
      ("a,b\n\"c,d\n\n", .openQuote(line: 2)), ("a,b\n\u{0}", .notText),
      (rows, .tooManyRows), (String(repeating: ",", count: 300), .tooManyColumns(line: 1)),
      ("a,b\nc,\(String(repeating: "x", count: 20_000))", .cellTooLong(line: 2)),
    ]
    for (text, problem) in files {
      #expect(throws: problem) { try CSVFile(Array(text.utf8)) }
      #expect(problem.userMessage.hasSuffix("."))
    }
    #expect(throws: CSVProblem.notText) { try CSVFile([0x61, 0x2C, 0xFF, 0x0A]) }
  }

  @Test("quotes, separators and line ends within cells belong to them")
  func quotes() throws {
    let table = try CSVTable(
      Array("a;\"b;\"\"c\"\"\r\nd\";e,f\r\n\r\n \"g\" ;5\" tall;\n".utf8))
    #expect(
      table.rows == [
        .init(line: 1, cells: ["a", "b;\"c\"\r\nd", "e,f"]),
        .init(line: 4, cells: ["g", "5\" tall", ""]),
      ])
  }

  @Test("hostile bytes are refused or read, and what is read can be imported", arguments: 1...200)
  func hostile(seed: UInt64) throws {
    // The seed of a failure is the argument that the report names.
    var random = SeededRandom(seed: seed)
    var bytes = Array([Shape.zero, Shape.life, Shape.bodyFast, Shape.fastic][Int(seed % 4)].utf8)
    for _ in 0..<Int.random(in: 1...30, using: &random) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
      case 1: bytes.remove(at: place)
      case 2: bytes.insert(",;\"\n\r\t:/.9".utf8.randomElement(using: &random) ?? 0, at: place)
      default: bytes += bytes[..<place]
      }
    }
    for order in [nil, DateOrder.dayFirst, .monthFirst] {
      do throws(CSVProblem) {
        let file = try CSVFile(bytes)
        let history = try file.history(
          .init(columns: CSVColumns(header: file.header), order: order, zone: berlin), now: now)
        #expect(history.fasts.count + history.skipped.count == history.rowCount)
        #expect(throws: Never.self) { try history.importFile() }
        for fast in history.fasts {
          #expect(fast.session.span.start < fast.session.span.end ?? fast.session.span.start)
        }
      } catch {
        #expect(error.userMessage.hasSuffix("."))
      }
    }
  }
}
