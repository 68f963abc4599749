// SPDX-License-Identifier: Apache-2.0
// Which fields a pruned record may lack, and which it must not have.

import AtrestDomain
import AtrestFoundation
import AtrestReplication
import AtrestWire
import Foundation
import Testing

@Suite("A deleted record that was pruned", .timeLimit(.minutes(20)))
struct KindRulesTests {
  private func stamp(_ time: UInt64) -> Stamp {
    Stamp(time: HybridTime(rawValue: time), replica: ReplicaID(rawValue: 1))
  }

  /// Deleted at 5 and pruned; restored and edited at 6; deleted again at 7.
  private func record(_ kind: RecordKind, edited: FieldNumber, _ value: [UInt8]) throws -> Record {
    let record = Record(
      key: RecordKey(kind: kind, id: RecordUUID.random().bytes),
      registers: [
        Register(field: Register.deletedField, stamp: stamp(7), value: Register.deletedValue),
        Register(field: edited, stamp: stamp(6), value: value),
        Register(
          field: Register.pruneFloorField, stamp: stamp(5), value: Register.pruneFloorValue),
      ].sorted { $0.field < $1.field })
    return try #require(record)
  }

  /// Found by the simulator: a restored server refused the record permanently.
  @Test("may keep what was edited since, and lack the rest")
  func partOfIt() throws {
    let span = try #require(
      Session.Span(start: WallTime(milliseconds: 1000), end: nil, outcome: .active))
    try record(.session, edited: SessionField.span, SessionField.encode(span)).checkKindRules()
    try record(.session, edited: SessionField.target, SessionField.encode(targetMinutes: 960))
      .checkKindRules()
  }

  @Test("keeps to the rules in what it holds")
  func checked() throws {
    let target = SessionField.encode(targetMinutes: 100_000)
    #expect(throws: WireError.self) {
      try record(.session, edited: SessionField.target, target).checkKindRules()
    }
    let water = try #require(
      WaterEntry.Intake(at: WallTime(milliseconds: 1000), millilitres: 250)
        .map { WaterField.encode($0) })
    try record(.water, edited: WaterField.intake, water).checkKindRules()
    #expect(throws: WireError.self) {
      try record(.water, edited: WaterField.intake, Array(water.dropLast(2))).checkKindRules()
    }
  }

  @Test("is allowed to lack nothing while it is not deleted")
  func live() throws {
    var record = try record(
      .session, edited: SessionField.target, SessionField.encode(targetMinutes: 960))
    record.set(Register(field: Register.deletedField, stamp: stamp(8), value: []))
    #expect(throws: WireError.self) { try record.checkKindRules() }
  }
}
