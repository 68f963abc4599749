// SPDX-License-Identifier: Apache-2.0
// Records in SQLite: the statements that run once per record.

import AtrestProtocol
import AtrestReplication
import GRDB

/// The statements of the hot path, prepared once.
final class RecordStatements {
  let begin, commit, rollback, setWrites: RawStatement
  let head, position, addCommit, setHead, append, find, replace, feed: RawStatement
  let range, due, setNotDue: RawStatement
  let holdings, addHoldings, outbox, setOutbox, latestTime, raiseLatestTime: RawStatement

  init(_ db: Database) throws {
    guard let connection = db.sqliteConnection else { throw StoreError.closed }
    begin = try RawStatement("BEGIN IMMEDIATE", on: connection)
    commit = try RawStatement("COMMIT", on: connection)
    rollback = try RawStatement("ROLLBACK", on: connection)
    setWrites = try RawStatement(
      "UPDATE meta SET writes = ?, clock_ms = max(clock_ms, ?)", on: connection)
    head = try RawStatement(
      """
      SELECT a.head, c.name FROM account AS a
      LEFT JOIN feed_commit AS c ON c.account = a.id AND c.sequence = a.head WHERE a.id = ?
      """, on: connection)
    position = try RawStatement(
      """
      SELECT name FROM feed_commit WHERE account = ? AND sequence >= ? ORDER BY sequence LIMIT 1
      """, on: connection)
    addCommit = try RawStatement(
      "INSERT INTO feed_commit (account, sequence, name) VALUES (?, ?, ?)", on: connection)
    setHead = try RawStatement("UPDATE account SET head = ? WHERE id = ?", on: connection)
    append = try RawStatement(
      """
      INSERT INTO record (account, sequence, key, body, due_ms) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (account, key) DO NOTHING
      """, on: connection)
    find = try RawStatement(
      """
      SELECT sequence, body, due_ms, history FROM record INDEXED BY record_by_key
      WHERE account = ? AND key = ?
      """, on: connection)
    replace = try RawStatement(
      "UPDATE record SET sequence = ?, body = ?, due_ms = ?, history = ? WHERE account = ? AND key = ?",
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
      SELECT key, sequence, body, due_ms, history FROM record INDEXED BY record_by_due
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
    latestTime = try RawStatement(
      "SELECT latest_time FROM account WHERE id = ?", on: connection)
    raiseLatestTime = try RawStatement(
      "UPDATE account SET latest_time = max(latest_time, ?) WHERE id = ?", on: connection)
    outbox = try RawStatement(
      "SELECT outbox_number, outbox_token, outbox_refusals FROM device WHERE replica = ?",
      on: connection)
    setOutbox = try RawStatement(
      """
      UPDATE device SET outbox_number = ?, outbox_token = ?, outbox_refusals = ? WHERE replica = ?
      """, on: connection)
  }

  func finalize() {
    for statement in [
      begin, commit, rollback, setWrites, head, position, addCommit, setHead, append, find, replace,
      feed, range, due, setNotDue, holdings, addHoldings, outbox, setOutbox, latestTime,
      raiseLatestTime,
    ] {
      statement.finalize()
    }
  }
}

/// A transaction of `SQLiteStore`. Lives inside one call on the connection's queue.
final class SQLiteTransaction: StoreTransaction {
  let db: Database
  private let statements: RecordStatements
  /// The greatest time that the server's clock showed, before this transaction and in it.
  private(set) var clockHighWater: WallTime
  var hasRemovedAccount = false

  init(_ db: Database, _ statements: RecordStatements, clockHighWater: WallTime) {
    self.db = db
    self.statements = statements
    self.clockHighWater = clockHighWater
  }

  func noteClock(_ now: WallTime) -> WallTime {
    clockHighWater = max(clockHighWater, now)
    return clockHighWater
  }

  func latestTime(of account: AccountID) throws(StoreError) -> HybridTime {
    let statement = statements.latestTime
    statement.bind(1, account.rawValue)
    guard try statement.step() else { return HybridTime(rawValue: 0) }
    defer { statement.reset() }
    let time = HybridTime(rawValue: UInt64(bitPattern: statement.integer(0)))
    guard time <= .latest else {
      throw .damaged(path: "atrest.db", reason: "an account's latest time cannot be")
    }
    return time
  }

  func raiseLatestTime(
    to time: HybridTime, of account: AccountID
  ) throws(StoreError) {
    let statement = statements.raiseLatestTime
    statement.bind(1, Int64(bitPattern: time.rawValue))
    statement.bind(2, account.rawValue)
    try statement.run()
  }

  func head(of account: AccountID) throws(StoreError) -> AtrestProtocol.Cursor {
    let statement = statements.head
    statement.bind(1, account.rawValue)
    guard try statement.step() else { return .start }
    defer { statement.reset() }
    guard let head = UInt64(exactly: statement.integer(0)), head < UInt64(Int64.max) else {
      throw .damaged(path: "atrest.db", reason: "an account's head cannot be")
    }
    guard head > 0 else { return .start }
    guard let name = statement.optionalInteger(1) else {
      throw .damaged(path: "atrest.db", reason: "an account's last commit has no name")
    }
    return Cursor(commit: UInt64(bitPattern: name), sequence: head)
  }

  func position(
    of sequence: UInt64, account: AccountID
  ) throws(StoreError) -> AtrestProtocol.Cursor? {
    guard sequence > 0 else { return .start }
    guard let bound = Int64(exactly: sequence) else { return nil }
    let statement = statements.position
    statement.bind(1, account.rawValue)
    statement.bind(2, bound)
    guard try statement.step() else { return nil }
    defer { statement.reset() }
    return Cursor(commit: UInt64(bitPattern: statement.integer(0)), sequence: sequence)
  }

  func setHead(_ head: AtrestProtocol.Cursor, of account: AccountID) throws(StoreError) {
    let commit = statements.addCommit
    commit.bind(1, account.rawValue)
    commit.bind(2, Int64(bitPattern: head.sequence))
    commit.bind(3, Int64(bitPattern: head.commit))
    try commit.run()
    let statement = statements.setHead
    statement.bind(1, Int64(bitPattern: head.sequence))
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
      due: statement.optionalInteger(2).map { WallTime(milliseconds: $0) },
      history: statement.bytes(3))
  }

  func replace(
    key: [UInt8], by record: StoredRecord, account: AccountID
  ) throws(StoreError) {
    let statement = statements.replace
    statement.bind(1, Int64(bitPattern: record.sequence))
    statement.bind(2, record.body)
    statement.bind(3, record.due?.milliseconds)
    statement.bind(4, record.history)
    statement.bind(5, account.rawValue)
    statement.bind(6, key)
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
    of account: AccountID, at now: WallTime, orKnownAt acknowledged: UInt64, limit: Int
  ) throws(StoreError) -> [(key: [UInt8], record: StoredRecord)] {
    let statement = statements.due
    statement.bind(1, account.rawValue)
    statement.bind(2, now.milliseconds)
    statement.bind(3, Int64(clamping: acknowledged))
    statement.bind(4, Int64(limit))
    var found: [(key: [UInt8], record: StoredRecord)] = []
    while try statement.step() {
      let record = StoredRecord(
        sequence: UInt64(bitPattern: statement.integer(1)), body: statement.bytes(2),
        due: statement.optionalInteger(3).map { WallTime(milliseconds: $0) },
        history: statement.bytes(4))
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

  func outbox(of device: ReplicaID) throws(StoreError) -> DeviceOutbox {
    let statement = statements.outbox
    statement.bind(1, Int64(bitPattern: device.rawValue))
    guard try statement.step() else { return .empty }
    defer { statement.reset() }
    guard let refusals = DeviceOutbox.refusals(decoding: statement.bytes(2)) else {
      throw .damaged(path: "atrest.db", reason: "a device's refusals cannot be read")
    }
    return DeviceOutbox(
      takenThrough: OutboxPosition(
        number: UInt64(bitPattern: statement.integer(0)),
        token: UInt64(bitPattern: statement.integer(1))),
      refusals: refusals)
  }

  func setOutbox(_ outbox: DeviceOutbox, of device: ReplicaID) throws(StoreError) {
    let statement = statements.setOutbox
    statement.bind(1, Int64(bitPattern: outbox.takenThrough.number))
    statement.bind(2, Int64(bitPattern: outbox.takenThrough.token))
    statement.bind(3, outbox.encodedRefusals)
    statement.bind(4, Int64(bitPattern: device.rawValue))
    try statement.run()
  }
}
