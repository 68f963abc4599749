// SPDX-License-Identifier: Apache-2.0
// The transaction of a SQLite connection: its aggregates, and how it begins and ends.

import AtrestReplication
import GRDB

/// The aggregates of one connection. They live as long as it does; transactions come and go.
final class SQLiteTables {
  let connection: SQLiteConnection
  let records: SQLiteRecords
  let accounts: SQLiteAccounts
  let devices: SQLiteDevices
  let invitations: SQLiteInvitations
  let purchases: SQLitePurchases
  let events: SQLiteEvents
  let begin, commit, rollback: RawStatement
  private let setWrites: RawStatement

  init(_ db: Database) throws(StoreError) {
    connection = try SQLiteConnection(db)
    records = try SQLiteRecords(connection)
    accounts = try SQLiteAccounts(connection)
    devices = try SQLiteDevices(connection)
    invitations = SQLiteInvitations(connection)
    purchases = SQLitePurchases(connection)
    events = SQLiteEvents(connection)
    begin = try connection.prepare("BEGIN IMMEDIATE")
    commit = try connection.prepare("COMMIT")
    rollback = try connection.prepare("ROLLBACK")
    setWrites = try connection.prepare(
      "UPDATE meta SET writes = ?, clock_ms = max(clock_ms, ?), wall_ms = ?")
  }

  /// Counts a transaction that wrote.
  func setWrites(_ count: UInt64, clock: RetentionClock.Mark) throws(StoreError) {
    setWrites.bind(1, Int64(bitPattern: count))
    setWrites.bind(2, clock.time.milliseconds)
    setWrites.bind(3, clock.wall.milliseconds)
    try setWrites.run()
  }
}

/// A transaction of `SQLiteStore` or `SQLiteReader`. Lives inside one call on the connection's
/// queue.
final class SQLiteTransaction: StoreTransaction {
  let tables: SQLiteTables
  private(set) var clock: RetentionClock.Mark

  init(_ tables: SQLiteTables, clock: RetentionClock.Mark) {
    self.tables = tables
    self.clock = clock
  }

  var records: any RecordStore { tables.records }
  var accounts: any AccountStore { tables.accounts }
  var devices: any DeviceStore { tables.devices }
  var invitations: any InvitationStore { tables.invitations }
  var purchases: any PurchaseStore { tables.purchases }
  var events: any EventLog { tables.events }

  func note(_ mark: RetentionClock.Mark) { clock = mark }
}
