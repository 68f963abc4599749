// SPDX-License-Identifier: Apache-2.0
// The rules of docs/protocol/merge.md as a table, and the laws of merging.

import AtrestReplication

extension PortableCase {
  /// What survives of two copies of a record, and what the journal keeps of the second one.
  static func merges() -> [PortableCase] {
    let old = register(2, 5, 1, value: 7)
    let deletion = register(1, 9, 3, over: (5, 1), bytes: Register.deletedValue)
    let floor = register(15, 9, 3, over: (5, 1), bytes: Register.pruneFloorValue)
    let alive = register(1, 5, 1)
    let table: [(String, [Register], [Register], String)] = [
      ("the later clock", [old], [register(2, 6, 0, value: 1)], "2@6.0=01 | 2@5.1"),
      ("then the greater replica", [old], [register(2, 5, 2, value: 1)], "2@5.2=01 | 2@5.1"),
      ("then the greater value", [old], [register(2, 5, 1, value: 8)], "2@5.1=08 | 2@5.1"),
      (
        "a prefix is smaller", [old], [register(2, 5, 1, bytes: [7, 0])],
        "2@5.1=0700 | 2@5.1"
      ),
      (
        "replacing something is greater than nothing", [old],
        [register(2, 5, 1, over: (1, 1), value: 7)], "2@5.1=07 |"
      ),
      (
        "a write knows what it replaced", [old],
        [register(2, 8, 2, over: (5, 1), value: 1)], "2@8.2=01 |"
      ),
      (
        "and not what came between", [register(2, 7, 1, over: (5, 1), value: 7)],
        [register(2, 8, 2, over: (5, 1), value: 1)], "2@8.2=01 | 2@7.1"
      ),
      ("equal values do not conflict", [old], [register(2, 8, 2, value: 7)], "2@8.2=07 |"),
      (
        "a deletion beats an action that it did not know",
        [register(1, 6, 1, over: (5, 1)), register(2, 6, 1, value: 4)],
        [deletion, old], "1@9.3=0801 2@6.1=04 | 2@5.1 1@6.1"
      ),
      (
        "a later action brings the record back", [deletion, old],
        [register(1, 12, 1, over: (9, 3)), old], "1@12.1= 2@5.1=07 |"
      ),
      (
        "a pruned copy survives whole", [alive, old], [deletion, floor], "1@9.3=0801 15@9.3=7801 |"
      ),
      (
        "a later action that did not know of it is gone", [deletion, floor],
        [register(1, 12, 1, over: (9, 3)), old], "1@9.3=0801 15@9.3=7801 | 1@12.1"
      ),
      (
        "one above the floor brings the record back", [deletion, floor],
        [register(1, 12, 1, over: (9, 3)), register(2, 12, 1, value: 4), floor],
        "1@12.1= 2@12.1=04 15@9.3=7801 |"
      ),
      (
        "unknown fields merge like others", [register(4000, 3, 1, value: 1)],
        [register(4001, 3, 1, value: 2)], "4000@3.1=01 4001@3.1=02 |"
      ),
    ]
    return table.map { name, stored, offered, expected in
      let offer = Offer(record: record(offered), written: offered.map { $0.field })
      let outcome = offer.merged(into: record(stored), at: .epoch)
      let conflicts = outcome.conflicts.map { " \($0.field)@\(text($0.lost.stamp))" }
      return PortableCase(
        "merge: " + name, text(outcome.record) + " |" + conflicts.joined(), expected)
    }
  }

  /// Commutativity, associativity and idempotence for random records, and a hash of all results.
  static func laws() -> [PortableCase] {
    var random = CaseRandom(seed: 1)
    var hash = FNV1a()
    var violations = 0
    for _ in 0..<2000 {
      let (a, b, c) = (randomRecord(&random), randomRecord(&random), randomRecord(&random))
      let ab = merged(a, b)
      if ab != merged(b, a) { violations += 1 }
      if merged(ab, c) != merged(a, merged(b, c)) { violations += 1 }
      if merged(ab, b) != ab { violations += 1 }
      for register in ab.registers { hash.add(bigEndian: register.fingerprint) }
    }
    return [
      PortableCase("the laws of merging", "\(violations) violations", "0 violations"),
      PortableCase(
        "what two thousand merges result in", Hexadecimal.encoded(hash.value), "d434b8b8b4666c74"),
    ]
  }

  private static func randomRecord(_ random: inout CaseRandom) -> Record {
    var registers: [Register] = []
    for field: FieldNumber in [1, 2, 3, 4000] where random.below(4) > 0 {
      registers.append(randomRegister(field, &random))
    }
    guard random.below(3) == 0 else { return record(registers) }
    let floor = randomRegister(Register.pruneFloorField, &random)
    return record(registers.filter { !($0.stamp < floor.stamp) } + [floor])
  }

  private static func randomRegister(
    _ field: FieldNumber, _ random: inout CaseRandom
  ) -> Register {
    let isFirst = random.below(2) == 0
    return register(
      field, 1 + random.below(4), 1 + random.below(3),
      over: isFirst ? nil : (1 + random.below(4), 1 + random.below(3)),
      bytes: (0..<random.below(3)).map { _ in UInt8(random.below(3)) })
  }

  private static func merged(_ a: Record, _ b: Record) -> Record {
    var copy = a
    copy.merge(b)
    return copy
  }

  private static func record(_ registers: [Register]) -> Record {
    var record = Record(key: RecordKey(kind: .session, id: [1]))
    for register in registers { record.set(register) }
    return record
  }

  private static func register(
    _ field: FieldNumber, _ clock: UInt64, _ replica: UInt64, over: (UInt64, UInt64)? = nil,
    value: UInt8
  ) -> Register {
    register(field, clock, replica, over: over, bytes: [value])
  }

  private static func register(
    _ field: FieldNumber, _ clock: UInt64, _ replica: UInt64, over: (UInt64, UInt64)? = nil,
    bytes: [UInt8] = []
  ) -> Register {
    Register(
      field: field, stamp: stamp(clock, replica), replaced: over.map { stamp($0.0, $0.1) },
      value: bytes)
  }

  private static func stamp(_ clock: UInt64, _ replica: UInt64) -> Stamp {
    Stamp(time: HybridTime(rawValue: clock), replica: ReplicaID(rawValue: replica))
  }

  private static func text(_ stamp: Stamp) -> String {
    "\(stamp.time.rawValue).\(stamp.replica.rawValue)"
  }

  private static func text(_ record: Record) -> String {
    record.registers.map { "\($0.field)@\(text($0.stamp))=\(Hexadecimal.encoded($0.value))" }
      .joined(separator: " ")
  }
}
