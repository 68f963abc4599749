// SPDX-License-Identifier: Apache-2.0
// Reads and writes records of kinds that an app brings.

import AtrestReplication
import AtrestSync
import AtrestWire

extension SyncedRecord {
  fileprivate init?(_ record: Record) {
    guard !record.isDeleted, let id = ID(bytes: record.key.id) else { return nil }
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
    of type: R.Type, _ id: R.ID
  ) throws(ReplicaError) -> R? {
    try record(R.key(of: id)).flatMap { R($0) }
  }

  /// All records of a kind, by id. Leaves out deleted ones and what is none of this kind. O(all of
  /// the kind).
  ///
  /// - Parameter fields: The fields to read, where a list shows little of many records; nil for
  ///   all. The others look as if they were not set, so do not save such a record: that would clear
  ///   them.
  // Inlinable, so that an app has code of its own for its types: looking up a type's operations for
  // each record takes a tenth of the time.
  @inlinable
  public func records<R: SyncedRecord>(
    of type: R.Type, only fields: [FieldNumber]? = nil
  ) throws(ReplicaError) -> [R] {
    var records: [R] = []
    try forEachFields(of: R.kind, only: fields) { id, fields in
      if let id = R.ID(bytes: id), let record = R(id: id, fields: fields) { records.append(record) }
    }
    return records
  }

  @usableFromInline
  func forEachFields(
    of kind: RecordKind, only fields: [FieldNumber]?,
    _ visit: (_ id: [UInt8], _ fields: RecordFields) -> Void
  ) throws(ReplicaError) {
    try work.records.forEachFields(of: kind, only: fields, visit)
  }
}

extension JournalEntry {
  /// The losing value as the only field of a record, for kinds that an app brings.
  public var lostFields: RecordFields { RecordFields(conflict.lost) }
  /// The winning value, likewise.
  public var keptFields: RecordFields { RecordFields(conflict.kept) }
}
