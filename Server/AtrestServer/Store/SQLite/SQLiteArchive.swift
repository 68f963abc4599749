// SPDX-License-Identifier: Apache-2.0
// A SQLite store as an archive.

import AtrestReplication
import AtrestWire
import Foundation
import GRDB

import struct AtrestReplication.Cursor

/// The store of a folder, which no daemon uses meanwhile.
package actor SQLiteArchive: StoreArchive {
  package nonisolated let name: UInt64
  /// Opening brings a store to this format first.
  package nonisolated var format: Int { SQLiteSchema.version }
  package nonisolated var eventScope: EventScope { .store }
  private let store: SQLiteStore
  private let pages: ArchivePages

  /// Pages of a copy's random keys are all over the index: 128 MiB hold it for longer.
  private static let cacheKiB = 128 << 10

  /// Opens the store of a folder.
  ///
  /// - Parameters:
  ///   - use: What for.
  ///   - pages: The bounds of pages.
  ///   - random: Draws the name of a store that is made.
  /// - Throws: `StoreError`; the file is then unchanged. `olderVersion` if there is none and `use`
  ///   is to read.
  package init(
    directory path: String, for use: ArchiveUse, pages: ArchivePages = ArchivePages(),
    random: () -> UInt64
  ) throws(StoreError) {
    var opening = SQLiteStore.Opening()
    opening.migrates = use != .check
    opening.allowsCopy = use == .target
    guard use == .target || access(path + "/atrest.db", F_OK) == 0 else {
      let code = errno
      // Only of a folder that one may enter can it be said that nothing is in it.
      guard code == ENOENT else { throw .cannotOpen(path: path, reason: systemReason(code)) }
      throw .olderVersion(path: path, found: 0, supported: SQLiteSchema.version)
    }
    store = try SQLiteStore(directory: path, opening: opening, random: random)
    name = store.randomName
    self.pages = pages
    try store.onTables { tables throws(StoreError) in
      try tables.connection.perform { db in
        try db.execute(sql: "PRAGMA cache_size = -\(Self.cacheKiB)")
      }
    }
  }

  package func close() {
    store.close()
  }

  package func summary() throws(StoreError) -> ArchiveSummary {
    try store.onTables { tables throws(StoreError) in
      try tables.connection.perform { db in
        let row = try Row.fetchOne(
          db,
          sql: """
            SELECT (SELECT seq FROM sqlite_sequence WHERE name = 'account') AS last,
              (SELECT clock_ms FROM meta) AS clock, count(*) AS accounts,
              coalesce(sum(records), 0) AS records FROM account
            """)
        guard let row else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
        return ArchiveSummary(
          lastAccount: try row.value(Int64?.self, of: "last") ?? 0,
          clock: WallTime(milliseconds: try row.value(of: "clock")),
          accounts: try row.value(of: "accounts"), records: try row.value(of: "records"))
      }
    }
  }

  package func page(
    of table: ArchiveTable, after key: ArchiveKey
  ) throws(StoreError) -> [ArchiveRow] {
    try store.onTables { tables throws(StoreError) in
      switch table {
      case .accounts: try tables.connection.accounts(after: key, pages)
      case .devices: try tables.connection.devices(after: key, pages)
      case .commits: try tables.connection.commits(after: key, pages)
      case .records: try tables.connection.records(after: key, pages)
      case .events: try tables.events(after: key, pages)
      }
    }
  }
}

/// What an archive is opened for.
package enum ArchiveUse: Sendable {
  /// To be read, beside daemons if the engine allows that. Its format is not changed.
  case check
  /// To be copied.
  case source
  /// To become a copy.
  case target
}

// MARK: - Reading

extension SQLiteConnection {
  fileprivate func accounts(
    after key: ArchiveKey, _ pages: ArchivePages
  ) throws(StoreError) -> [ArchiveRow] {
    var accounts = try perform { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT a.*, t.token, (
            SELECT name FROM feed_commit WHERE account = a.id AND sequence = a.head) AS head_name
          FROM account AS a LEFT JOIN app_account AS t ON t.account = a.id
          WHERE a.id > ? ORDER BY a.id LIMIT ?
          """, arguments: [key.account, pages.accounts]
      ).map { try ArchivedAccount($0) }
    }
    guard let last = accounts.last?.id else { return [] }
    let purchases = try perform { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT * FROM purchase WHERE account > ? AND account <= ?
          ORDER BY account, environment, original
          """, arguments: [key.account, last.rawValue]
      ).map {
        (account: AccountID(rawValue: try $0.value(of: "account")), try ArchivedPurchase($0))
      }
    }
    var rest = purchases[...]
    for index in accounts.indices {
      let own = rest.prefix { $0.account == accounts[index].id }
      accounts[index].purchases = own.map(\.1)
      rest = rest.dropFirst(own.count)
    }
    return accounts.map(ArchiveRow.account)
  }

  /// One account after the other: there is an index by account, and none by replica within it.
  fileprivate func devices(
    after key: ArchiveKey, _ pages: ArchivePages
  ) throws(StoreError) -> [ArchiveRow] {
    try perform { db in
      var rows: [ArchiveRow] = []
      var account: Int64? = key.account
      var replica: Int64? = key.number
      while let current = account, rows.count < pages.devices {
        let devices = try Row.fetchAll(
          db,
          sql: """
            SELECT * FROM device WHERE account = ?1 AND (?2 IS NULL OR replica > ?2)
            ORDER BY replica LIMIT ?3
            """, arguments: [current, replica, pages.devices - rows.count])
        rows += try devices.map { .device(try ArchivedDevice($0)) }
        account = try Int64.fetchOne(
          db, sql: "SELECT account FROM device WHERE account > ? ORDER BY account LIMIT 1",
          arguments: [current])
        replica = nil
      }
      return rows
    }
  }

  fileprivate func commits(
    after key: ArchiveKey, _ pages: ArchivePages
  ) throws(StoreError) -> [ArchiveRow] {
    let commits = try RawStatement(
      """
      SELECT account, sequence, name FROM feed_commit
      WHERE (account, sequence) > (?, ?) ORDER BY account, sequence LIMIT ?
      """, on: handle)
    commits.bind(1, key.account)
    commits.bind(2, key.number)
    commits.bind(3, Int64(pages.commits))
    var rows: [ArchiveRow] = []
    while try commits.step() {
      rows.append(
        .commit(
          ArchivedCommit(
            account: AccountID(rawValue: commits.integer(0)),
            cursor: Cursor(
              commit: UInt64(bitPattern: commits.integer(2)),
              sequence: UInt64(bitPattern: commits.integer(1))))))
    }
    return rows
  }

  fileprivate func records(
    after key: ArchiveKey, _ pages: ArchivePages
  ) throws(StoreError) -> [ArchiveRow] {
    let records = try RawStatement(
      """
      SELECT account, sequence, key, body, due_ms, history FROM record
      WHERE (account, sequence) > (?, ?) ORDER BY account, sequence LIMIT ?
      """, on: handle)
    records.bind(1, key.account)
    records.bind(2, key.number)
    records.bind(3, Int64(pages.records))
    var rows: [ArchiveRow] = []
    var bytes = 0
    while bytes < pages.bytes, try records.step() {
      let address = RecordAddress(
        account: AccountID(rawValue: records.integer(0)), key: records.bytes(2))
      let record = StoredRecord(
        sequence: UInt64(bitPattern: records.integer(1)), body: records.bytes(3),
        due: records.optionalInteger(4).map { WallTime(milliseconds: $0) },
        history: records.bytes(5))
      bytes += record.bytes
      rows.append(.record(ArchivedRecord(address: address, record: record)))
    }
    return rows
  }
}

extension SQLiteTables {
  fileprivate func events(
    after key: ArchiveKey, _ pages: ArchivePages
  ) throws(StoreError) -> [ArchiveRow] {
    var rows: [ArchiveRow] = []
    // Numbers begin with 1.
    try events.scan(after: UInt64(clamping: key.number)) { entry in
      rows.append(.event(entry))
      return rows.count < pages.events
    }
    return rows
  }
}

extension ArchivedAccount {
  fileprivate init(_ row: Row) throws {
    self.init(
      id: AccountID(rawValue: try row.value(of: "id")), name: try row.value(of: "name"),
      created: WallTime(milliseconds: try row.value(of: "created_ms")),
      head: UInt64(bitPattern: try row.value(Int64.self, of: "head")),
      headCommit: try row.value(Int64?.self, of: "head_name").map { UInt64(bitPattern: $0) },
      latestTime: UInt64(bitPattern: try row.value(Int64.self, of: "latest_time")),
      holdings: Holdings(
        live: try row.value(of: "live"), records: try row.value(of: "records"),
        bytes: try row.value(of: "bytes")),
      appAccountToken: try row.value(Data?.self, of: "token").map { [UInt8]($0) })
  }
}

extension ArchivedPurchase {
  fileprivate init(_ row: Row) throws {
    self.init(
      key: PurchaseKey(
        environment: try row.value(of: "environment"), original: try row.value(of: "original")),
      since: WallTime(milliseconds: try row.value(of: "since_ms")))
  }
}

extension ArchivedDevice {
  fileprivate init(_ row: Row) throws {
    self.init(
      device: try DeviceEntry(row),
      outbox: OutboxPosition(
        number: UInt64(bitPattern: try row.value(Int64.self, of: "outbox_number")),
        token: UInt64(bitPattern: try row.value(Int64.self, of: "outbox_token"))),
      refusals: [UInt8](try row.value(Data.self, of: "outbox_refusals")))
  }
}

// MARK: - Writing

extension SQLiteArchive {
  package func unfinishedCopy() throws(StoreError) -> ArchiveProgress? {
    try store.onTables { tables throws(StoreError) in
      try tables.connection.perform { db in
        guard try db.tableExists(SQLiteSchema.copyTable) else { return nil }
        guard let row = try Row.fetchOne(db, sql: "SELECT * FROM \(SQLiteSchema.copyTable)") else {
          throw DatabaseError(resultCode: .SQLITE_CORRUPT)
        }
        return ArchiveProgress(
          source: UInt64(bitPattern: try row.value(Int64.self, of: "source")),
          table: ArchiveTable(rawValue: try row.value(of: "stage")),
          key: ArchiveKey(
            account: try row.value(of: "account"), number: try row.value(of: "number")))
      }
    }
  }

  package func beginCopy(
    of source: UInt64, _ summary: ArchiveSummary
  ) throws(StoreError) -> Bool {
    try store.onTables { tables throws(StoreError) in
      try tables.connection.perform { db in
        for table in ["account", "device", "record", "feed_commit", "purchase", "event"] {
          let isEmpty = try Row.fetchOne(db, sql: "SELECT 1 FROM \(table) LIMIT 1") == nil
          guard isEmpty else { return false }
        }
        try db.execute(
          sql: """
            CREATE TABLE \(SQLiteSchema.copyTable) (
              one INTEGER PRIMARY KEY CHECK (one = 1),
              source INTEGER NOT NULL,
              stage INTEGER NOT NULL,
              account INTEGER NOT NULL,
              number INTEGER NOT NULL
            ) STRICT
            """)
        try db.execute(
          sql: "INSERT INTO \(SQLiteSchema.copyTable) VALUES (1, ?, 0, ?, ?)",
          arguments: [
            Int64(bitPattern: source), ArchiveKey.start.account, ArchiveKey.start.number,
          ])
        try db.execute(
          sql: "UPDATE meta SET clock_ms = ?", arguments: [summary.clock.milliseconds])
        // A table that had rows once has its sequence already.
        try db.execute(sql: "DELETE FROM sqlite_sequence WHERE name = 'account'")
        if summary.lastAccount > 0 {
          try db.execute(
            sql: "INSERT INTO sqlite_sequence (name, seq) VALUES ('account', ?)",
            arguments: [summary.lastAccount])
        }
        return true
      }
    }
  }

  package func append(_ rows: [ArchiveRow], to table: ArchiveTable) throws(StoreError) {
    guard let last = rows.last else { return }
    try store.onTables { tables throws(StoreError) in
      switch table {
      case .records: try tables.records.write(rows.compactMap(RecordChange.init))
      case .events: try tables.events.append(rows.compactMap(\.newEvent))
      case .accounts, .devices, .commits:
        try tables.connection.perform { db in
          for row in rows { try row.insert(into: db) }
        }
      }
      try tables.connection.perform { db in
        try db.execute(
          sql: "UPDATE \(SQLiteSchema.copyTable) SET stage = ?, account = ?, number = ?",
          arguments: [table.rawValue, last.key.account, last.key.number])
      }
    }
  }

  package func finishCopy() throws(StoreError) {
    try store.onTables { tables throws(StoreError) in
      try tables.connection.perform { db in
        try db.execute(sql: "DROP TABLE \(SQLiteSchema.copyTable)")
      }
    }
  }
}

extension RecordChange {
  /// Nil for a row that is no record.
  fileprivate init?(_ row: ArchiveRow) {
    guard case .record(let row) = row else { return nil }
    self.init(address: row.address, previous: nil, record: row.record)
  }
}

extension ArchiveRow {
  fileprivate var newEvent: NewEvent? {
    if case .event(let entry) = self { entry.event } else { nil }
  }

  /// Accounts, devices and names of commits.
  fileprivate func insert(into db: Database) throws {
    switch self {
    case .account(let row): try row.insert(into: db)
    case .device(let row): try row.insert(into: db)
    case .commit(let row):
      try db.cachedStatement(
        sql: "INSERT INTO feed_commit (account, sequence, name) VALUES (?, ?, ?)"
      ).execute(
        arguments: [
          row.account.rawValue, Int64(bitPattern: row.cursor.sequence),
          Int64(bitPattern: row.cursor.commit),
        ])
    case .record, .event: break
    }
  }
}

extension ArchivedAccount {
  fileprivate func insert(into db: Database) throws {
    try db.cachedStatement(
      sql: """
        INSERT INTO account (id, name, created_ms, head, live, records, bytes, latest_time)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(
      arguments: [
        id.rawValue, name, created.milliseconds, Int64(bitPattern: head), holdings.live,
        holdings.records, holdings.bytes, Int64(bitPattern: latestTime),
      ])
    if let appAccountToken {
      try db.execute(
        sql: "INSERT INTO app_account (account, token) VALUES (?, ?)",
        arguments: [id.rawValue, Data(appAccountToken)])
    }
    for purchase in purchases {
      try db.execute(
        sql: "INSERT INTO purchase (environment, original, account, since_ms) VALUES (?, ?, ?, ?)",
        arguments: [
          purchase.key.environment, purchase.key.original, id.rawValue,
          purchase.since.milliseconds,
        ])
    }
  }
}

extension ArchivedDevice {
  fileprivate func insert(into db: Database) throws {
    try db.cachedStatement(
      sql: """
        INSERT INTO device (
          replica, account, name, token_hash, paired_ms, seen_ms, revoked_ms, parent, approver,
          is_renewed, acknowledged_sequence, told_sequence, outbox_number, outbox_token,
          outbox_refusals)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(
      arguments: [
        Int64(bitPattern: device.replica.rawValue), device.account.rawValue, device.name,
        Data(device.tokenHash), device.paired.milliseconds, device.seen?.milliseconds,
        device.revoked?.milliseconds,
        device.origin.parent.map { Int64(bitPattern: $0.rawValue) },
        device.origin.approver.map { Int64(bitPattern: $0.rawValue) }, device.origin.isRenewed,
        Int64(bitPattern: device.progress.acknowledgedSequence),
        Int64(bitPattern: device.progress.toldSequence), Int64(bitPattern: outbox.number),
        Int64(bitPattern: outbox.token), Data(refusals),
      ])
  }
}
