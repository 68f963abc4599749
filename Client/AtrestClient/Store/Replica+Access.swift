// SPDX-License-Identifier: Apache-2.0
// Single reads and writes, one transaction each, and what a replica says of itself.

import AtrestDomain
import AtrestProtocol
import AtrestReplication
import Foundation
import GRDB

import struct AtrestReplication.Record

/// The methods of `ReplicaTransaction`, one transaction each.
extension Replica {
  /// See `ReplicaTransaction.sessions()`.
  public func sessions() throws(ReplicaError) -> [Session] { try read { try $0.sessions() } }

  /// See `ReplicaTransaction.session(_:)`.
  public func session(_ id: UUID) throws(ReplicaError) -> Session? {
    try read { try $0.session(id) }
  }

  /// See `ReplicaTransaction.water()`.
  public func water() throws(ReplicaError) -> [WaterEntry] { try read { try $0.water() } }

  /// See `ReplicaTransaction.waterEntry(_:)`.
  public func waterEntry(_ id: UUID) throws(ReplicaError) -> WaterEntry? {
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
  public func save(_ session: Session) throws(ReplicaError) { try write { try $0.save(session) } }

  /// See `ReplicaTransaction.save(_:)`.
  public func save(_ entry: WaterEntry) throws(ReplicaError) { try write { try $0.save(entry) } }

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

/// What a replica says of itself.
extension Replica {
  /// What waits to be pushed, oldest first, and what was refused and why.
  public func pending() throws(ReplicaError) -> [PendingWrite] {
    try read { transaction in
      var writes: [PendingWrite] = []
      try transaction.forEachEntry { entry in
        let times = entry.offer?.record.registers.filter(entry.wrote).map(\.stamp.time)
        writes.append(
          PendingWrite(
            key: entry.key, written: entry.offer?.written ?? [], since: times?.max()?.wallTime,
            refusal: entry.refusal))
      }
      return writes
    }
  }

  /// What waits to be pushed, as it was written, oldest first.
  package func waitingOffers() throws(ReplicaError) -> [Offer] {
    try read { transaction in
      var offers: [Offer] = []
      try transaction.forEachEntry { entry in
        if let offer = entry.offer { offers.append(offer) }
      }
      return offers
    }
  }

  /// The replica at a glance. O(waiting writes).
  public func status() throws(ReplicaError) -> ReplicaStatus {
    try read { transaction in
      let row = try Row.fetchOne(
        transaction.database,
        sql: """
          SELECT count(*), count(refused_reason), count(*) FILTER (WHERE refused_reason = ?)
          FROM outbox
          """, arguments: [AtrestProtocol.Refusal.Reason.massDeletion.rawValue])
      let state = transaction.state
      let (refused, held): (Int, Int) = (row?[1] ?? 0, row?[2] ?? 0)
      return ReplicaStatus(
        replica: state.replica, account: state.account, server: state.endpoint,
        cursor: state.cursor, lastSync: state.lastSync.map(state.serverOffset.shown),
        serverOffsetMilliseconds: state.serverOffset.milliseconds,
        isServerClockDoubtful: state.isServerClockDoubtful, pendingCount: row?[0] ?? 0,
        refusedCount: refused - held, heldDeletionCount: held)
    }
  }

  /// Every record, deleted ones and unknown kinds included, by key.
  public func allRecords() throws(ReplicaError) -> [Record] {
    try read { transaction in
      var records: [Record] = []
      try transaction.forEachRecord { records.append($0) }
      return records
    }
  }

  /// 16 hexadecimal digits over every record's canonical bytes, by key: equal in replicas that hold
  /// the same. For comparing, not for proving: it is no cryptographic hash.
  public func digest() throws(ReplicaError) -> String {
    try read { transaction in
      var digest = Digest()
      try transaction.forEachRecord { digest.add($0.encoded) }
      return digest.text
    }
  }

  /// Names of the account's devices as of the last `devices()`; works offline.
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
