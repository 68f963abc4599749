// SPDX-License-Identifier: Apache-2.0
// Records of kinds that an app brings.

import AtrestReplication
import AtrestSync
import AtrestWire

/// A kind of record. Declare one for each kind of thing that your app keeps:
///
///     struct Mood: SyncedRecord {
///       static let kind = RecordKind(rawValue: 1024)
///       var id: RecordUUID
///       var note: String
///
///       var fields: RecordFields {
///         var fields = RecordFields()
///         fields[text: 2] = note
///         return fields
///       }
///       init?(id: RecordUUID, fields: RecordFields) {
///         guard let note = fields[text: 2] else { return nil }
///         (self.id, self.note) = (id, note)
///       }
///     }
///
/// The server needs to know nothing of it. Each field is merged by itself: put what belongs
/// together into one field. Kinds from 1024 on are for apps; apps that share an account choose
/// different ones. Fields of a later version of the kind are kept and passed on.
///
/// Fields have numbers from 2 to 536,870,911, but for 15 and 19,000 to 19,999; another number is a
/// programming error and traps. A field holds up to 16 KiB, a record up to 64 fields and 64 KiB,
/// all with a few bytes of encoding. Setting a field to nil clears it; a field that `fields` does
/// not mention stays as it is.
///
/// `Session` and `WaterEntry` are synced records, too.
public protocol SyncedRecord: Sendable {
  /// The kind's number, 1024 or more.
  static var kind: RecordKind { get }
  /// Its identity, chosen when it is made: `RecordUUID.random()` of AtrestFoundation.
  var id: RecordUUID { get }
  /// Every field with its value. See `RecordFields` for the numbers that a kind may use.
  var fields: RecordFields { get }
  /// Reads a record; nil if it is none of this kind. Such a record is kept, and not shown.
  init?(id: RecordUUID, fields: RecordFields)
}

extension SyncedRecord {
  /// The record's key.
  public var key: RecordKey { Self.key(of: id) }

  /// The key of the record with this id.
  public static func key(of id: RecordUUID) -> RecordKey { RecordKey(kind: kind, id: id.bytes) }

  fileprivate init?(_ record: Record) {
    guard !record.isDeleted, let id = RecordUUID(bytes: record.key.id) else { return nil }
    self.init(id: id, fields: RecordFields(record))
  }
}

extension RecordKind {
  /// The kinds that apps may bring. The others are the protocol's.
  public static let apps: PartialRangeFrom<RecordKind> = .firstOfApps...
}

extension ReplicaTransaction {
  /// Writes the fields that differ from the stored record, and revives a deleted one. No-op if
  /// nothing differs. Fields that `record` does not mention stay as they are.
  ///
  /// What differs because another device changed it meanwhile is written back, too. For a record
  /// that was read a while ago use `save(_:editedFrom:)`.
  /// - Throws: `.invalid` for a fast that cannot be stored, a record that is too large, or an app's
  ///   kind below 1024.
  public func save<R: SyncedRecord>(_ record: R) throws(ReplicaError) {
    try Self.check(record)
    try work.write(record.key, record.fields)
  }

  /// Writes the fields in which `record` differs from `original`, and no other: what another device
  /// changed since `original` was read stays. Revives a deleted record. No-op if nothing differs.
  ///
  /// - Parameter original: The record as it was read before the edit.
  /// - Throws: Like `save(_:)`; `.invalid` if the two are different records.
  public func save<R: SyncedRecord>(
    _ record: R, editedFrom original: R
  ) throws(ReplicaError) {
    guard record.id == original.id else {
      throw .invalid("These are two records. An edit keeps the id of what was edited.")
    }
    try Self.check(record)
    let edited = record.fields.changed(from: original.fields)
    if edited != RecordFields() { try work.write(record.key, edited) }
  }

  private static func check(_ record: some SyncedRecord) throws(ReplicaError) {
    if RecordKind.apps.contains(type(of: record).kind) { return }
    guard let record = record as? any ProtocolRecord else {
      throw .invalid("Kinds below 1024 are the protocol's. Choose a greater number.")
    }
    try record.check()
  }

  /// A record of a kind; nil if there is none, it is deleted, or it is none of this kind.
  public func record<R: SyncedRecord>(
    of type: R.Type, _ id: RecordUUID
  ) throws(ReplicaError) -> R? {
    try record(R.key(of: id)).flatMap { R($0) }
  }

  /// All records of a kind, by id. Leaves out deleted ones and what is none of this kind. O(all of
  /// the kind).
  public func records<R: SyncedRecord>(of type: R.Type) throws(ReplicaError) -> [R] {
    try work.records.all(R.kind) { R($0) }
  }
}

extension JournalEntry {
  /// The losing value as the only field of a record, for kinds that an app brings.
  public var lostFields: RecordFields { RecordFields(conflict.lost) }
  /// The winning value, likewise.
  public var keptFields: RecordFields { RecordFields(conflict.kept) }
}
