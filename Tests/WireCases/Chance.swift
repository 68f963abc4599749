// SPDX-License-Identifier: Apache-2.0
// Random parts of messages, with a liking for the edges of what a field can hold.

import AtrestReplication
import AtrestTestSupport

extension SeededRandom {
  /// Zero, small, at the edge of a varint's length, or any number.
  mutating func number() -> UInt64 {
    switch Int.random(in: 0..<5, using: &self) {
    case 0: 0
    case 1: .random(in: 1...300, using: &self)
    case 2: (1 as UInt64) << UInt64.random(in: 0...63, using: &self)
    case 3: ((1 as UInt64) << UInt64.random(in: 1...63, using: &self)) &- 1
    default: next()
    }
  }

  mutating func small() -> UInt32 { UInt32(truncatingIfNeeded: number()) }

  mutating func time() -> WallTime { WallTime(milliseconds: Int64(bitPattern: number())) }

  mutating func flag() -> Bool { oneIn(2) }

  mutating func replica() -> ReplicaID { ReplicaID(rawValue: number()) }

  mutating func bytes(_ count: ClosedRange<Int>) -> [UInt8] {
    (0..<Int.random(in: count, using: &self)).map { _ in .random(in: 0...255, using: &self) }
  }

  /// Text of at most `limit` bytes without a NUL: of one to four bytes a character.
  mutating func text(_ limit: Int = 20) -> String {
    let characters = ["a", "Z", "7", " ", "é", "水", "🌲", "\u{7f}", "\u{1}"]
    var text = ""
    for _ in 0..<Int.random(in: 0...limit / 4, using: &self) {
      text += characters[Int.random(in: 0..<characters.count, using: &self)]
    }
    return text
  }

  /// At most `most` values.
  mutating func list<Value>(
    _ most: Int, _ value: (inout SeededRandom) -> Value
  ) -> [Value] {
    (0..<Int.random(in: 0...most, using: &self)).map { _ in value(&self) }
  }

  mutating func maybe<Value>(_ value: (inout SeededRandom) -> Value) -> Value? {
    oneIn(3) ? nil : value(&self)
  }

  mutating func stamp() -> Stamp {
    Stamp(time: HybridTime(rawValue: number() & HybridTime.latest.rawValue), replica: replica())
  }

  mutating func register(_ field: FieldNumber) -> Register {
    let mayHold = [Register.deletedField, Register.pruneFloorField].contains(field)
    let held = mayHold ? list(oneIn(9) ? Register.heldLimit : 3) { $0.stamp() } : []
    return Register(
      field: field, stamp: stamp(), replaced: maybe { $0.stamp() },
      value: oneIn(4) ? [] : bytes(1...150), held: Set(held).sorted())
  }

  mutating func record() -> Record {
    let kinds: [UInt32] = [1, 2, 3, 4, 5, 1024, .max, 1 << 31]
    let kind = kinds[Int.random(in: 0..<kinds.count, using: &self)]
    var record = Record(
      key: RecordKey(kind: RecordKind(rawValue: kind), id: bytes(1...(oneIn(9) ? 96 : 16))))
    for _ in 0...Int.random(in: 0...(oneIn(20) ? 63 : 4), using: &self) {
      let field = oneIn(2) ? UInt32.random(in: 1...20, using: &self) : 1 + small() % 536_870_911
      // A prune floor would have to be the oldest register.
      if field != Register.pruneFloorField { record.set(register(field)) }
    }
    if record.registers.isEmpty { record.set(register(1)) }
    return record
  }
}
