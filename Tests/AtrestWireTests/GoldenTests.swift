// SPDX-License-Identifier: Apache-2.0
// Golden encodings of messages: replicas compare the bytes, and every implementation must match.

import AtrestDomain
import AtrestReplication
import AtrestWire
import AtrestWireCases
import Testing

@Suite("The bytes of messages", .timeLimit(.minutes(20)))
struct GoldenTests {
  @Test("are what they were", arguments: GoldenCase.all)
  func bytes(of golden: GoldenCase) {
    #expect(hex(golden.encoded()) == golden.hex)
    #expect(golden.decodes(golden.encoded()))
  }

  private let stamp = Stamp(
    time: HybridTime(rawValue: 0x0190_0000_0000_0001), replica: ReplicaID(rawValue: 0xA1))

  @Test("of a fast are those of its times and its target")
  func session() throws {
    let id = try #require(RecordUUID(bytes: Array(0..<16)))
    let span = try #require(
      Session.Span(
        start: WallTime(milliseconds: 1_700_000_000_000),
        end: WallTime(milliseconds: 1_700_057_600_000),
        outcome: .completed))
    var record = Record(key: RecordKey(kind: .session, id: id.bytes))
    record.set(Register(field: SessionField.span, stamp: stamp, value: SessionField.encode(span)))
    record.set(
      Register(
        field: SessionField.target, stamp: stamp, value: SessionField.encode(targetMinutes: 960)))
    #expect(hex(SessionField.encode(span)) == "12100880d095ffbc311080a0d19abd311801")
    #expect(try Session(record) == Session(id: id, span: span, targetMinutes: 960))
  }

  @Test("of a glass of water are those of its time and its amount")
  func water() throws {
    let intake = try #require(
      WaterEntry.Intake(at: WallTime(milliseconds: 1_700_000_000_000), millilitres: 250))
    #expect(hex(WaterField.encode(intake)) == "120a0880d095ffbc3110fa01")
  }

  @Test("of a journal entry make a record that is named after the losing write")
  func conflict() throws {
    let conflict = Conflict(
      key: RecordKey(kind: .water, id: [1]), field: 2,
      lost: Register(field: 2, stamp: stamp, value: [0x12, 0x00]),
      kept: Register(
        field: 2, stamp: Stamp(time: HybridTime(rawValue: 7), replica: ReplicaID(rawValue: 3)),
        value: [0x12, 0x02, 0x08, 0x01]),
      noticed: WallTime(milliseconds: 12345))
    let record = conflict.journalRecord
    #expect(hex(record.key.id) == "010000000200000002019000000000000100000000000000a1")
    #expect(try Conflict(Record(decoding: record.encoded)) == conflict)
    #expect(throws: Never.self) { try record.checkKindRules() }
  }
}
