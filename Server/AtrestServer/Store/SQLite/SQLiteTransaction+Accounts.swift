// SPDX-License-Identifier: Apache-2.0
// Accounts and devices in SQLite, and what else is seldom used: written for reading.

import AtrestProtocol
import AtrestReplication
import Foundation
import GRDB

import struct AtrestProtocol.Cursor

extension SQLiteTransaction {
  func key(at sequence: UInt64, account: AccountID) throws(StoreError) -> [UInt8]? {
    try perform {
      try Data.fetchOne(
        db, sql: "SELECT key FROM record WHERE account = ? AND sequence = ?",
        arguments: [account.rawValue, Int64(clamping: sequence)]
      ).map { [UInt8]($0) }
    }
  }

  func addAccount(name: String, created: WallTime) throws(StoreError) -> AccountID? {
    try perform {
      try db.execute(
        sql: "INSERT INTO account (name, created_ms) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
        arguments: [name, created.milliseconds])
      return db.changesCount == 1 ? AccountID(rawValue: db.lastInsertedRowID) : nil
    }
  }

  func account(named name: String) throws(StoreError) -> AccountID? {
    try perform {
      try Int64.fetchOne(db, sql: "SELECT id FROM account WHERE name = ?", arguments: [name])
        .map(AccountID.init)
    }
  }

  func removeAccount(_ id: AccountID) throws(StoreError) {
    hasRemovedAccount = true
    try perform {
      for table in ["record", "feed_commit", "invitation", "device", "purchase", "app_account"] {
        try db.execute(sql: "DELETE FROM \(table) WHERE account = ?", arguments: [id.rawValue])
      }
      try db.execute(sql: "DELETE FROM account WHERE id = ?", arguments: [id.rawValue])
    }
  }

  func accounts() throws(StoreError) -> [AccountEntry] { try accounts(only: nil) }

  func account(_ id: AccountID) throws(StoreError) -> AccountEntry? {
    try accounts(only: id).first
  }

  private func accounts(only id: AccountID?) throws(StoreError) -> [AccountEntry] {
    try perform {
      try Row.fetchAll(
        db,
        sql: """
          SELECT id, name, created_ms, head, records, bytes,
            (SELECT name FROM feed_commit WHERE account = a.id AND sequence = a.head) AS head_name,
            (SELECT count(*) FROM device WHERE account = a.id AND revoked_ms IS NULL) AS devices
          FROM account AS a WHERE ?1 IS NULL OR id = ?1 ORDER BY name
          """, arguments: [id?.rawValue]
      ).map { row in
        AccountEntry(
          id: AccountID(rawValue: try row.value(of: "id")),
          name: try row.value(of: "name"),
          created: WallTime(milliseconds: try row.value(of: "created_ms")),
          head: Cursor(
            commit: UInt64(bitPattern: try row.value(Int64?.self, of: "head_name") ?? 0),
            sequence: UInt64(bitPattern: try row.value(of: "head"))),
          devices: try row.value(of: "devices"), records: try row.value(of: "records"),
          bytes: try row.value(of: "bytes"))
      }
    }
  }

  func addDevice(_ device: DeviceEntry) throws(StoreError) -> Bool {
    try perform {
      try db.execute(
        sql: """
          INSERT INTO device (
            replica, account, name, token_hash, paired_ms, seen_ms, revoked_ms, parent, approver,
            is_renewed)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (replica) DO NOTHING
          """,
        arguments: [
          Int64(bitPattern: device.replica.rawValue), device.account.rawValue, device.name,
          Data(device.tokenHash), device.paired.milliseconds, device.seen?.milliseconds,
          device.revoked?.milliseconds,
          device.origin.parent.map { Int64(bitPattern: $0.rawValue) },
          device.origin.approver.map { Int64(bitPattern: $0.rawValue) },
          device.origin.isRenewed,
        ])
      return db.changesCount == 1
    }
  }

  func devices(of account: AccountID?) throws(StoreError) -> [DeviceEntry] {
    try perform {
      try Row.fetchAll(
        db,
        sql: """
          SELECT d.* FROM device AS d JOIN account AS a ON a.id = d.account
          WHERE ?1 IS NULL OR d.account = ?1 ORDER BY a.name, d.paired_ms, d.replica
          """, arguments: [account?.rawValue]
      ).map { row in
        DeviceEntry(
          replica: ReplicaID(rawValue: UInt64(bitPattern: try row.value(of: "replica"))),
          account: AccountID(rawValue: try row.value(of: "account")),
          name: try row.value(of: "name"),
          tokenHash: [UInt8](try row.value(Data.self, of: "token_hash")),
          paired: WallTime(milliseconds: try row.value(of: "paired_ms")),
          seen: try row.value(Int64?.self, of: "seen_ms").map { WallTime(milliseconds: $0) },
          revoked: try row.value(Int64?.self, of: "revoked_ms").map {
            WallTime(milliseconds: $0)
          },
          origin: DeviceOrigin(
            parent: try row.value(Int64?.self, of: "parent").map {
              ReplicaID(rawValue: UInt64(bitPattern: $0))
            },
            approver: try row.value(Int64?.self, of: "approver").map {
              ReplicaID(rawValue: UInt64(bitPattern: $0))
            }, isRenewed: try row.value(of: "is_renewed")),
          progress: DeviceProgress(
            acknowledgedSequence: UInt64(
              bitPattern: try row.value(of: "acknowledged_sequence")),
            toldSequence: UInt64(bitPattern: try row.value(of: "told_sequence"))))
      }
    }
  }

  func revokeDevice(_ replica: ReplicaID, at time: WallTime) throws(StoreError) -> Bool {
    try perform {
      try db.execute(
        sql: "UPDATE device SET revoked_ms = coalesce(revoked_ms, ?) WHERE replica = ?",
        arguments: [time.milliseconds, Int64(bitPattern: replica.rawValue)])
      return db.changesCount == 1
    }
  }

  func renameDevice(_ replica: ReplicaID, to name: String) throws(StoreError) {
    try perform {
      try db.execute(
        sql: "UPDATE device SET name = ? WHERE replica = ?",
        arguments: [name, Int64(bitPattern: replica.rawValue)])
    }
  }

  func setSeen(_ time: WallTime, device: ReplicaID) throws(StoreError) {
    try perform {
      try db.cachedStatement(
        sql: "UPDATE device SET seen_ms = max(coalesce(seen_ms, 0), ?) WHERE replica = ?"
      ).execute(arguments: [time.milliseconds, Int64(bitPattern: device.rawValue)])
    }
  }

  func setProgress(
    _ progress: DeviceProgress, of device: ReplicaID
  ) throws(StoreError) {
    try perform {
      try db.cachedStatement(
        sql: "UPDATE device SET acknowledged_sequence = ?, told_sequence = ? WHERE replica = ?"
      ).execute(
        arguments: [
          Int64(clamping: progress.acknowledgedSequence), Int64(clamping: progress.toldSequence),
          Int64(bitPattern: device.rawValue),
        ])
    }
  }

  func acknowledgedSequence(
    of account: AccountID, seenAfter horizon: WallTime
  ) throws(StoreError) -> UInt64 {
    try perform {
      let least = try Int64.fetchOne(
        db,
        sql: """
          SELECT min(acknowledged_sequence) FROM device
          WHERE account = ? AND revoked_ms IS NULL AND seen_ms > ?
          """,
        arguments: [account.rawValue, horizon.milliseconds])
      return UInt64(clamping: least ?? 0)
    }
  }

  func pruneCommits(of account: AccountID, keeping count: Int) throws(StoreError) {
    try perform {
      try db.execute(
        sql: """
          DELETE FROM feed_commit WHERE account = ?1
          AND sequence < (SELECT sequence FROM feed_commit WHERE account = ?1
            ORDER BY sequence DESC LIMIT 1 OFFSET ?2)
          AND sequence NOT IN (
            SELECT (SELECT min(sequence) FROM feed_commit
              WHERE account = ?1 AND sequence >= d.acknowledged_sequence)
            FROM device AS d WHERE d.account = ?1 AND d.revoked_ms IS NULL
            UNION SELECT (SELECT min(sequence) FROM feed_commit
              WHERE account = ?1 AND sequence >= d.told_sequence)
            FROM device AS d WHERE d.account = ?1 AND d.revoked_ms IS NULL)
          """, arguments: [account.rawValue, max(1, count) - 1])
    }
  }

  /// GRDB's errors carry the statement and its arguments; ours carry neither.
  func perform<R>(_ body: () throws -> R) throws(StoreError) -> R {
    do {
      return try body()
    } catch let error as DatabaseError {
      throw StoreError(error.extendedResultCode.rawValue, on: db.sqliteConnection)
    } catch {
      throw .damaged(path: "atrest.db", reason: "a row cannot be read")
    }
  }
}
