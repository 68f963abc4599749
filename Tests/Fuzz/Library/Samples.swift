// SPDX-License-Identifier: Apache-2.0
// Real values to start with: what devices and servers send each other.

import AtrestDomain
import AtrestReplication
import AtrestWire
import Foundation

/// Deterministic, so that regenerated seeds are equal.
enum Samples {
  static let now = WallTime(milliseconds: 1_781_000_000_000)
  static let date = WallTime(milliseconds: 1_780_990_000_000)
  static let id: [UInt8] = (0x10...0x1F).map { $0 }

  static func stamp(_ counter: UInt64 = 0, replica: UInt64 = 7) -> Stamp {
    Stamp(
      time: HybridTime(rawValue: UInt64(now.milliseconds) << 16 | counter),
      replica: ReplicaID(rawValue: replica))
  }

  static var records: [(name: String, record: Record)] {
    let span = Session.Span(start: date, end: date.advanced(by: 3_600_000), outcome: .completed)
    let intake = WaterEntry.Intake(at: date, millilitres: 250)
    let session = record(
      .session,
      [
        SessionField.span: span.map { SessionField.encode($0) } ?? [],
        SessionField.target: SessionField.encode(targetMinutes: 960),
      ])
    let water = record(
      .water, [WaterField.intake: intake.map { WaterField.encode($0) } ?? []])
    var deleted = water
    deleted.set(
      Register(
        field: Register.deletedField, stamp: stamp(9), replaced: stamp(),
        value: Register.deletedValue, held: water.held))
    var lists = [
      ("session", session), ("water", water), ("deleted", deleted),
      ("pruned", deleted.pruned()),
      (
        "preference",
        record(.preference, [2: PreferenceField.encode("dark")], id: Array("theme".utf8))
      ),
      ("unknown", record(RecordKind(rawValue: 77), [2: [0x10, 1], 9: [0x4A, 2, 1, 2]])),
    ]
    if let fact = EntitlementField.record(jws: jws) { lists.append(("fact", fact)) }
    let outcome = Offer(record: rewritten(water), written: [1, 2]).merged(into: water, at: now)
    if let conflict = outcome.conflicts.first {
      lists.append(("conflict", conflict.journalRecord))
    }
    return lists.map { (name: $0.0, record: $0.1) }
  }

  /// A statement with an invalid signature. It suffices where only the order of facts matters.
  static var jws: [UInt8] {
    let payload = #"{"transactionId":"2000000001","signedDate":1781000000000}"#
    let parts = [#"{"alg":"ES256"}"#, payload, "signature"]
    return Array(parts.map { base64URL(Array($0.utf8)) }.joined(separator: ".").utf8)
  }

  /// Twenty letters, compressed with gzip.
  static let gzip: [UInt8] = [
    0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x4B, 0x4C, 0x84, 0x81, 0x24, 0x38,
    0x00, 0x00, 0xC6, 0x0A, 0x51, 0x28, 0x14, 0x00, 0x00, 0x00,
  ]

  /// The same with deflate.
  static let deflate: [UInt8] = [
    0x78, 0x9C, 0x4B, 0x4C, 0x84, 0x81, 0x24, 0x38, 0x00, 0x00, 0x4F, 0xDD, 0x07, 0x9F,
  ]

  static func base64URL(_ bytes: [UInt8]) -> String {
    String(
      Data(bytes).base64EncodedString().compactMap { letter -> Character? in
        switch letter {
        case "+": "-"
        case "/": "_"
        case "=": nil
        default: letter
        }
      })
  }

  static func record(
    _ kind: RecordKind, _ values: [FieldNumber: [UInt8]], id: [UInt8] = id
  ) -> Record {
    var record = Record(key: RecordKey(kind: kind, id: id))
    record.set(Register(field: Register.deletedField, stamp: stamp(), value: []))
    for (field, value) in values {
      record.set(Register(field: field, stamp: stamp(), value: value))
    }
    return record
  }

  /// The same record as another device wrote it concurrently.
  static func rewritten(_ record: Record) -> Record {
    var copy = record
    for register in record.registers {
      copy.set(
        Register(
          field: register.field, stamp: stamp(UInt64(register.field % 3), replica: 9),
          value: register.value.isEmpty ? [] : Array(register.value.dropLast()) + [3]))
    }
    return copy
  }
}
