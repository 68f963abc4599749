// SPDX-License-Identifier: Apache-2.0
// Records in SQLite: the statements that run once per record.

import GRDB
import Replication
import SyncProtocol

/// The statements of the hot path, prepared once.
final class RecordStatements {
  let begin, commit, rollback, setWrites: RawStatement
  let head, descends, startLife, setHead, append, find, replace, feed: RawStatement
  let range, due, setNotDue: RawStatement
  let holdings, addHoldings, token, setToken, forgetToken: RawStatement

  init(_ db: Database, life: Life) throws {
    guard let connection = db.sqliteConnection else { throw StoreError.closed }
    begin = try RawStatement("BEGIN IMMEDIATE", on: connection)
    commit = try RawStatement("COMMIT", on: connection)
    rollback = try RawStatement("ROLLBACK", on: connection)
    setWrites = try RawStatement("UPDATE meta SET writes = ?", on: connection)
    head = try RawStatement("SELECT head FROM account WHERE id = ?", on: connection)
    descends = try RawStatement(
      """
      SELECT ?3 <= coalesce(
        (SELECT head FROM life_start WHERE account = ?1 AND life > l.ordinal ORDER BY life LIMIT 1),
        (SELECT head FROM account WHERE id = ?1), 0)
      FROM life AS l WHERE l.epoch = ?2
      """, on: connection)
    startLife = try RawStatement(
      """
      INSERT INTO life_start (account, life, head)
      SELECT id, \(life.ordinal), head FROM account WHERE id = ? ON CONFLICT DO NOTHING
      """, on: connection)
    setHead = try RawStatement("UPDATE account SET head = ? WHERE id = ?", on: connection)
    append = try RawStatement(
      """
      INSERT INTO record (account, sequence, key, body, due_ms) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (account, key) DO NOTHING
      """, on: connection)
    find = try RawStatement(
      """
      SELECT sequence, body, due_ms FROM record INDEXED BY record_by_key
      WHERE account = ? AND key = ?
      """, on: connection)
    replace = try RawStatement(
      "UPDATE record SET sequence = ?, body = ?, due_ms = ? WHERE account = ? AND key = ?",
      on: connection)
    feed = try RawStatement(
      "SELECT sequence, body FROM record WHERE account = ? AND sequence > ? ORDER BY sequence",
      on: connection)
    range = try RawStatement(
      """
      SELECT key, body FROM record INDEXED BY record_by_key
      WHERE account = ? AND key >= ? AND key < ? ORDER BY key
      """, on: connection)
    // Keys of the journal begin with its kind.
    due = try RawStatement(
      """
      SELECT key, sequence, body, due_ms FROM record INDEXED BY record_by_due
      WHERE account = ? AND due_ms IS NOT NULL AND
        (due_ms <= ? OR sequence <= ? AND NOT (key >= x'00000005' AND key < x'00000006')) LIMIT ?
      """, on: connection)
    setNotDue = try RawStatement(
      "UPDATE record SET due_ms = NULL WHERE account = ? AND key = ?", on: connection)
    holdings = try RawStatement(
      "SELECT live, records, bytes FROM account WHERE id = ?", on: connection)
    addHoldings = try RawStatement(
      """
      UPDATE account SET
        live = max(0, live + ?), records = max(0, records + ?), bytes = max(0, bytes + ?)
      WHERE id = ?
      """, on: connection)
    token = try RawStatement(
      "SELECT sync_token FROM device WHERE replica = ?", on: connection)
    setToken = try RawStatement(
      "UPDATE device SET sync_token = ?, token_life = \(life.ordinal) WHERE replica = ?",
      on: connection)
    forgetToken = try RawStatement(
      "UPDATE device SET sync_token = 0 WHERE replica = ? AND token_life <> \(life.ordinal)",
      on: connection)
  }

  func finalize() {
    for statement in [
      begin, commit, rollback, setWrites, head, descends, startLife, setHead, append, find, replace,
      feed,
      range, due, setNotDue, holdings, addHoldings, token, setToken, forgetToken,
    ] {
      statement.finalize()
    }
  }
}

/// A transaction of `SQLiteStore`. Lives inside one call on the connection's queue.
final class SQLiteTransaction: StoreTransaction {
  let db: Database
  private let statements: RecordStatements

  init(_ db: Database, _ statements: RecordStatements) {
    self.db = db
    self.statements = statements
  }

  func head(of account: AccountID) throws(StoreError) -> UInt64 {
    let statement = statements.head
    statement.bind(1, account.rawValue)
    guard try statement.step() else { return 0 }
    defer { statement.reset() }
    guard let head = UInt64(exactly: statement.integer(0)), head < UInt64(Int64.max) else {
      throw .damaged(path: "atrest.db", reason: "an account's head cannot be")
    }
    return head
  }

  func descends(
    from place: SyncProtocol.Cursor, account: AccountID
  ) throws(StoreError) -> Bool {
    guard let sequence = Int64(exactly: place.sequence) else { return false }
    let statement = statements.descends
    statement.bind(1, account.rawValue)
    statement.bind(2, Int64(bitPattern: place.epoch))
    statement.bind(3, sequence)
    guard try statement.step() else { return false }
    defer { statement.reset() }
    return statement.integer(0) == 1
  }

  func setHead(_ head: UInt64, of account: AccountID) throws(StoreError) {
    statements.startLife.bind(1, account.rawValue)
    try statements.startLife.run()
    let statement = statements.setHead
    statement.bind(1, Int64(bitPattern: head))
    statement.bind(2, account.rawValue)
    try statement.run()
  }

  func append(
    key: [UInt8], body: [UInt8], sequence: UInt64, due: WallTime?, account: AccountID
  ) throws(StoreError) -> Bool {
    let statement = statements.append
    statement.bind(1, account.rawValue)
    statement.bind(2, Int64(bitPattern: sequence))
    statement.bind(3, key)
    statement.bind(4, body)
    statement.bind(5, due?.milliseconds)
    try statement.run()
    return statement.changedRows == 1
  }

  func record(key: [UInt8], account: AccountID) throws(StoreError) -> StoredRecord? {
    let statement = statements.find
    statement.bind(1, account.rawValue)
    statement.bind(2, key)
    guard try statement.step() else { return nil }
    defer { statement.reset() }
    return StoredRecord(
      sequence: UInt64(bitPattern: statement.integer(0)), body: statement.bytes(1),
      due: statement.optionalInteger(2).map { WallTime(milliseconds: $0) })
  }

  func replace(
    key: [UInt8], body: [UInt8], sequence: UInt64, due: WallTime?, account: AccountID
  ) throws(StoreError) {
    let statement = statements.replace
    statement.bind(1, Int64(bitPattern: sequence))
    statement.bind(2, body)
    statement.bind(3, due?.milliseconds)
    statement.bind(4, account.rawValue)
    statement.bind(5, key)
    try statement.run()
  }

  func feed(
    of account: AccountID, after: UInt64, _ visit: (UInt64, [UInt8]) -> Bool
  ) throws(StoreError) {
    let statement = statements.feed
    statement.bind(1, account.rawValue)
    // Sequences grow by one from one: none reaches 2^63.
    statement.bind(2, Int64(clamping: after))
    while try statement.step() {
      guard visit(UInt64(bitPattern: statement.integer(0)), statement.bytes(1)) else {
        statement.reset()
        return
      }
    }
  }

  func records(
    of account: AccountID, from begin: [UInt8], to end: [UInt8],
    _ visit: (_ key: [UInt8], _ body: [UInt8]) -> Bool
  ) throws(StoreError) {
    let statement = statements.range
    statement.bind(1, account.rawValue)
    statement.bind(2, begin)
    statement.bind(3, end.isEmpty ? Self.afterEveryKey : end)
    while try statement.step() {
      guard visit(statement.bytes(0), statement.bytes(1)) else {
        statement.reset()
        return
      }
    }
  }

  func recordsDue(
    of account: AccountID, at now: WallTime, orKnownAt standing: UInt64, limit: Int
  ) throws(StoreError) -> [(key: [UInt8], record: StoredRecord)] {
    let statement = statements.due
    statement.bind(1, account.rawValue)
    statement.bind(2, now.milliseconds)
    statement.bind(3, Int64(clamping: standing))
    statement.bind(4, Int64(limit))
    var found: [(key: [UInt8], record: StoredRecord)] = []
    while try statement.step() {
      let record = StoredRecord(
        sequence: UInt64(bitPattern: statement.integer(1)), body: statement.bytes(2),
        due: statement.optionalInteger(3).map { WallTime(milliseconds: $0) })
      found.append((statement.bytes(0), record))
    }
    return found
  }

  func setNotDue(key: [UInt8], account: AccountID) throws(StoreError) {
    let statement = statements.setNotDue
    statement.bind(1, account.rawValue)
    statement.bind(2, key)
    try statement.run()
  }

  /// Longer than any key, and no key is greater.
  private static let afterEveryKey = [UInt8](repeating: 0xFF, count: 256)

  func holdings(of account: AccountID) throws(StoreError) -> Holdings {
    let statement = statements.holdings
    statement.bind(1, account.rawValue)
    guard try statement.step() else { return Holdings() }
    defer { statement.reset() }
    return Holdings(
      live: Int(statement.integer(0)), records: Int(statement.integer(1)),
      bytes: Int(statement.integer(2)))
  }

  func add(_ change: Holdings, to account: AccountID) throws(StoreError) {
    let statement = statements.addHoldings
    statement.bind(1, Int64(change.live))
    statement.bind(2, Int64(change.records))
    statement.bind(3, Int64(change.bytes))
    statement.bind(4, account.rawValue)
    try statement.run()
  }

  func syncToken(of device: ReplicaID) throws(StoreError) -> UInt64 {
    let statement = statements.token
    statement.bind(1, Int64(bitPattern: device.rawValue))
    guard try statement.step() else { return 0 }
    defer { statement.reset() }
    return UInt64(bitPattern: statement.integer(0))
  }

  func setSyncToken(_ token: UInt64, of device: ReplicaID) throws(StoreError) {
    let statement = statements.setToken
    statement.bind(1, Int64(bitPattern: token))
    statement.bind(2, Int64(bitPattern: device.rawValue))
    try statement.run()
  }

  func forgetSyncToken(of device: ReplicaID) throws(StoreError) {
    let statement = statements.forgetToken
    statement.bind(1, Int64(bitPattern: device.rawValue))
    try statement.run()
  }
}
