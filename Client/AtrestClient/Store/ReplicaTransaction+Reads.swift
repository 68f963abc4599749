// SPDX-License-Identifier: Apache-2.0
// Typed reads for apps: fasts, water, settings. Records that do not decode are left out, never
// repaired.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation

extension ReplicaTransaction {
  /// Fasts that are not deleted, latest start first. Leaves out records that do not decode. O(all
  /// fasts).
  public func sessions() throws(ReplicaError) -> [Session] {
    try all(.session) { try? Session($0) }.sorted {
      ($0.span.start, $0.id.uuidString) > ($1.span.start, $1.id.uuidString)
    }
  }

  /// A fast; nil if there is none or it is deleted.
  public func session(_ id: RecordUUID) throws(ReplicaError) -> Session? {
    try live(RecordKey(kind: .session, id: id.bytes)).flatMap { try? Session($0) }
  }

  /// Drinks that are not deleted, latest first. O(all drinks).
  public func water() throws(ReplicaError) -> [WaterEntry] {
    try all(.water) { try? WaterEntry($0) }.sorted {
      ($0.intake.at, $0.id.uuidString) > ($1.intake.at, $1.id.uuidString)
    }
  }

  /// A drink; nil if there is none or it is deleted.
  public func waterEntry(_ id: RecordUUID) throws(ReplicaError) -> WaterEntry? {
    try live(RecordKey(kind: .water, id: id.bytes)).flatMap { try? WaterEntry($0) }
  }

  /// A setting; nil if there is none or it is deleted.
  public func preference(_ key: String) throws(ReplicaError) -> String? {
    try live(RecordKey(kind: .preference, id: Array(key.utf8)))
      .flatMap { try? PreferenceField.value(of: $0) }
  }

  /// The stored signed App Store transactions, one per purchase. Not verified.
  public func signedTransactions() throws(ReplicaError) -> [[UInt8]] {
    try all(.entitlement) { try? EntitlementField.jws(of: $0) }
  }

  /// All settings, by key.
  public func preferences() throws(ReplicaError) -> [String: String] {
    let pairs: [(String, String)] = try all(.preference) { record in
      guard let key = String(validating: record.key.id, as: UTF8.self),
        let value = try? PreferenceField.value(of: record)
      else { return nil }
      return (key, value)
    }
    return Dictionary(pairs) { first, _ in first }
  }

  /// Journal entries that are not deleted, newest first. The server keeps each for 90 days.
  public func conflicts() throws(ReplicaError) -> [JournalEntry] {
    try work.conflicts().map { JournalEntry(conflict: $0) }
  }

  /// The deletion of a record that waits for a person's word, or nil.
  package func heldDeletion(of key: RecordKey) throws(ReplicaError) -> Register? {
    try work.massDeletions.heldDeletion(of: key)?.offer?.record[Register.deletedField]
  }

  private func live(_ key: RecordKey) throws(ReplicaError) -> Record? {
    try record(key).flatMap { $0.isDeleted ? nil : $0 }
  }

  private func all<Value>(
    _ kind: RecordKind, _ read: (Record) -> Value?
  ) throws(ReplicaError) -> [Value] {
    try work.records.all(kind, read)
  }
}
