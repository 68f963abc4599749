// SPDX-License-Identifier: Apache-2.0
// The texts about an account: its log, its quota, and its export.

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

@Suite("What an account is shown as", .timeLimit(.minutes(20)))
struct AccountViewTests {
  private func event(
    _ kind: AccountEvent.Kind, _ actor: ReplicaID = .none, _ subject: ReplicaID = .none,
    detail: Int64 = 0, count: UInt32 = 1
  ) -> AccountEvent {
    AccountEvent(
      number: 7, at: WallTime(milliseconds: Fixture.context.now.milliseconds), kind: kind,
      actor: actor, subject: subject, detail: detail, count: count)
  }

  @Test("each event is a plain sentence, and has a name for programs")
  func events() throws {
    let (phone, laptop) = (Fixture.phone, Fixture.laptop)
    let expected: [(AccountEvent, String, String)] = [
      (event(.accountMade), "account_made", "The server's owner made the account"),
      (
        event(.codeMade, phone, detail: 1), "code_made",
        "“phone” made a pairing link, whose device has to be let in"
      ),
      (
        event(.codeMade), "code_made",
        "The server's owner made a pairing link, whose device joins at once"
      ),
      (
        event(.codeRefused, count: 12), "code_refused",
        "A wrong, used or old pairing code was tried (12 times)"
      ),
      (
        event(.devicePaired, phone, laptop), "device_paired",
        "“laptop” (this device) joined, with a link of “phone”"
      ),
      (
        event(.deviceApproved, phone, laptop), "device_approved",
        "“phone” let “laptop” (this device) in"
      ),
      (
        event(.deviceDenied, phone), "device_denied",
        "“phone” sent away a device that wanted to join"
      ),
      (
        event(.deviceRevoked, .none, ReplicaID(rawValue: 5)), "device_revoked",
        "The server's owner ended the access of device 0000000000000005"
      ),
      (
        event(.massDeletion, phone, detail: 30), "mass_deletion",
        "“phone” deleted most of what there was (30 records), as it was asked to"
      ),
      (
        event(.purchaseMoved, detail: 2), "purchase_moved",
        "A purchase moved to another account"
      ),
      (
        event(AccountEvent.Kind(rawValue: 99)), "event_99",
        "Something that this version has no words for (99)"
      ),
    ]
    for (event, name, sentence) in expected {
      #expect(EventWords.name(of: event.kind) == name)
      #expect(EventWords.sentence(event, Fixture.devices) == sentence)
    }
    for number in 1...16 {
      let event = event(AccountEvent.Kind(rawValue: number), phone, laptop)
      #expect(!EventWords.name(of: event.kind).contains("event_"))
      #expect(bannedWords(in: EventWords.sentence(event, Fixture.devices)).isEmpty)
    }
    #expect(
      try JSON.line(EventRow(event(.devicePaired, phone, laptop), [phone: "phone"]))
        == #"{"actor":"1111222233334444","actor_name":"phone","at":"2026-11-21T13:30:00Z","count":1,"event":"device_paired","#
        + #""number":7,"subject":"9b1f000000000001"}"#)
  }

  private func account(_ records: UInt64, _ bytes: UInt64, _ limits: AccountLimits)
    -> Account
  {
    Account(
      name: "home",
      created: WallTime(milliseconds: Fixture.instant("2026-11-03T09:00:00Z").milliseconds),
      devices: 3, records: records, bytes: bytes, limits: limits)
  }

  @Test("what it holds stands beside what it may, and a full one says what to do")
  func room() throws {
    let limits = AccountLimits(records: 1_000_000, bytes: 1 << 30)
    #expect(
      AccountWords.show(account(1204, 317_440, limits), Fixture.context) == """
        The account “home”, made 3 Nov 2026
          devices  3
          records  1,204 of 1,000,000
          size     310 KiB of 1 GiB
        """)
    #expect(
      AccountWords.show(account(1_000_000, 1, limits), Fixture.context).hasSuffix(
        "\nThere is no place for another record, and a deleted one keeps its place. Ask whoever runs the server for more."
      ))
    #expect(
      AccountWords.show(account(5, 1 << 30, limits), Fixture.context).hasSuffix(
        "\nThere is no more room. Delete what you no longer need, or ask whoever runs the server for more."
      ))
    let silent = AccountWords.show(account(5, 1536, AccountLimits()), Fixture.context)
    #expect(silent.contains("records  5\n") && silent.hasSuffix("size     1.5 KiB"))
    #expect(
      try JSON.line(AccountRow(account(5, 6, AccountLimits(records: 10))))
        == #"{"bytes":6,"created":"2026-11-03T09:00:00Z","devices":3,"limits":{"records":10},"name":"home","records":5}"#
    )
  }

  @Test(
    "numbers and sizes never show more than is there",
    arguments: [
      (0, "0", "0 bytes"), (999, "999", "999 bytes"), (1023, "1,023", "1023 bytes"),
      (1_048_575, "1,048,575", "1023 KiB"), (10_240, "10,240", "10 KiB"),
      (UInt64.max, "18,446,744,073,709,551,615", "15 EiB"),
    ] as [(UInt64, String, String)])
  func numbers(number: UInt64, words: String, size: String) {
    #expect(AccountWords.number(number) == words && AccountWords.size(number) == size)
  }

  @Test("a record is written out in words, and byte for byte, also of a version to come")
  func exported() throws {
    var record = Record(key: RecordKey(kind: .session, id: Fixture.completed.id.bytes))
    record.set(Fixture.conflict.conflict.kept)
    record.set(
      Register(
        field: 40, stamp: Fixture.stamp("2026-11-19T11:30:00Z", Fixture.phone),
        value: [0xC0, 0x02, 0x07]))
    let row = ExportedRecord(record, Fixture.devices, Atrest.recordWords)
    #expect(row.kind == "session" && row.id == Fixture.completed.id.uuidString.lowercased())
    let span = try #require(row.fields.first { $0.name == "span" })
    #expect(try JSON.line(span.value).contains(#""outcome":"completed""#))
    #expect(span.stamp.replica == "9b1f000000000001")
    let unknown = try #require(row.fields.first { $0.name == "field_40" })
    #expect(unknown.value == nil && unknown.bytes == "wAIH" && unknown.field == 40)
    let journal = ExportedRecord(
      Fixture.conflict.conflict.journalRecord, Fixture.devices, Atrest.recordWords)
    #expect(journal.kind == "conflict")
    #expect(
      try JSON.line(journal.conflict)
        == JSON.line(ConflictRow(Fixture.conflict, Fixture.devices, Atrest.recordWords)))
    var later = Record(key: RecordKey(kind: RecordKind(rawValue: 77), id: [0xAB]))
    later.set(record.registers[0])
    #expect(ExportedRecord(later, Fixture.devices, Atrest.recordWords).kind == "kind_77")
    #expect(ExportedRecord(later, Fixture.devices, Atrest.recordWords).kindNumber == 77)
  }

  @Test("a full account is one sentence, however many writes wait; others are told beside it")
  func full() throws {
    var report = SyncReport()
    #expect(SyncWords(Atrest.programName).refused(report) == nil)
    (report.refused, report.overQuota) = (40, 40)
    let words = try #require(SyncWords(Atrest.programName).refused(report))
    #expect(
      words.hasPrefix("The account is full, so 40 changes wait here.") && !words.contains("\n"))
    #expect(words.contains("`atrest account`"))
    report.refused = 41
    #expect(
      try #require(SyncWords(Atrest.programName).refused(report)).contains(
        "\nThe server did not take one change."))
    let key = RecordKey(kind: .water, id: Fixture.glass.id.bytes)
    let status = StatusReport(
      sessions: [], water: [], status: Fixture.status(refused: 3),
      pending: [
        Fixture.refused(.quota, key), Fixture.refused(.quota, key), Fixture.refused(.invalid, key),
      ], conflicts: 0, Fixture.context)
    let text = status.text(sessionIDs: [:], Fixture.context, .plain)
    #expect(text.contains("The account is full, so 2 changes wait here."))
    #expect(text.contains("The server did not take one change. It is kept here:"))
    #expect(status.sync.refused.map(\.reason) == ["quota", "quota", "invalid"])
  }

  @Test("pending devices are listed with what to do, and cannot move the cursor")
  func pendingDevices() throws {
    let pendingDevice = PendingDevice(
      handle: 0xABCD, name: "tab\u{1B}[2Jlet",
      since: WallTime(milliseconds: Fixture.instant("2026-11-21T13:29:00Z").milliseconds),
      expires: WallTime(milliseconds: Fixture.instant("2026-11-21T13:34:00Z").milliseconds),
      inviter: Fixture.phone, digits: "012345")
    let table = DeviceWords.waiting(
      [pendingDevice], ids: ["000000000000abcd": "00000000"], Fixture.context)
    #expect(
      table.text(.plain) == """
        ID        WAITS TO JOIN  SHOWS    SINCE        UNTIL
        00000000  tab\u{FFFD}[2Jlet     012 345  today 14:29  today 14:34
        """)
    #expect(
      try JSON.line(PendingDeviceRow(pendingDevice)).contains(
        #""expires":"2026-11-21T13:34:00Z","id":"000000000000abcd","inviter":"1111222233334444""#))
    #expect(try JSON.line(PendingDeviceRow(pendingDevice)).contains(#""digits":"012345""#))
    #expect(DeviceWords.letIn("tablet 2", asked: "tablet").hasSuffix("called “tablet” already."))
  }
}
