// SPDX-License-Identifier: Apache-2.0
// What holds for a record of any kind. Both codecs check it, before they copy what is out of
// bounds.

import AtrestReplication

extension Stamp {
  /// Creates a stamp from its fields.
  ///
  /// - Throws: `WireError` if the clock shows more than clocks can count.
  package init(clock: UInt64, replica: UInt64) throws(WireError) {
    let time = HybridTime(rawValue: clock)
    guard time <= .latest else { throw .invalid("a stamp lies beyond the year 6429") }
    self.init(time: time, replica: ReplicaID(rawValue: replica))
  }
}

extension Register {
  /// Checks a register's field number and the sizes of its parts.
  ///
  /// - Parameter kind: The record's kind; nil for a register in a journal entry.
  package static func checkBounds(
    field: FieldNumber, valueBytes: Int, heldStamps: Int, of kind: RecordKind?
  ) throws(WireError) {
    guard field >= 1, field <= UInt32(Limit.fieldNumber) else {
      throw .invalid("a register has no field number")
    }
    guard valueBytes <= Record.Limits.valueBytes(of: field, in: kind), heldStamps <= heldLimit
    else { throw .tooLong }
  }

  /// Checks the order of what a deletion says that its writer held.
  package func checkHeld() throws(WireError) {
    guard held.isEmpty || isOfEveryKind, zip(held, held.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw .invalid("a register holds stamps out of order, or is no deletion")
    }
  }

  /// The error for a register without a stamp.
  package static let unstamped = WireError.invalid("a register has no stamp")
}

extension Record {
  /// Checks the sizes of a record's parts.
  package static func checkBounds(
    kind: RecordKind, idBytes: Int, registers: Int
  ) throws(WireError) {
    guard kind.rawValue > 0 else { throw .invalid("a record has no kind") }
    let limit = kind == .conflict ? Limit.conflictIDBytes : Limit.idBytes
    guard idBytes >= 1 else { throw .invalid("a record has no id") }
    guard registers >= 1 else { throw .invalid("a record has no registers") }
    guard idBytes <= limit, registers <= Limit.registers else { throw .tooLong }
  }

  /// Whether a record may have these values, the one that says whether it is deleted included, and
  /// stays within the limits whatever stamps they get: before pairing they are shorter.
  package static func mayHave(_ values: [(field: FieldNumber, value: [UInt8])], of key: RecordKey)
    -> Bool
  {
    let stamp = Stamp(time: .latest, replica: ReplicaID(rawValue: .max))
    var record = Record(key: key)
    for (field, value) in values + [(Register.deletedField, Register.deletedValue)] {
      record.set(Register(field: field, stamp: stamp, replaced: stamp, value: value))
    }
    return record.isStorable
  }

  /// Whether the record is within the limits, so that what is stored can be read again.
  package var isStorable: Bool { isStorable(inBytes: encoded.count) }

  /// The same for a record that was encoded already.
  package func isStorable(inBytes count: Int) -> Bool {
    registers.count <= Record.Limits.registers
      && count <= Record.Limits.encodedBytes(of: key.kind)
      && registers.allSatisfy {
        $0.value.count <= Record.Limits.valueBytes(of: $0.field, in: key.kind)
      }
  }

  /// Creates a record from its parts, whose bounds were checked.
  ///
  /// - Throws: `WireError` if the registers do not ascend, or are older than their prune floor.
  package init(checked key: RecordKey, _ registers: [Register]) throws(WireError) {
    guard let record = Record(key: key, registers: registers) else {
      throw .invalid("a record's registers are not in order, or older than what it forgot")
    }
    self = record
  }
}

extension Offer {
  /// The error for an offer without a record.
  package static let empty = WireError.invalid("an offer has no record")

  /// Checks the number of fields that an offer names.
  package static func checkBounds(written: Int) throws(WireError) {
    guard written <= Limit.registers else { throw .tooLong }
  }
}
