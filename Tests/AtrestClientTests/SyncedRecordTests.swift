// SPDX-License-Identifier: Apache-2.0
// Records of an app's own kind: merged field by field, listed, restored, and forward compatible.

import AtrestFoundation
import AtrestReplication
import AtrestSync
import AtrestTestSupport
import AtrestWire
import Foundation
import Testing

@testable import AtrestClient

private struct Mood: SyncedRecord {
  static let kind = RecordKind(rawValue: 1024)
  var id = RecordUUID.random()
  var level: Int64
  var note: String?

  var fields: RecordFields {
    var fields = RecordFields()
    fields[integer: 2] = level
    fields[text: 3] = note
    return fields
  }

  init(level: Int64, note: String? = nil) { (self.level, self.note) = (level, note) }

  init?(id: RecordUUID, fields: RecordFields) {
    guard let level = fields[integer: 2] else { return nil }
    (self.id, self.level, note) = (id, level, fields[text: 3])
  }
}

/// A later version of the same kind, with a field more.
private struct LaterMood: SyncedRecord {
  static let kind = Mood.kind
  var id: RecordUUID
  var fields: RecordFields
}

private struct Impostor: SyncedRecord {
  static let kind = RecordKind.water
  var id = RecordUUID.random()
  var fields = RecordFields()
  init() {}
  init?(id: RecordUUID, fields: RecordFields) { (self.id, self.fields) = (id, fields) }
}

/// One of a few that exist: it has a name instead of a drawn id.
private struct Shelf: SyncedRecord, Equatable {
  struct Name: RecordIdentifier {
    var text: String
    init(_ text: String) { self.text = text }
    var bytes: [UInt8] { Array(text.utf8) }
    init?(bytes: [UInt8]) {
      guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
      self.init(text)
    }
  }

  static let kind = RecordKind(rawValue: 1025)
  var id: Name
  var label: String

  var fields: RecordFields {
    var fields = RecordFields()
    fields[text: 2] = label
    return fields
  }

  init(_ name: String, label: String) { (id, self.label) = (Name(name), label) }

  init?(id: Name, fields: RecordFields) {
    (self.id, label) = (id, fields[text: 2] ?? "")
  }
}

@Suite("Records of an app's own kind", .timeLimit(.minutes(20)))
struct SyncedRecordTests {
  private let server = ModelServer(clock: TestClock())

  @Test("of one name are one record, whichever device created it")
  func named() async throws {
    let first = try TestReplica()
    let second = try TestReplica()
    try first.pair(1)
    try second.pair(2)
    try await first.replica.save(Shelf("attic", label: "Attic"))
    try await second.replica.save(Shelf("attic", label: "Loft"))
    for test in [first, second, first] { _ = try await test.sync(server) }
    let shelves = try await first.replica.records(of: Shelf.self)
    #expect(shelves.count == 1)
    #expect(try await second.replica.record(of: Shelf.self, .init("attic")) == shelves.first)
  }

  @Test("are saved, read, listed and deleted")
  func life() async throws {
    let test = try TestReplica()
    var mood = Mood(level: 3, note: "")
    try await test.replica.save(mood)
    #expect(try await test.replica.record(of: Mood.self, mood.id)?.note == "")
    mood.note = nil
    mood.level = 0
    try await test.replica.save(mood)
    let stored = try #require(try await test.replica.record(of: Mood.self, mood.id))
    #expect(stored.note == nil && stored.level == 0, "not set is not empty, and zero is a value")
    #expect(try await test.replica.records(of: Mood.self).map(\.id) == [mood.id])
    #expect(try await test.replica.delete(mood))
    #expect(try await test.replica.records(of: Mood.self).isEmpty)
    #expect(try await !test.replica.delete(mood))
  }

  @Test("are listed with some of their fields alone")
  func partly() throws {
    let test = try TestReplica()
    var fields = RecordFields()
    fields[integer: 2] = 7
    fields[text: 3] = "a walk"
    let whole = LaterMood(id: .random(), fields: fields)
    try test.replica.save(whole)
    let (all, some) = try test.replica.look {
      (try $0.records(of: LaterMood.self), try $0.records(of: LaterMood.self, only: [2, 9]))
    }
    #expect(all.map(\.fields) == [fields])
    #expect(some.map(\.id) == [whole.id])
    #expect(some.first?.fields[integer: 2] == 7 && some.first?.fields[text: 3] == nil)
  }

  @Test("are merged field by field; a lost value is in the journal, and can be restored")
  func merged() async throws {
    let (phone, tablet) = (try TestReplica(1), try TestReplica(2))
    var mood = Mood(level: 3, note: "grey")
    try await phone.replica.save(mood)
    try await phone.sync(server)
    try await tablet.sync(server)
    mood.level = 5
    try await phone.replica.save(mood)
    var other = try #require(try await tablet.replica.record(of: Mood.self, mood.id))
    other.note = "blue"
    try await tablet.replica.save(other)
    for test in [phone, tablet, phone] { try await test.sync(server) }
    for test in [phone, tablet] {
      let both = try #require(try await test.replica.record(of: Mood.self, mood.id))
      #expect(both.level == 5 && both.note == "blue", "each won its own field")
    }
    await #expect(try phone.replica.conflicts().isEmpty)

    mood = try #require(try await phone.replica.record(of: Mood.self, mood.id))
    mood.note = "one"
    try await phone.replica.save(mood)
    other = try #require(try await tablet.replica.record(of: Mood.self, mood.id))
    other.note = "two"
    try await tablet.replica.save(other)
    for test in [phone, tablet, phone] { try await test.sync(server) }
    let entry = try #require(try await phone.replica.conflicts().first)
    let lost = try #require(entry.lostFields[text: 3])
    #expect(Set([lost, entry.keptFields[text: 3]]) == ["one", "two"])
    try await phone.replica.restore(entry)
    #expect(try await phone.replica.record(of: Mood.self, mood.id)?.note == lost)
  }

  @Test("do not write a field that was never set over what another device wrote")
  func unset() async throws {
    let (phone, tablet) = (try TestReplica(1), try TestReplica(2))
    var fields = RecordFields()
    fields[integer: 2] = 4
    let id = RecordUUID.random()
    try await phone.replica.save(LaterMood(id: id, fields: fields))
    for test in [phone, tablet] { try await test.sync(server) }
    var noted = try #require(try await phone.replica.record(of: Mood.self, id))
    noted.note = "grey"
    try await phone.replica.save(noted)
    var other = try #require(try await tablet.replica.record(of: Mood.self, id))
    other.level = 5
    try await tablet.replica.save(other)
    for test in [phone, tablet, phone] { try await test.sync(server) }
    let both = try #require(try await phone.replica.record(of: Mood.self, id))
    #expect(both.note == "grey" && both.level == 5)
    await #expect(try phone.replica.conflicts().isEmpty)
  }

  @Test("an edit writes what it changed, and leaves what another device wrote meanwhile")
  func editedFrom() async throws {
    let (phone, tablet) = (try TestReplica(1), try TestReplica(2))
    let shown = Mood(level: 3, note: "grey")
    try await phone.replica.save(shown)
    for test in [phone, tablet] { try await test.sync(server) }
    var other = try #require(try await tablet.replica.record(of: Mood.self, shown.id))
    other.note = "blue"
    try await tablet.replica.save(other)
    for test in [tablet, phone] { try await test.sync(server) }

    var edited = shown
    edited.level = 5
    try await phone.replica.save(edited, editedFrom: shown)
    try await phone.replica.save(shown, editedFrom: shown)
    let both = try #require(try await phone.replica.record(of: Mood.self, shown.id))
    #expect(both.level == 5 && both.note == "blue")
    await #expect(throws: ReplicaError.self) {
      try await phone.replica.save(Mood(level: 1), editedFrom: shown)
    }
  }

  @Test("nothing is written while looking")
  func look() async throws {
    let test = try TestReplica()
    #expect(
      throws: ReplicaError.invalid("Nothing is written while looking. Write in a transaction.")
    ) {
      try test.replica.look { try $0.save(Mood(level: 1)) }
    }
    #expect(try test.replica.allRecords().isEmpty)
  }

  @Test("keep the fields that this version does not know")
  func later() async throws {
    let test = try TestReplica()
    let id = RecordUUID.random()
    var fields = RecordFields()
    fields[integer: 2] = 4
    fields[bytes: 900] = [1, 2, 3]
    try await test.replica.save(LaterMood(id: id, fields: fields))
    var mood = try #require(try await test.replica.record(of: Mood.self, id))
    mood.level = 5
    try await test.replica.save(mood)
    let stored = try #require(try await test.replica.record(of: LaterMood.self, id))
    #expect(stored.fields[bytes: 900] == [1, 2, 3] && stored.fields[integer: 2] == 5)
  }

  @Test("hold values of 16 KiB, and none that could not be read again")
  func large() async throws {
    let test = try TestReplica(1)
    // Tag and length take three bytes.
    let longest = Mood(level: 1, note: String(repeating: "x", count: 16_384 - 3))
    try await test.replica.save(longest)
    #expect(try await test.replica.record(of: Mood.self, longest.id)?.note == longest.note)
    let longer = Mood(level: 1, note: longest.note.map { $0 + "x" })
    await #expect(throws: ReplicaError.self) { try await test.replica.save(longer) }
    #expect(try await test.replica.records(of: Mood.self).map(\.id) == [longest.id])
    try await test.sync(server)
    #expect(server.records.count == 1)
  }

  /// A record with this many fields of 16,000 bytes; four fit.
  private func sheet(_ fields: ClosedRange<FieldNumber>, last: Int = 16_000) -> LaterMood {
    var sheet = RecordFields()
    for field in fields {
      sheet[bytes: field] = [UInt8](repeating: 7, count: field == fields.upperBound ? last : 16_000)
    }
    return LaterMood(id: .random(), fields: sheet)
  }

  @Test("that fit before pairing fit after it")
  func largeBeforePairing() async throws {
    let test = try TestReplica()  // Its stamps name no replica yet.
    // Each is a byte longer than the one before it.
    var saved = 0
    for last in 1_000...1_700 {
      do { try await test.replica.save(sheet(2...6, last: last)) } catch { break }
      saved += 1
    }
    #expect(saved > 10 && saved < 700, "the last one did not fit")
    try test.replica.adopt(
      PairResponse(
        replica: ReplicaID(rawValue: .max), token: "t", accountName: "home",
        serverTime: WallTime(milliseconds: 1)), server: "localhost:1")
    #expect(try test.replica.allRecords().allSatisfy { $0.isStorable })
    #expect(try test.replica.waitingOffers().allSatisfy { $0.record.isStorable })
  }

  @Test("that are refused for their size leave a held deletion held")
  func largeOverHeldDeletion() async throws {
    let test = try TestReplica(1)
    let moods = (0..<30).map { _ in Mood(level: 1) }
    for mood in moods { try await test.replica.save(mood) }
    try await test.sync(server)
    for mood in moods { try await test.replica.delete(mood) }
    await #expect(throws: SyncError.massDeletion(count: 30, of: 30)) {
      try await test.sync(server)
    }
    let waiting = try test.replica.waitingOffers()
    try test.replica.transaction { transaction in
      var large = moods[0]
      large.note = String(repeating: "x", count: 20_000)
      #expect(throws: ReplicaError.self) { try transaction.save(large) }
    }
    #expect(try test.replica.waitingOffers() == waiting)
  }

  @Test("may hold any text")
  func anyText() async throws {
    let test = try TestReplica()
    let mood = Mood(level: 1, note: "a\0b")
    try await test.replica.save(mood)
    #expect(try await test.replica.record(of: Mood.self, mood.id)?.note == "a\0b")
  }

  @Test("lose a field again that an undone action had added")
  func addedField() throws {
    let test = try TestReplica()
    var fields = RecordFields()
    fields[integer: 2] = 4
    let id = RecordUUID.random()
    try test.replica.transaction { try $0.save(LaterMood(id: id, fields: fields)) }
    fields[text: 9] = "new"
    try test.replica.transaction { transaction in
      try transaction.action(.edit) {
        try transaction.save(LaterMood(id: id, fields: fields))
      }
    }
    #expect(try test.replica.transaction { try $0.undo() }?.isUndone == true)
    let stored = try test.replica.transaction { try $0.record(of: LaterMood.self, id) }
    #expect(stored?.fields[text: 9] == nil && stored?.fields[integer: 2] == 4)
  }

  @Test("may not be of the protocol's kinds")
  func kinds() async throws {
    let test = try TestReplica()
    await #expect(
      throws: ReplicaError.invalid("Kinds below 1024 are the protocol's. Choose a greater number.")
    ) { try await test.replica.save(Impostor()) }
    #expect(try test.replica.allRecords().isEmpty)
  }

  @Test("are undone like any other")
  func undone() throws {
    let test = try TestReplica()
    let mood = Mood(level: 3)
    try test.replica.transaction { try $0.save(mood) }
    try test.replica.transaction { transaction in
      var changed = mood
      changed.level = 9
      try transaction.action(.edit) { try transaction.save(changed) }
    }
    let undone = try test.replica.transaction { try $0.undo() }
    #expect(undone?.isUndone == true && undone?.action == .edit)
    #expect(try test.replica.transaction { try $0.record(of: Mood.self, mood.id) }?.level == 3)
  }
}

@Suite("The fields of a record", .timeLimit(.minutes(20)))
struct RecordFieldsTests {
  @Test("come back as they were set, and as nothing else")
  func values() {
    var fields = RecordFields()
    fields[text: 2] = "ä😀\n"
    fields[integer: 3] = .min
    fields[flag: 4] = false
    fields[number: 5] = -0.5
    fields[bytes: 536_870_911] = []
    #expect(fields[text: 2] == "ä😀\n" && fields[integer: 3] == .min && fields[flag: 4] == false)
    #expect(fields[number: 5] == -0.5 && fields[bytes: 536_870_911] == [])
    #expect(fields[integer: 2] == nil && fields[text: 3] == nil && fields[number: 4] == nil)
    #expect(fields[text: 6] == nil && fields[flag: 6] == nil)
    let other = RecordUUID.random()
    fields[id: 7] = other
    #expect(fields[id: 7] == other && fields[bytes: 7] == other.bytes)
    fields[bytes: 8] = Array(other.bytes.dropLast())
    #expect(fields[id: 8] == nil && fields[id: 2] == nil && fields[id: 9] == nil)
    fields[id: 7] = nil
    #expect(fields[id: 7] == nil && fields[bytes: 7] == nil)
    fields[text: 2] = nil
    #expect(fields[text: 2] == nil)
  }

  @Test("are those of the kind's message in protobuf")
  func encoding() {
    var fields = RecordFields()
    fields[text: 2] = "hi"
    fields[integer: 3] = 300
    fields[flag: 4] = true
    fields[number: 5] = 1
    #expect(fields[register: 2] == [0x12, 2, 0x68, 0x69])
    #expect(fields[register: 3] == [0x18, 0xAC, 0x02])
    #expect(fields[register: 4] == [0x20, 1])
    #expect(fields[register: 5] == [0x29, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F])
  }

  @Test("hold a group as an embedded message, whose fields have numbers from 1 on")
  func groups() {
    var place = RecordFields()
    place[integer: 1] = 300
    place[text: 15] = "here"
    var fields = RecordFields()
    fields[group: 2] = place
    fields[group: 3] = RecordFields()
    #expect(fields[register: 2] == [0x12, 9, 0x08, 0xAC, 0x02, 0x7A, 4, 0x68, 0x65, 0x72, 0x65])
    #expect(fields[group: 2] == place && fields[group: 2]?[integer: 1] == 300)
    #expect(fields[group: 3] == RecordFields() && fields[group: 4] == nil)
    // A later version's field of the group is kept when the group is written again.
    fields[register: 2] = [0x12, 4, 0x08, 1, 0x48, 5]
    var read = fields[group: 2]
    read?[integer: 1] = 2
    fields[group: 2] = read
    #expect(fields[register: 2] == [0x12, 4, 0x08, 2, 0x48, 5])
  }

  @Test("read from a stored record are those of the record, and none of a deleted one")
  func stored() throws {
    try checkLaw(cases: 2_000) { random in
      var record = Record(key: RecordKey(kind: RecordKind(rawValue: 1024), id: [1]))
      for field in [1, 2, 3, 15, 16, 500] as [FieldNumber] where !random.oneIn(3) {
        let value: [UInt8] =
          field == Register.deletedField && random.oneIn(2)
          ? Register.deletedValue
          : (0..<Int.random(in: 0...9, using: &random)).map { _ in
            .random(in: 0...255, using: &random)
          }
        let stamp = Stamp(
          time: HybridTime(rawValue: .random(in: 1 ... .max, using: &random)),
          replica: ReplicaID(rawValue: .random(in: 1 ... .max, using: &random)))
        record.set(Register(field: field, stamp: stamp, value: value))
      }
      let read = try RecordFields.live(inEncoded: record.encoded)
      return read == (record.isDeleted ? nil : RecordFields(record))
    }
  }

  @Test("that were read are edited by themselves, whatever they share with others")
  func shared() throws {
    var place = RecordFields()
    place[text: 1] = "there"
    place[integer: 3] = 7
    var fields = RecordFields()
    fields[text: 2] = "before"
    fields[group: 3] = place
    var record = Record(key: RecordKey(kind: RecordKind(rawValue: 1024), id: [1]))
    for (field, value) in fields.values.map({ ($0.field, Array($0.bytes)) }) {
      let stamp = Stamp(time: HybridTime(rawValue: 1), replica: ReplicaID(rawValue: 1))
      record.set(Register(field: field, stamp: stamp, value: value))
    }
    let read = try #require(try RecordFields.live(inEncoded: record.encoded))
    var edited = read
    var group = try #require(read[group: 3])
    group[text: 1] = "somewhere else"
    group[integer: 3] = nil
    edited[group: 3] = group
    edited[text: 2] = "after"
    #expect(read == fields && read[group: 3] == place && read.hashValue == fields.hashValue)
    #expect(edited[text: 2] == "after" && edited[group: 3]?[text: 1] == "somewhere else")
    #expect(edited[group: 3]?[integer: 3] == nil && edited != read)
  }

  @Test("of a group are kept as another program wrote them")
  func groupAsSent() {
    var fields = RecordFields()
    // The tag of field 1 in two bytes where one is enough.
    fields[register: 2] = [0x12, 5, 0x88, 0, 1, 0x10, 3]
    var group = fields[group: 2]
    #expect(group?[integer: 1] == 1 && group?[integer: 2] == 3)
    group?[integer: 2] = 4
    fields[group: 2] = group
    #expect(fields[register: 2] == [0x12, 5, 0x88, 0, 1, 0x10, 4])
    // Of a field that is there twice the last one counts.
    fields[register: 2] = [0x12, 4, 0x08, 1, 0x08, 2]
    #expect(fields[group: 2]?[integer: 1] == 2)
  }

  @Test("of any bytes trap nothing")
  func hostile() {
    checkLaw(cases: 5_000) { random in
      var fields = RecordFields()
      fields[register: 2] = (0..<Int.random(in: 0...12, using: &random)).map { _ in
        [0x10, 0x12, 0x11, 0x15, 0, 0xFF, 2, 3].randomElement(using: &random) ?? 0
      }
      _ = (fields[text: 2], fields[integer: 2], fields[flag: 2], fields[number: 2])
      _ = try? RecordFields.live(inEncoded: fields[register: 2] ?? [])
      _ = fields[group: 2].map { ($0[text: 2], $0[group: 2], $0[integer: 0]) }
      return fields[bytes: 2].map { $0.count <= 12 } ?? true
    }
  }
}
