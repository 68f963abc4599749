// SPDX-License-Identifier: Apache-2.0
// The export of a record: complete, decoded where this version can, and as raw bytes.

import AtrestClient
import AtrestReplication
import AtrestWire
import Foundation

/// A record with all of its fields.
struct ExportedRecord: Encodable, Equatable {
  struct Field: Encodable, Equatable {
    var field: Int
    var name: String
    var stamp: RecordDump.StampDump
    var replaced: RecordDump.StampDump?
    /// Absent if this version cannot decode it.
    var value: ConflictRow.Value?
    /// The stored value in Base64: a field of the kind's message in `records.proto`.
    var bytes: String

    init(_ register: Register, _ kind: RecordKind) {
      field = Int(register.field)
      name = RecordWords.name(of: register.field, in: kind)
      stamp = RecordDump.StampDump(register.stamp)
      replaced = register.replaced.map(RecordDump.StampDump.init)
      let value = FieldValue(register, of: kind)
      self.value = value == .unknown ? nil : ConflictRow.Value(value)
      bytes = Data(register.value).base64EncodedString()
    }
  }

  var kind: String
  var kindNumber: Int
  var id: String
  var deleted: Bool
  var fields: [Field]
  /// The decoded journal entry, for a record of that kind.
  var conflict: ConflictRow?

  init(_ record: Record, _ devices: DeviceNames) {
    kind = RecordWords.name(of: record.key.kind)
    kindNumber = Int(record.key.kind.rawValue)
    id = RecordWords.id(of: record.key)
    deleted = record.isDeleted
    fields = record.registers.map { Field($0, record.key.kind) }
    if record.key.kind == .conflict {
      conflict = (try? Conflict(record)).map { ConflictRow(JournalEntry(conflict: $0), devices) }
    }
  }
}
