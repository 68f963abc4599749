// SPDX-License-Identifier: Apache-2.0
// Encodes journal entries as records, so that they are stored and synced like any other.

import AtrestReplication
import CAtrestProtobufC
import CAtrestProtos

extension Conflict {
  /// The record that carries the entry. Its register has the stamp of the losing write.
  public var journalRecord: Record {
    let value = packing(
      atrest__sync__v1__conflict__init,
      expectedBytes: lost.value.count + kept.value.count + 1024
    ) { message, arena in
      let entry = arena.make(atrest__sync__v1__conflict__entry__init)
      entry.pointee.kind = .init(rawValue: .init(key.kind.rawValue))
      entry.pointee.id = arena.bytes(key.id)
      entry.pointee.field = field
      entry.pointee.lost = arena.register(lost)
      entry.pointee.kept = arena.register(kept)
      entry.pointee.noticed_ms = noticed.milliseconds
      message.entry = entry
    }
    var record = Record(key: journalKey)
    record.set(Register(field: Conflict.entryField, stamp: lost.stamp, value: value))
    return record
  }

  /// Decodes an entry from its record.
  ///
  /// - Throws: `WireError` if the record is not a valid journal entry.
  public init(_ record: Record) throws(WireError) {
    self = try unpacking(record.message, by: atrest__sync__v1__conflict__unpack) {
      message throws(WireError) in
      guard let entry = message.entry?.pointee, let lost = entry.lost, let kept = entry.kept else {
        throw .invalid("a journal entry is incomplete")
      }
      return Conflict(
        key: RecordKey(
          kind: RecordKind(rawValue: UInt32(entry.kind.rawValue)), id: [UInt8](entry.id)),
        field: entry.field, lost: try Register(lost.pointee), kept: try Register(kept.pointee),
        noticed: WallTime(milliseconds: entry.noticed_ms))
    }
    guard journalKey == record.key else {
      throw .invalid("a journal entry's id does not name its losing write")
    }
  }
}
