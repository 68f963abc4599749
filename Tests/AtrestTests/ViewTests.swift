// SPDX-License-Identifier: Apache-2.0
// The exact output for people and for programs.

import AtrestCommandLine
import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation
import Testing

@testable import AtrestClient
@testable import AtrestCompanion
@testable import atrest

@Suite("JSON", .timeLimit(.minutes(20)))
struct JSONTests {
  @Test("a fast that goes on")
  func active() throws {
    #expect(
      try JSON.text(SessionRow(Fixture.active, now: Fixture.context.now)) == """
        {
          "elapsed_minutes" : 960,
          "id" : "3f2a0000-0000-4000-8000-000000000001",
          "in_history" : false,
          "milestone" : "extended_fast",
          "outcome" : "active",
          "start" : "2026-11-20T21:30:00Z",
          "target_minutes" : 1080
        }
        """)
  }

  @Test("a completed fast")
  func completed() throws {
    #expect(
      try JSON.line(SessionRow(Fixture.completed, now: Fixture.context.now))
        == #"{"elapsed_minutes":990,"end":"2026-11-19T11:30:00Z","id":"3f2a0000-0000-4000-8000-000000000002","in_history":true,"#
        + #""outcome":"completed","start":"2026-11-18T19:00:00Z","target_minutes":960}"#)
  }

  @Test("a glass of water names the day where it was drunk")
  func water() throws {
    let late = WaterEntry(
      id: Fixture.glass.id, intake: Fixture.intake("2026-11-20T23:30:00Z", 250))
    #expect(
      try JSON.line(WaterRow(late, in: Fixture.berlin))
        == #"{"at":"2026-11-20T23:30:00Z","day":"2026-11-21","id":"a1b20000-0000-4000-8000-000000000004","millilitres":250}"#
    )
  }

  @Test("the status")
  func status() throws {
    let key = RecordKey(kind: .water, id: Fixture.glass.id.bytes)
    let report = StatusReport(
      sessions: [Fixture.completed], water: [Fixture.glass],
      status: Fixture.status(waiting: 2, refused: 1, held: 25),
      pending: [Fixture.refused(.clockSkew, key), Fixture.refused(.massDeletion, key)],
      conflicts: 1, Fixture.context)
    #expect(
      try JSON.text(report) == """
        {
          "conflicts" : 1,
          "other_open" : [

          ],
          "sync" : {
            "access_ended" : false,
            "account" : "home",
            "clock_offset_seconds" : 0,
            "held_deletions" : 25,
            "last_sync" : "2026-11-21T08:14:00Z",
            "paired" : true,
            "refused" : [
              {
                "advice" : "`atrest sync` corrects it for this device's clock and sends it by itself.",
                "id" : "a1b20000-0000-4000-8000-000000000004",
                "kind" : "water",
                "message" : "A stamp is ahead\u{FFFD}[2J.",
                "reason" : "clock_skew"
              }
            ],
            "server" : "127.0.0.1:7420",
            "server_clock_doubtful" : false,
            "waiting" : 2
          },
          "water_today_millilitres" : 250
        }
        """)
  }

  @Test("a conflict holds both values, devices and times")
  func conflict() throws {
    #expect(
      try JSON.text(ConflictRow(Fixture.conflict, Fixture.devices, Atrest.recordWords)) == """
        {
          "field" : "span",
          "id" : "\(Fixture.conflict.displayID)",
          "kept" : {
            "device" : "laptop",
            "replica" : "9b1f000000000001",
            "value" : {
              "end" : "2026-11-19T11:30:00Z",
              "outcome" : "completed",
              "start" : "2026-11-18T19:00:00Z"
            },
            "written" : "2026-11-19T11:30:00Z"
          },
          "kind" : "session",
          "noticed" : "2026-11-19T12:00:00Z",
          "record_id" : "3f2a0000-0000-4000-8000-000000000002",
          "set_aside" : {
            "device" : "phone",
            "replica" : "1111222233334444",
            "value" : {
              "end" : "2026-11-19T10:00:00Z",
              "outcome" : "completed",
              "start" : "2026-11-18T19:00:00Z"
            },
            "written" : "2026-11-19T10:00:00Z"
          }
        }
        """)
  }

  @Test("a conflict's id is the same on every device, in every version")
  func conflictID() {
    #expect(Fixture.conflict.displayID == ShortID.hex(FNV1a.hash(Fixture.conflict.key.id)))
    #expect(Fixture.conflict.displayID == "d46b441643544f4a")
  }

  @Test("a device, and a sync")
  func deviceAndSync() throws {
    let device = Device(
      replica: Fixture.phone, name: "phone",
      paired: WallTime(milliseconds: 1_794_995_200_000), isCurrent: true)
    #expect(
      try JSON.line(DeviceRow(device))
        == #"{"current":true,"id":"1111222233334444","name":"phone","paired":"2026-11-18T09:46:40Z"}"#
    )
    #expect(
      try JSON.line(SyncRow(SyncReport()))
        == #"{"conflicts":0,"held_deletions":0,"over_quota":0,"received":0,"refused":0,"renewed":false,"restarted":false,"sent":0,"superseded":0}"#
    )
  }

  @Test("a dump holds no value unless it was asked for")
  func dump() throws {
    var record = Record(key: RecordKey(kind: .session, id: Fixture.completed.id.bytes))
    record.set(Fixture.conflict.conflict.kept)
    let quiet = try JSON.line(RecordDump(record, Atrest.recordWords, withValues: false))
    #expect(
      quiet
        == #"{"deleted":false,"id":"3f2a0000000040008000000000000002","kind":1,"name":"session","registers":["#
        + #"{"field":2,"name":"span","stamp":{"counter":0,"replica":"9b1f000000000001","time":"2026-11-19T11:30:00Z"},"#
        + #""value_bytes":\#(Fixture.conflict.conflict.kept.value.count)}]}"#)
    let full = RecordDump(record, Atrest.recordWords, withValues: true)
    #expect(full.registers.map(\.value) == [ShortID.hex(Fixture.conflict.conflict.kept.value)])
    #expect(
      RecordDump(record, Atrest.recordWords, withValues: false).text
        == "session 3f2a0000000040008000000000000002 span=1795087800000.0@9b1f000000000001")
  }
}

@Suite("Words for people", .timeLimit(.minutes(20)))
struct WordsTests {
  private func report(
    _ sessions: [Session], _ status: ReplicaStatus, pending: [PendingWrite] = [], conflicts: Int = 0
  ) -> String {
    let text = StatusReport(
      sessions: sessions, water: [Fixture.glass], status: status, pending: pending,
      conflicts: conflicts, Fixture.context
    ).text(sessionIDs: Fixture.short(sessions), Fixture.context, .plain)
    #expect(bannedWords(in: text).isEmpty)
    return text
  }

  @Test("the status of a fast that goes on")
  func active() {
    #expect(
      report([Fixture.active, Fixture.completed], Fixture.status(waiting: 2)) == """
        Fasting since yesterday 22:30
          16h so far, target 18h; extended fast
          \(Milestone.extendedFast.companionText)
        Water today: 250 ml
        2 changes wait for the next sync; last synced today 09:14.
        """)
  }

  @Test("the status between fasts, before pairing")
  func idle() {
    #expect(
      report([], Fixture.status(paired: false)) == """
        No fast is going on. `atrest fast start` begins one when you're ready.
        Water today: 250 ml
        Everything is kept on this device. `atrest pair LINK` connects it to your other devices.
        """)
  }

  @Test("another open fast, a refused write and a conflict each say what to do")
  func troubles() {
    let key = RecordKey(kind: .water, id: Fixture.glass.id.bytes)
    let text = report(
      [Fixture.active, Fixture.forgotten], Fixture.status(refused: 1),
      pending: [Fixture.refused(.invalid, key)], conflicts: 2)
    #expect(text.contains("Also open: 77000000, since yesterday 07:00."))
    #expect(text.contains("`atrest sessions edit 77000000 --end TIME` ends it"))
    #expect(text.contains("  water a1b20000-0000-4000-8000-000000000004\n"))
    #expect(
      text.contains("A stamp is ahead\u{FFFD}[2J. Correct it with `atrest water edit a1b20000`"))
    #expect(text.contains("2 changes were set aside"))
  }

  @Test("a fast from a device whose clock is ahead has not begun")
  func ahead() {
    let session = Session(
      id: Fixture.active.id, span: Fixture.span("2026-11-21T14:30:00Z"), targetMinutes: 960)
    #expect(
      report([session], Fixture.status()).hasPrefix(
        "Fasting starts today 15:30\n  0m so far, target 16h\nWater"))
  }

  @Test("a list of fasts")
  func list() {
    let sessions = [Fixture.active, Fixture.completed]
    #expect(
      SessionWords.list(sessions, ids: Fixture.short(sessions), Fixture.context).text(.plain) == """
        ID                                STARTED             ENDED               LASTED   TARGET
        3f2a0000000040008000000000000001  yesterday 22:30     still open          16h      18h     active
        3f2a0000000040008000000000000002  18 Nov 2026, 20:00  19 Nov 2026, 12:30  16h 30m  16h
        """)
  }

  @Test("an end says how long it lasted, without praise or blame")
  func ended() {
    var short = Fixture.completed
    short.span = Fixture.span("2026-11-18T19:00:00Z", "2026-11-18T21:00:00Z")
    var gone = short
    gone.span = Fixture.span("2026-11-18T19:00:00Z", "2026-11-18T21:00:00Z", .abandoned)
    let early = Session(
      id: Fixture.completed.id, span: Fixture.completed.span, targetMinutes: 20 * 60)
    #expect(SessionWords.ended(Fixture.completed, Fixture.context) == "Completed after 16h 30m.")
    #expect(SessionWords.ended(early, Fixture.context) == "Ended early after 16h 30m.")
    #expect(
      SessionWords.ended(short, Fixture.context)
        == "Ended after 2h. Fasts under 4 hours are kept, and left out of the history.")
    #expect(SessionWords.ended(gone, Fixture.context).hasPrefix("Let go after 2h."))
  }

  @Test("the history says of a fast what its end said, and how long it lasted as other lists do")
  func history() {
    let whole = Session(
      id: Fixture.completed.id, span: Fixture.span("2026-11-18T19:00:00Z", "2026-11-19T11:00:00Z"),
      targetMinutes: 16 * 60)
    let early = Session(
      id: Fixture.forgotten.id, span: Fixture.span("2026-11-17T19:00:00Z", "2026-11-18T08:00:00Z"),
      targetMinutes: 16 * 60)
    let entries = [whole, early].compactMap(CalendarEntry.init)
    #expect(
      CalendarView.list(entries, Fixture.context).text(.plain) == """
        ENDED               LASTED
        19 Nov 2026, 12:00  16h     Completed
        18 Nov 2026, 09:00  13h     Ended early
        """)
  }

  @Test("a month that is too wide for the window is a list of its days")
  func narrowMonth() {
    func text(_ sessions: [Session], columns: Int) -> String {
      let grid = MonthGrid(
        month: LocalMonth(Fixture.context.now, in: Fixture.berlin),
        entries: sessions.compactMap(CalendarEntry.init), now: Fixture.context.now,
        in: Fixture.berlin, firstWeekday: .monday)
      return CalendarView.text(
        grid, .plain, columns: CalendarView.room(on: ScreenSize(columns: columns, rows: 24)),
        isUnicode: true)
    }
    let lines = text([Fixture.completed], columns: 20).split(separator: "\n")
    #expect(lines.contains(" 9 10 11 12 13 14 15") && lines.allSatisfy { $0.count <= 20 })
    #expect(text([Fixture.completed], columns: 19) == "November 2026\n19 Completed")
    #expect(text([], columns: 3) == "November 2026\nNothing here yet.")
    #expect(CalendarView.room(on: .usual) == 79)
  }

  @Test("water by day")
  func water() {
    let second = WaterEntry(
      id: Fixture.id("B0000000-0000-4000-8000-000000000005"),
      intake: Fixture.intake("2026-11-20T20:00:00Z", 1250))
    let entries = [second, Fixture.glass]
    #expect(
      WaterWords.list(
        WaterDay.days(of: entries, in: Fixture.berlin),
        ids: ShortID.shortened(entries.map { ShortID.hex($0.id) }), Fixture.context, .plain) == """
          Today  250 ml
            a1b20000  09:15  250 ml
          Yesterday  1250 ml
            b0000000  21:00  1250 ml
          """)
  }

  @Test("a conflict shows both values, devices and times")
  func conflict() {
    #expect(
      ConflictWords(Atrest.self, Fixture.context)
        .detail(Fixture.conflict, id: "81c0", Fixture.devices) == """
          A fast: changed on two devices that did not know of each other.
            record     3f2a0000-0000-4000-8000-000000000002
            kept       18 Nov 2026, 20:00 to 19 Nov 2026, 12:30, completed
                       written on laptop (this device), 19 Nov 2026, 12:30
            set aside  18 Nov 2026, 20:00 to 19 Nov 2026, 11:00, completed
                       written on phone, 19 Nov 2026, 11:00
          `atrest conflicts restore 81c0` writes the value that was set aside back.
          """)
  }

  @Test("a deleted record is still told apart by what it held")
  func deletedSubject() throws {
    var record = Record(key: RecordKey(kind: .water, id: Fixture.glass.id.bytes))
    let stamp = Stamp(time: HybridTime(rawValue: 9), replica: ReplicaID(rawValue: 1))
    record.set(Register(field: 1, stamp: stamp, value: Register.deletedValue))
    record.set(
      Register(field: 2, stamp: stamp, value: WaterField.encode(Fixture.glass.intake)))
    #expect(
      Atrest.recordWords.noun(record.key, record, Fixture.context)
        == "a water entry, 250 ml, today 09:15")
    #expect(Atrest.recordWords.noun(record.key, nil, Fixture.context) == "a water entry")
  }

  @Test("values of conflicts, also those that this version cannot read")
  func values() {
    func words(_ kind: RecordKind, _ field: FieldNumber, _ value: [UInt8]) -> String {
      let stamp = Stamp(time: HybridTime(rawValue: 9), replica: ReplicaID(rawValue: 1))
      let register = Register(field: field, stamp: stamp, value: value)
      return Atrest.recordWords.text(of: register, in: kind, Fixture.context)
    }
    #expect(words(.water, Register.deletedField, Register.deletedValue) == "deleted")
    #expect(words(RecordKind(rawValue: 77), Register.deletedField, []) == "not deleted")
    #expect(
      words(.session, SessionField.target, SessionField.encode(targetMinutes: 990))
        == "target 16h 30m")
    #expect(
      words(.water, WaterField.intake, WaterField.encode(Fixture.glass.intake))
        == "250 ml, today 09:15")
    #expect(
      words(.session, SessionField.span, SessionField.encode(Fixture.active.span))
        == "going on since yesterday 22:30")
    #expect(
      words(.preference, PreferenceField.value, PreferenceField.encode("a\u{1B}b"))
        == "“a\u{FFFD}b”")
    #expect(
      words(.water, WaterField.intake, [0xFF]) == "a value that this version cannot read")
  }

  @Test("a device without a known name has its digits")
  func devices() {
    let stranger = ReplicaID(rawValue: 0xABC)
    #expect(Fixture.devices.words(stranger) == "device 0000000000000abc")
    #expect(DeviceNames(own: stranger, names: [:]).words(stranger) == "this device")
  }

  @Test("a sync")
  func sync() {
    var report = SyncReport()
    #expect(SyncWords(Atrest.programName).done(report) == "Up to date. Nothing was new.")
    // A device whose writes wait is not up to date.
    report.refused = 1
    #expect(SyncWords(Atrest.programName).done(report) == "Nothing else was new.")
    report.pulled = 3
    #expect(
      SyncWords(Atrest.programName).done(report) == "Exchanged what could be: 3 received.")
    report.refused = 0
    report.pushed = 12
    report.conflicts = 1
    report.restarted = true
    #expect(SyncWords.counts(report) == "12 sent, 3 received")
    let start = "Up to date: 12 sent, 3 received.\nThe server had lost"
    #expect(SyncWords(Atrest.programName).done(report).hasPrefix(start))
    report.restarted = false
    report.isRenewed = true
    let lines = SyncWords(Atrest.programName).done(report).split(separator: "\n")
    #expect(lines.count == 3 && lines[1].contains("`atrest devices`"))
  }

  /// Which clock is reported as wrong, by the offset between the two.
  struct Clocks: Sendable {
    var offset: Int64
    var isServerDoubtful = false
    var isPaired = true
    var words: String?
  }

  @Test(
    "the status names the clock that is wrong, and neither for a minute",
    arguments: [
      Clocks(offset: 0), Clocks(offset: 60_999), Clocks(offset: -60_999),
      Clocks(offset: 7_200_000, words: "This device's clock is 2h behind the server's"),
      Clocks(offset: -7_200_000, words: "This device's clock is 2h ahead of the server's"),
      // The server's own report takes precedence: this device's clock is then not at fault.
      Clocks(
        offset: 7_200_000, isServerDoubtful: true, words: "The server's clock may be wrong"),
      Clocks(offset: 0, isServerDoubtful: true, words: "The server's clock may be wrong"),
      Clocks(offset: 7_200_000, isPaired: false),
    ])
  func clocks(case clocks: Clocks) {
    let report = StatusReport(
      sessions: [], water: [],
      status: Fixture.status(
        paired: clocks.isPaired, offset: clocks.offset,
        isServerClockDoubtful: clocks.isServerDoubtful),
      pending: [], conflicts: 0, Fixture.context)
    let lines = report.text(sessionIDs: [:], Fixture.context, .plain)
      .split(separator: "\n").filter { $0.contains("clock") }
    #expect(lines.count == (clocks.words == nil ? 0 : 1))
    #expect(lines.first?.hasPrefix(clocks.words ?? "") ?? true)
  }

  @Test("deletions that wait for a word are told apart from what waits by itself")
  func heldDeletions() {
    let report = StatusReport(
      sessions: [], water: [], status: Fixture.status(held: 25), pending: [], conflicts: 0,
      Fixture.context)
    let text = report.text(sessionIDs: [:], Fixture.context, .plain)
    #expect(text.contains("25 deletions wait for your word"))
    #expect(text.contains("`atrest sync --allow-mass-deletion`"))
    #expect(!text.contains("Nothing waits"))
    #expect(!text.contains("did not take"))
  }

  @Test("emphasis is off in a pipe, on a dumb terminal, and where NO_COLOR asks for it")
  func style() {
    #expect(StandardStream.isStyled(isTerminal: true, environment: ["TERM": "xterm"]))
    #expect(StandardStream.isStyled(isTerminal: true, environment: ["NO_COLOR": ""]))
    #expect(!StandardStream.isStyled(isTerminal: true, environment: ["NO_COLOR": "1"]))
    #expect(!StandardStream.isStyled(isTerminal: true, environment: ["TERM": "dumb"]))
    #expect(!StandardStream.isStyled(isTerminal: false, environment: ["TERM": "xterm"]))
    #expect(Style(isOn: true).strong("a") == "\u{1B}[1ma\u{1B}[22m")
    #expect(Style.plain.quiet("a") == "a")
  }
}
