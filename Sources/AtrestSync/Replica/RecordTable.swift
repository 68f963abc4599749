// SPDX-License-Identifier: Apache-2.0
// The merged view of all records.

import AtrestReplication
import AtrestWire

/// The records of a replica, decoded. They were checked on the way in, so a row that cannot be
/// decoded means that the store is damaged.
package struct RecordTable<Tables: ReplicaTables> {
  /// The store.
  package let tables: Tables

  /// The records of a store.
  package init(_ tables: Tables) { self.tables = tables }

  /// A record of any kind, deleted or not; nil if there is none.
  package func record(_ key: RecordKey) throws(ReplicaError) -> Record? {
    guard let body = try tables.recordBody(key) else { return nil }
    return try decode(body, of: key)
  }

  /// Stores a record unconditionally.
  package func put(_ record: Record) throws(ReplicaError) {
    try put(record, encoded: record.encoded)
  }

  /// Stores a record unconditionally, as these canonical bytes of it.
  func put(_ record: Record, encoded: [UInt8]) throws(ReplicaError) {
    try tables.putRecord(row(record, encoded))
  }

  /// Stores a record unless there is one with its key.
  ///
  /// - Parameter encoded: Its canonical bytes.
  /// - Returns: Whether it was stored.
  func insert(_ record: Record, encoded: [UInt8]) throws(ReplicaError) -> Bool {
    try tables.insertRecord(row(record, encoded))
  }

  /// Calls `visit` for each record of a kind, or of all, by key.
  package func forEachRecord(
    of kind: RecordKind? = nil, _ visit: (Record) throws(ReplicaError) -> Void
  ) throws(ReplicaError) {
    try tables.forEachRecord(of: kind) { (_, body) throws(ReplicaError) in
      try visit(decode(body))
    }
  }

  /// What `read` makes of the records of a kind that are not deleted, by key.
  package func all<Value>(
    _ kind: RecordKind, _ read: (Record) -> Value?
  ) throws(ReplicaError) -> [Value] {
    var values: [Value] = []
    try forEachRecord(of: kind) { record throws(ReplicaError) in
      if !record.isDeleted, let value = read(record) { values.append(value) }
    }
    return values
  }

  /// Calls `visit` with the id and the fields of each record of a kind that is not deleted, by key.
  /// For lists of many records: cheaper than decoding each whole.
  ///
  /// - Parameter wanted: The fields to read; nil for all.
  package func forEachFields(
    of kind: RecordKind, only wanted: [FieldNumber]?,
    _ visit: (_ id: [UInt8], _ fields: RecordFields) -> Void
  ) throws(ReplicaError) {
    try tables.forEachRecord(of: kind) { (key, body) throws(ReplicaError) in
      let fields: RecordFields?
      do throws(WireError) {
        fields = try RecordFields.live(inEncoded: body, only: wanted)
      } catch { throw tables.damaged() }
      if let fields { visit(key.id, fields) }
    }
  }

  /// The keys and hashes of all records, ascending by key.
  package func hashes() throws(ReplicaError) -> [KeyRange.Item] {
    var items: [KeyRange.Item] = []
    try tables.forEachRecord(of: nil) { (key, body) throws(ReplicaError) in
      items.append(
        KeyRange.Item(key: key.storageKey, hash: Fingerprint.hash(ofRecord: body)))
    }
    return items
  }

  /// The number of records that are not deleted, journal entries excluded.
  package func liveCount() throws(ReplicaError) -> Int {
    var live = 0
    try forEachRecord { record throws(ReplicaError) in
      if record.key.kind != .conflict, !record.isDeleted { live += 1 }
    }
    return live
  }

  /// Decodes stored bytes.
  package func decode(_ bytes: [UInt8]) throws(ReplicaError) -> Record {
    do { return try Record(decoding: bytes) } catch { throw tables.damaged() }
  }

  /// Decodes the bytes stored under a key and checks the key: only copies of one record merge.
  package func decode(_ bytes: [UInt8], of key: RecordKey) throws(ReplicaError) -> Record {
    let record = try decode(bytes)
    guard record.key == key else { throw tables.damaged() }
    return record
  }

  private func row(_ record: Record, _ encoded: [UInt8]) -> RecordRow {
    RecordRow(key: record.key, body: encoded, listing: ListingPosition(of: record))
  }
}
