// SPDX-License-Identifier: Apache-2.0
// Random registers and records from small domains, so that equal stamps and values are common.

import AtrestReplication
import AtrestTestSupport

extension Stamp {
  init(_ time: UInt64, _ replica: UInt64) {
    self.init(time: HybridTime(rawValue: time), replica: ReplicaID(rawValue: replica))
  }

  static func random(_ random: inout SeededRandom) -> Stamp {
    Stamp(.random(in: 1...4, using: &random), .random(in: 1...3, using: &random))
  }
}

extension Register {
  static func random(_ field: FieldNumber, _ random: inout SeededRandom) -> Register {
    let length = Int.random(in: 0...2, using: &random)
    let mayHold = [Register.deletedField, Register.pruneFloorField].contains(field)
    return Register(
      field: field, stamp: .random(&random), replaced: random.oneIn(2) ? nil : .random(&random),
      value: (0..<length).map { _ in .random(in: 0...2, using: &random) },
      held: mayHold && random.oneIn(2) ? [.random(&random)] : [])
  }
}

extension RecordKey {
  static let some = RecordKey(kind: .session, id: [1])
}

extension Record {
  /// Any fields, including unknown ones. Sometimes a pruned record.
  static func random(_ random: inout SeededRandom, key: RecordKey = .some) -> Record {
    var record = Record(key: key)
    for field: FieldNumber in [1, 2, 3, 4000] where !random.oneIn(4) {
      record.set(.random(field, &random))
    }
    guard random.oneIn(3) else { return record }
    let floor = Register.random(Register.pruneFloorField, &random)
    let registers = record.registers.filter { !($0.stamp < floor.stamp) } + [floor]
    return Record(key: key, registers: registers.sorted { $0.field < $1.field }) ?? record
  }

  func merged(with other: Record) -> Record {
    var copy = self
    copy.merge(other)
    return copy
  }
}
