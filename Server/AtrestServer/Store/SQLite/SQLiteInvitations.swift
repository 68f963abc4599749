// SPDX-License-Identifier: Apache-2.0
// Pairing codes in SQLite.

import AtrestReplication
import Foundation
import GRDB

final class SQLiteInvitations: InvitationStore {
  private let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) {
    self.connection = connection
  }

  func add(_ invitation: InvitationEntry) throws(StoreError) -> Bool {
    try connection.perform { db in
      try db.execute(
        sql: """
          INSERT INTO invitation
            (handle, secret_hash, account, expires_ms, tries_left, inviter, needs_approval, used_by,
            pending_handle, pending_name, pending_digits, pending_token_hash, pending_since_ms)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (handle) DO NOTHING
          """,
        arguments: [
          invitation.handle, Data(invitation.secretHash), invitation.account.rawValue,
          invitation.expires.milliseconds, invitation.triesLeft,
          invitation.inviter.map { Int64(bitPattern: $0.rawValue) }, invitation.needsApproval,
          invitation.usedBy.map { Data($0) },
        ] + Self.columns(of: invitation.pending))
      return db.changesCount == 1
    }
  }

  func find(_ handle: String) throws(StoreError) -> InvitationEntry? {
    try connection.perform { db in
      try Row.fetchOne(
        db, sql: "SELECT * FROM invitation WHERE handle = ?", arguments: [handle]
      ).map(Self.invitation)
    }
  }

  func list(of account: AccountID) throws(StoreError) -> [InvitationEntry] {
    try connection.perform { db in
      try Row.fetchAll(
        db, sql: "SELECT * FROM invitation WHERE account = ?", arguments: [account.rawValue]
      ).map(Self.invitation)
    }
  }

  private static func invitation(_ row: Row) throws -> InvitationEntry {
    InvitationEntry(
      handle: try row.value(of: "handle"),
      secretHash: [UInt8](try row.value(Data.self, of: "secret_hash")),
      account: AccountID(rawValue: try row.value(of: "account")),
      expires: WallTime(milliseconds: try row.value(of: "expires_ms")),
      triesLeft: try row.value(of: "tries_left"),
      inviter: try row.value(Int64?.self, of: "inviter").map {
        ReplicaID(rawValue: UInt64(bitPattern: $0))
      },
      needsApproval: try row.value(Int64.self, of: "needs_approval") != 0,
      usedBy: try row.value(Data?.self, of: "used_by").map { [UInt8]($0) },
      pending: try pendingDevice(row))
  }

  private static func pendingDevice(_ row: Row) throws -> PendingDeviceEntry? {
    guard let handle = try row.value(Int64?.self, of: "pending_handle") else { return nil }
    return PendingDeviceEntry(
      handle: UInt64(bitPattern: handle), name: try row.value(of: "pending_name"),
      digits: try row.value(of: "pending_digits"),
      tokenHash: [UInt8](try row.value(Data.self, of: "pending_token_hash")),
      since: WallTime(milliseconds: try row.value(of: "pending_since_ms")))
  }

  /// The values of the columns `pending_handle` to `pending_since_ms`.
  private static func columns(of device: PendingDeviceEntry?) -> StatementArguments {
    [
      device.map { Int64(bitPattern: $0.handle) }, device?.name, device?.digits,
      device.map { Data($0.tokenHash) }, device?.since.milliseconds,
    ]
  }

  func openCount(of account: AccountID) throws(StoreError) -> Int {
    try connection.perform { db in
      try Int.fetchOne(
        db, sql: "SELECT count(*) FROM invitation WHERE account = ? AND used_by IS NULL",
        arguments: [account.rawValue]) ?? 0
    }
  }

  func markUsed(_ handle: String, by tokenHash: [UInt8]) throws(StoreError) {
    try connection.perform { db in
      try db.execute(
        sql: "UPDATE invitation SET used_by = ? WHERE handle = ?",
        arguments: [Data(tokenHash), handle])
    }
  }

  func setPending(_ device: PendingDeviceEntry, of handle: String) throws(StoreError) {
    try connection.perform { db in
      try db.execute(
        sql: """
          UPDATE invitation SET pending_handle = ?, pending_name = ?, pending_digits = ?,
            pending_token_hash = ?, pending_since_ms = ?
          WHERE handle = ?
          """, arguments: Self.columns(of: device) + [handle])
    }
  }

  func setTriesLeft(_ count: Int, of handle: String) throws(StoreError) {
    try connection.perform { db in
      try db.execute(
        sql: "UPDATE invitation SET tries_left = ? WHERE handle = ?", arguments: [count, handle])
    }
  }

  func remove(_ handle: String) throws(StoreError) {
    try connection.perform { db in
      try db.execute(sql: "DELETE FROM invitation WHERE handle = ?", arguments: [handle])
    }
  }

  func remove(
    of account: AccountID, expiringOutside range: ClosedRange<WallTime>
  ) throws(StoreError) {
    try connection.perform { db in
      try db.execute(
        sql: "DELETE FROM invitation WHERE account = ? AND expires_ms NOT BETWEEN ? AND ?",
        arguments: [
          account.rawValue, range.lowerBound.milliseconds, range.upperBound.milliseconds,
        ])
    }
  }

  func remove(of account: AccountID, madeBy inviters: [ReplicaID]) throws(StoreError) {
    try connection.perform { db in
      for inviter in inviters {
        try db.execute(
          sql: "DELETE FROM invitation WHERE account = ? AND inviter = ?",
          arguments: [account.rawValue, Int64(bitPattern: inviter.rawValue)])
      }
    }
  }
}
