// SPDX-License-Identifier: Apache-2.0
// Test support for files: example files, random records, and the Python implementation.

import AtrestDomain
import AtrestFoundation
import AtrestPortability
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Foundation
import Testing

/// Later than every time in the examples.
let later = WallTime(seconds: 1_763_735_400)

/// Example files for people, and those that the Python implementation wrote.
enum Example: String, CaseIterable {
  case export = "atrest-export.json"
  case state = "session-state.json"
  case water = "water-log.json"

  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  func bytes() throws -> [UInt8] {
    Array(try Data(contentsOf: Self.root.appendingPathComponent("Examples/Import/\(rawValue)")))
  }

  func text() throws -> String { String(decoding: try bytes(), as: UTF8.self) }
}

/// The independent implementation in Python.
enum Python {
  static func run(_ arguments: String...) throws -> EndedProgram {
    let script = Example.root.appendingPathComponent(
      "Tests/AtrestPortabilityTests/Python/ios_files.py")
    return try EndedProgram("python3", [script.path] + arguments)
  }
}

/// The `PortabilityError` that a closure throws, or nil.
func problem(_ body: () throws -> Void) -> PortabilityError? {
  do { try body() } catch let error as PortabilityError { return error } catch {}
  return nil
}

extension SeededRandom {
  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  mutating func bytes(_ counts: ClosedRange<Int>) -> [UInt8] {
    (0..<number(counts)).map { _ in UInt8.random(in: 0...255, using: &self) }
  }

  mutating func uuid() -> RecordUUID { RecordUUID(bytes: bytes(16...16)) ?? .random() }

  mutating func stamp() -> Stamp {
    Stamp(
      time: HybridTime(rawValue: UInt64(number(1...1_700_000_000_000)) << 16),
      replica: ReplicaID(rawValue: UInt64(number(1...9))))
  }

  /// An unknown field as a later version would encode it: length-delimited.
  mutating func unknownField() -> (FieldNumber, [UInt8]) {
    let field = FieldNumber(number(16...100))
    let payload = bytes(0...40)
    let tag = UInt64(field) << 3 | 2
    return (field, [UInt8(tag & 0x7F | 0x80), UInt8(tag >> 7), UInt8(payload.count)] + payload)
  }

  mutating func text() -> String {
    let letters = Array("ab/\\\"é\u{1F333}\n\t\u{2028} 0{}[],:")
    return String((0..<number(0...20)).map { _ in letters[number(0...(letters.count - 1))] })
  }

  /// A record of any kind as a replica holds it, sometimes deleted.
  mutating func record() -> Record {
    let start = WallTime(milliseconds: Int64(number(1...1_700_000_000_000)))
    var values: [FieldNumber: [UInt8]] = [:]
    let key: RecordKey
    switch number(0...4) {
    case 0, 1:
      let outcome = Session.Outcome.allCases[number(0...2)]
      let end =
        outcome == .active
        ? nil : WallTime(milliseconds: start.milliseconds + Int64(number(0...200_000_000)))
      key = RecordKey(kind: .session, id: uuid().bytes)
      if let span = Session.Span(start: start, end: end, outcome: outcome) {
        values[SessionField.span] = SessionField.encode(span)
      }
      values[SessionField.target] = SessionField.encode(
        targetMinutes: number(Session.targetRange))
    case 2:
      key = RecordKey(kind: .water, id: uuid().bytes)
      if let intake = WaterEntry.Intake(at: start, millilitres: number(1...20_000)) {
        values[WaterField.intake] = WaterField.encode(intake)
      }
    case 3:
      key = RecordKey(kind: .preference, id: Array("key \(number(0...1_000_000)) é".utf8))
      values[PreferenceField.value] = PreferenceField.encode(text())
    default:
      key = RecordKey(kind: RecordKind(rawValue: UInt32(number(6...500))), id: bytes(1...96))
      values[FieldNumber(number(2...14))] = bytes(0...60)
    }
    if oneIn(3) {
      let (field, value) = unknownField()
      values[field] = value
    }
    values[Register.deletedField] = oneIn(6) ? Register.deletedValue : []
    var record = Record(key: key)
    for (field, value) in values {
      record.set(Register(field: field, stamp: stamp(), value: value))
    }
    return record
  }

  /// Records of any kind that are only structurally valid, as a newer or faulty server may send
  /// them.
  mutating func shapedRecords(_ counts: ClosedRange<Int>) -> [Record] {
    var byKey: [RecordKey: Record] = [:]
    for _ in 0..<number(counts) {
      let rawKind = oneIn(8) ? number(2_000_000_000...4_294_967_295) : number(1...9)
      let kind = RecordKind(rawValue: UInt32(rawKind))
      var record = Record(key: RecordKey(kind: kind, id: bytes(1...96)))
      let most = oneIn(4) ? 64 : 4
      for _ in 0..<number(1...most) {
        let field = FieldNumber(oneIn(2) ? number(1...4) : number(1...536_870_911))
        guard field != Register.pruneFloorField else { continue }
        let longest = oneIn(20) ? 16_384 : 30
        let value = bytes(0...longest)
        record.set(Register(field: field, stamp: stamp(), value: value))
      }
      if !record.registers.isEmpty, (try? Record(decoding: record.encoded)) == record,
        record.encoded.count <= Record.Limits.encodedBytes
      {
        byKey[record.key] = record
      }
    }
    return byKey.values.sorted { $0.key < $1.key }
  }

  /// Records with different keys.
  mutating func records(_ counts: ClosedRange<Int>) -> [Record] {
    var byKey: [RecordKey: Record] = [:]
    for _ in 0..<number(counts) {
      let record = record()
      byKey[record.key] = record
    }
    return byKey.values.sorted { $0.key < $1.key }
  }
}
