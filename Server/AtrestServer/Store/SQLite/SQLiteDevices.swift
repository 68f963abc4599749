// SPDX-License-Identifier: Apache-2.0
// Devices in SQLite.

import AtrestDomain
import AtrestReplication
import AtrestWire
import Foundation
import GRDB

final class SQLiteDevices: DeviceStore {
  private let connection: SQLiteConnection
  private var revoked: [WithdrawnList.Entry] = []
  private let setSeen, setProgress, outbox, setOutbox: RawStatement

  init(_ connection: SQLiteConnection) throws(StoreError) {
    self.connection = connection
    setSeen = try connection.prepare(
      "UPDATE device SET seen_ms = max(coalesce(seen_ms, 0), ?) WHERE replica = ? AND account = ?")
    setProgress = try connection.prepare(
      """
      UPDATE device SET acknowledged_sequence = ?, told_sequence = ? WHERE replica = ? AND account = ?
      """)
    outbox = try connection.prepare(
      """
      SELECT outbox_number, outbox_token, outbox_refusals FROM device WHERE replica = ? AND account = ?
      """)
    setOutbox = try connection.prepare(
      """
      UPDATE device SET outbox_number = ?, outbox_token = ?, outbox_refusals = ?
      WHERE replica = ? AND account = ?
      """)
  }

  func add(_ device: DeviceEntry) throws(StoreError) -> Bool {
    try connection.perform { db in
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

  func find(_ device: ReplicaID) throws(StoreError) -> DeviceEntry? {
    try connection.perform { db in
      try Row.fetchOne(
        db, sql: "SELECT * FROM device WHERE replica = ?",
        arguments: [Int64(bitPattern: device.rawValue)]
      ).map { try DeviceEntry($0) }
    }
  }

  func destination(of device: ReplicaID) -> CellNumber? { nil }

  func list(of account: AccountID?) throws(StoreError) -> [DeviceEntry] {
    try connection.perform { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT d.* FROM device AS d JOIN account AS a ON a.id = d.account
          WHERE ?1 IS NULL OR d.account = ?1 ORDER BY a.name, d.paired_ms, d.replica
          """, arguments: [account?.rawValue]
      ).map { try DeviceEntry($0) }
    }
  }

  /// The devices whose access was ended since this was called last.
  func takeRevoked() -> [WithdrawnList.Entry] {
    defer { revoked = [] }
    return revoked
  }

  func revoke(_ devices: [DeviceAddress], at time: WallTime) throws(StoreError) {
    revoked += devices.map { .device($0.replica) }
    try connection.perform { db in
      for device in devices {
        try db.execute(
          sql: """
            UPDATE device SET revoked_ms = coalesce(revoked_ms, ?) WHERE replica = ? AND account = ?
            """,
          arguments: [
            time.milliseconds, Int64(bitPattern: device.replica.rawValue), device.account.rawValue,
          ])
      }
    }
  }

  func rename(_ device: DeviceAddress, to name: String) throws(StoreError) {
    try connection.perform { db in
      try db.execute(
        sql: "UPDATE device SET name = ? WHERE replica = ? AND account = ?",
        arguments: [name, Int64(bitPattern: device.replica.rawValue), device.account.rawValue])
    }
  }

  func note(
    seen: [DeviceAddress: WallTime], progress: [DeviceAddress: DeviceProgress]
  ) throws(StoreError) {
    for (device, time) in seen {
      setSeen.bind(1, time.milliseconds)
      setSeen.bind(2, Int64(bitPattern: device.replica.rawValue))
      setSeen.bind(3, device.account.rawValue)
      try setSeen.run()
    }
    for (device, progress) in progress {
      setProgress.bind(1, Int64(clamping: progress.acknowledgedSequence))
      setProgress.bind(2, Int64(clamping: progress.toldSequence))
      setProgress.bind(3, Int64(bitPattern: device.replica.rawValue))
      setProgress.bind(4, device.account.rawValue)
      try setProgress.run()
    }
  }

  func outbox(of device: DeviceAddress) throws(StoreError) -> DeviceOutbox {
    outbox.bind(1, Int64(bitPattern: device.replica.rawValue))
    outbox.bind(2, device.account.rawValue)
    guard try outbox.step() else { return .empty }
    defer { outbox.reset() }
    guard let refusals = DeviceOutbox.refusals(decoding: outbox.bytes(2)) else {
      throw .damaged("a device's refusals cannot be read")
    }
    return DeviceOutbox(
      takenThrough: OutboxPosition(
        number: UInt64(bitPattern: outbox.integer(0)),
        token: UInt64(bitPattern: outbox.integer(1))),
      refusals: refusals)
  }

  func setOutbox(_ new: DeviceOutbox, of device: DeviceAddress) throws(StoreError) {
    setOutbox.bind(1, Int64(bitPattern: new.takenThrough.number))
    setOutbox.bind(2, Int64(bitPattern: new.takenThrough.token))
    setOutbox.bind(3, new.encodedRefusals)
    setOutbox.bind(4, Int64(bitPattern: device.replica.rawValue))
    setOutbox.bind(5, device.account.rawValue)
    try setOutbox.run()
  }
}

extension DeviceEntry {
  /// From a row with all columns.
  init(_ row: Row) throws {
    func time(_ column: String) throws -> WallTime? {
      try row.value(Int64?.self, of: column).map { WallTime(milliseconds: $0) }
    }
    func replica(_ column: String) throws -> ReplicaID? {
      try row.value(Int64?.self, of: column).map { ReplicaID(rawValue: UInt64(bitPattern: $0)) }
    }
    self.init(
      replica: ReplicaID(rawValue: UInt64(bitPattern: try row.value(of: "replica"))),
      account: AccountID(rawValue: try row.value(of: "account")),
      name: try row.value(of: "name"),
      tokenHash: [UInt8](try row.value(Data.self, of: "token_hash")),
      paired: WallTime(milliseconds: try row.value(of: "paired_ms")),
      seen: try time("seen_ms"), revoked: try time("revoked_ms"),
      origin: DeviceOrigin(
        parent: try replica("parent"), approver: try replica("approver"),
        isRenewed: try row.value(of: "is_renewed")),
      progress: DeviceProgress(
        acknowledgedSequence: UInt64(bitPattern: try row.value(of: "acknowledged_sequence")),
        toldSequence: UInt64(bitPattern: try row.value(of: "told_sequence"))))
  }
}
