// SPDX-License-Identifier: Apache-2.0
// Single reads and writes, one transaction each, and the replica's status.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation
import GRDB

import struct AtrestReplication.Record

/// The methods of `ReplicaTransaction`, each in a transaction of its own. They block the caller on
/// the disk; those that an app's interface needs exist for `await` as well, and then do not.
extension Replica {
  /// See `ReplicaTransaction.sessions()`.
  public func sessions() throws(ReplicaError) -> [Session] { try read { try $0.sessions() } }

  /// See `ReplicaTransaction.session(_:)`.
  public func session(_ id: RecordUUID) throws(ReplicaError) -> Session? {
    try read { try $0.session(id) }
  }

  /// See `ReplicaTransaction.water()`.
  public func water() throws(ReplicaError) -> [WaterEntry] { try read { try $0.water() } }

  /// See `ReplicaTransaction.waterEntry(_:)`.
  public func waterEntry(_ id: RecordUUID) throws(ReplicaError) -> WaterEntry? {
    try read { try $0.waterEntry(id) }
  }

  /// See `ReplicaTransaction.preference(_:)`.
  public func preference(_ key: String) throws(ReplicaError) -> String? {
    try read { try $0.preference(key) }
  }

  /// See `ReplicaTransaction.preferences()`.
  public func preferences() throws(ReplicaError) -> [String: String] {
    try read { try $0.preferences() }
  }

  /// See `ReplicaTransaction.conflicts()`.
  public func conflicts() throws(ReplicaError) -> [JournalEntry] {
    try read { try $0.conflicts() }
  }

  /// See `ReplicaTransaction.record(_:)`.
  public func record(_ key: RecordKey) throws(ReplicaError) -> Record? {
    try read { try $0.record(key) }
  }

  /// See `ReplicaTransaction.save(_:)`.
  public func save<R: SyncedRecord>(_ record: R) throws(ReplicaError) {
    try write { try $0.save(record) }
  }

  /// See `ReplicaTransaction.setPreference(_:to:)`.
  public func setPreference(_ key: String, to value: String) throws(ReplicaError) {
    try write { try $0.setPreference(key, to: value) }
  }

  /// See `ReplicaTransaction.keep(signedTransaction:)`.
  public func keep(signedTransaction jws: [UInt8]) throws(ReplicaError) {
    try write { try $0.keep(signedTransaction: jws) }
  }

  /// See `ReplicaTransaction.signedTransactions()`.
  public func signedTransactions() throws(ReplicaError) -> [[UInt8]] {
    try read { try $0.signedTransactions() }
  }

  /// See `ReplicaTransaction.delete(_:)`.
  @discardableResult
  public func delete(_ key: RecordKey) throws(ReplicaError) -> Bool {
    try write { try $0.delete(key) }
  }

  /// See `ReplicaTransaction.restore(_:)`.
  public func restore(_ entry: JournalEntry) throws(ReplicaError) {
    try write { try $0.restore(entry) }
  }
}

/// Status and contents of the replica.
extension Replica {
  /// The waiting writes, oldest first, including refused ones with their reason. Leaves out
  /// deletions of what the server never had, for which a full account has no place.
  public func pending() throws(ReplicaError) -> [PendingWrite] {
    try read { transaction in
      var writes: [PendingWrite] = []
      try transaction.work.outbox.forEachEntry { entry throws(ReplicaError) in
        if try transaction.work.outbox.isMoot(entry) { return }
        let times = entry.offer?.record.registers.filter(entry.wrote).map(\.stamp.time)
        writes.append(
          PendingWrite(
            key: entry.key, written: entry.offer?.written ?? [], since: times?.max()?.wallTime,
            refusal: entry.refusal.map {
              PendingWrite.WriteRefusal(reason: $0.reason, message: $0.message)
            }))
      }
      return writes
    }
  }

  /// The waiting writes as offers, oldest first.
  package func waitingOffers() throws(ReplicaError) -> [Offer] {
    try read { transaction in
      var offers: [Offer] = []
      try transaction.work.outbox.forEachEntry { entry throws(ReplicaError) in
        if let offer = entry.offer { offers.append(offer) }
      }
      return offers
    }
  }

  /// A summary of the replica. O(waiting writes).
  public func status() throws(ReplicaError) -> ReplicaStatus {
    try read { transaction in
      let state = transaction.state
      let refused = try transaction.work.tables.refusedRows()
      let held = refused.count { $0.reason == .massDeletion }
      let moot = try transaction.work.outbox.mootCount()
      return ReplicaStatus(
        replica: state.replica, account: state.account, server: state.endpoint,
        cursor: state.cursor, lastSync: state.lastSync.map(state.serverOffset.shown),
        serverOffsetMilliseconds: state.serverOffset.milliseconds,
        isServerClockDoubtful: state.isServerClockDoubtful, hasAccessEnded: state.hasAccessEnded,
        pendingCount: try transaction.work.tables.outboxCount() - moot,
        refusedCount: refused.count - held - moot, heldDeletionCount: held)
    }
  }

  /// Every record, tombstones and unknown kinds included, ordered by key.
  public func allRecords() throws(ReplicaError) -> [Record] {
    try read { transaction in
      var records: [Record] = []
      try transaction.work.records.forEachRecord { record throws(ReplicaError) in
        records.append(record)
      }
      return records
    }
  }

  /// A 64-bit hash over every record's canonical bytes, as 16 hexadecimal digits. Replicas with the
  /// same records have the same digest. For comparison only: the hash is not cryptographic.
  public func digest() throws(ReplicaError) -> String {
    try read { transaction in
      var digest = Digest()
      try transaction.work.records.forEachRecord { record throws(ReplicaError) in
        digest.add(record.encoded)
      }
      return digest.text
    }
  }

  /// The device names as of the last `devices()`. Works offline.
  public func deviceNames() throws(ReplicaError) -> [ReplicaID: String] {
    try read { transaction in
      let rows = try Row.fetchAll(transaction.database, sql: "SELECT replica, name FROM device")
      return Dictionary(
        try rows.map {
          (
            ReplicaID(rawValue: UInt64(bitPattern: try $0.decode(atIndex: 0))),
            try $0.decode(atIndex: 1)
          )
        }
      ) { first, _ in first }
    }
  }

  func setDeviceNames(_ devices: [Device]) throws(ReplicaError) {
    try write { transaction in
      try transaction.database.execute(sql: "DELETE FROM device")
      for device in devices {
        try transaction.database.execute(
          sql: "INSERT OR REPLACE INTO device (replica, name) VALUES (?, ?)",
          arguments: [Int64(bitPattern: device.replica.rawValue), device.name])
      }
    }
  }
}
