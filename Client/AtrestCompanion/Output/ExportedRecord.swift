// SPDX-License-Identifier: Apache-2.0
// The export of a record: complete, decoded where this version can, and as raw bytes.

import AtrestClient
import AtrestReplication
import AtrestWire
import Foundation

/// A record with all of its fields.
struct ExportedRecord: Encodable {
  struct Field: Encodable {
    var field: Int
    var name: String
    var stamp: RecordDump.StampDump
    var replaced: RecordDump.StampDump?
    /// Absent if this version cannot decode it.
    var value: ValueRow?
    /// The stored value in Base64: a field of the kind's message in `records.proto`.
    var bytes: String

    init(_ register: Register, _ kind: RecordKind, _ words: RecordWords) {
      field = Int(register.field)
      name = words.name(of: register.field, in: kind)
      stamp = RecordDump.StampDump(register.stamp)
      replaced = register.replaced.map(RecordDump.StampDump.init)
      value = words.value(of: register, in: kind)
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

  init(_ record: Record, _ devices: DeviceNames, _ words: RecordWords) {
    kind = words.name(of: record.key.kind)
    kindNumber = Int(record.key.kind.rawValue)
    id = words.id(of: record.key)
    deleted = record.isDeleted
    fields = record.registers.map { Field($0, record.key.kind, words) }
    if record.key.kind == .conflict {
      conflict = (try? Conflict(record)).map {
        ConflictRow(JournalEntry(conflict: $0), devices, words)
      }
    }
  }
}
