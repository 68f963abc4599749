// SPDX-License-Identifier: Apache-2.0
// Golden encodings of records: replicas compare the bytes, and every implementation must match.

import AtrestDomain
import AtrestProtocol
import AtrestReplication
import Foundation
import Testing

func hex(_ bytes: [UInt8]) -> String {
  bytes.map { String(format: "%02x", $0) }.joined()
}

@Suite("The bytes of records", .timeLimit(.minutes(20)))
struct GoldenTests {
  private let stamp = Stamp(
    time: HybridTime(rawValue: 0x0190_0000_0000_0001), replica: ReplicaID(rawValue: 0xA1))
  private let id: [UInt8] = Array(0..<16)

  @Test("a fast")
  func session() throws {
    let span = try #require(
      Session.Span(
        start: WallTime(milliseconds: 1_700_000_000_000),
        end: WallTime(milliseconds: 1_700_057_600_000),
        outcome: .completed))
    var record = Record(key: RecordKey(kind: .session, id: id))
    record.set(Register(field: Register.deletedField, stamp: stamp, value: []))
    record.set(
      Register(field: SessionField.span, stamp: stamp, value: SessionField.encode(span)))
    record.set(
      Register(
        field: SessionField.target, stamp: stamp,
        replaced: Stamp(time: HybridTime(rawValue: 5), replica: ReplicaID(rawValue: 2)),
        value: SessionField.encode(targetMinutes: 960)))
    #expect(
      hex(record.encoded)
        == """
        08011210000102030405060708090a0b0c0d0e0f\
        1a160801121209010000000000900111a100000000000000\
        1a2a0802121209010000000000900111a1000000000000002212121008\
        80d095ffbc311080a0d19abd311801\
        1a2f0803121209010000000000900111a1000000000000001a1209050000000000000011\
        020000000000000022\
        0318c007
        """)
    #expect(try Record(decoding: record.encoded) == record)
    let uuid = try #require(RecordUUID(bytes: id))
    #expect(try Session(record) == Session(id: uuid, span: span, targetMinutes: 960))
  }

  @Test("a glass of water")
  func water() throws {
    let intake = try #require(
      WaterEntry.Intake(at: WallTime(milliseconds: 1_700_000_000_000), millilitres: 250))
    #expect(hex(WaterField.encode(intake)) == "120a0880d095ffbc3110fa01")
  }

  @Test("a journal entry")
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
