// SPDX-License-Identifier: Apache-2.0
// Records in SQLite: a table clustered by sequence, with a unique index by key.

import AtrestReplication

final class SQLiteRecords: RecordStore {
  /// Rows of the statements that take several: beginning and ending one costs as much as two rows.
  private static let findRows = 32
  private static let insertRows = 16

  private let find, findMany, insert, insertMany: RawStatement
  private let move, update, feed, keys, scan, due: RawStatement

  init(_ connection: SQLiteConnection) throws(StoreError) {
    find = try connection.prepare(Self.find(rows: 1))
    findMany = try connection.prepare(Self.find(rows: Self.findRows))
    insert = try connection.prepare(Self.insert(rows: 1))
    insertMany = try connection.prepare(Self.insert(rows: Self.insertRows))
    move = try connection.prepare(
      """
      UPDATE record SET body = ?1, due_ms = ?2, history = ?3, sequence = ?6
      WHERE account = ?4 AND sequence = ?5
      """)
    update = try connection.prepare(
      "UPDATE record SET body = ?, due_ms = ?, history = ? WHERE account = ? AND sequence = ?")
    feed = try connection.prepare(
      "SELECT sequence, body FROM record WHERE account = ? AND sequence > ? ORDER BY sequence")
    keys = try connection.prepare(
      "SELECT key FROM record WHERE account = ? AND sequence > ? ORDER BY sequence LIMIT ?")
    scan = try connection.prepare(
      """
      SELECT key, body FROM record INDEXED BY record_by_key
      WHERE account = ? AND key >= ? AND key < ? ORDER BY key
      """)
    due = try connection.prepare(
      """
      SELECT sequence, body, due_ms, history, key FROM record INDEXED BY record_by_due
      WHERE account = ? AND due_ms <= ? LIMIT ?
      """)
  }

  /// Looks keys up in their order, and returns the number of each beside its record.
  private static func find(rows: Int) -> String {
    let wanted = (0..<rows).map { "(\($0), ?, ?)" }.joined(separator: ", ")
    return """
      WITH wanted (number, account, key) AS (VALUES \(wanted))
      SELECT sequence, body, due_ms, history, number
      FROM wanted CROSS JOIN record INDEXED BY record_by_key
      ON record.account = wanted.account AND record.key = wanted.key
      """
  }

  /// FAIL: a statement that fails need not be undone, since its transaction is.
  private static func insert(rows: Int) -> String {
    let values = Array(repeating: "(?, ?, ?, ?, ?, ?)", count: rows).joined(separator: ", ")
    return """
      INSERT OR FAIL INTO record (account, sequence, key, body, due_ms, history) VALUES \(values)
      """
  }

  func load(
    _ addresses: [RecordAddress], limitBytes: Int
  ) throws(StoreError) -> [StoredRecord?] {
    var records: [StoredRecord?] = []
    records.reserveCapacity(addresses.count)
    var bytes = 0
    while records.count < addresses.count, bytes < limitBytes || records.isEmpty {
      let isMany = records.count + Self.findRows <= addresses.count
      let statement = isMany ? findMany : find
      let first = records.count
      let count = isMany ? Self.findRows : 1
      for number in 0..<count {
        statement.bind(Int32(2 * number + 1), addresses[first + number].account.rawValue)
        statement.bind(Int32(2 * number + 2), addresses[first + number].key)
        records.append(nil)
      }
      while try statement.step() {
        let record = StoredRecord(statement)
        records[first + Int(statement.integer(4))] = record
        bytes += record.bytes
      }
    }
    return records
  }

  func write(_ changes: [RecordChange]) throws(StoreError) {
    var rest = changes[...]
    while let change = rest.first {
      guard change.previous == nil else {
        try update(change)
        rest.removeFirst()
        continue
      }
      let inserts = rest.prefix(Self.insertRows).prefix { $0.previous == nil }
      if inserts.count == Self.insertRows {
        try insert(inserts, by: insertMany)
      } else {
        for change in inserts { try insert([change], by: insert) }
      }
      rest.removeFirst(inserts.count)
    }
  }

  private func insert(
    _ changes: ArraySlice<RecordChange>, by statement: RawStatement
  ) throws(StoreError) {
    var parameter: Int32 = 1
    for change in changes {
      statement.bind(parameter, change.address.account.rawValue)
      statement.bind(parameter + 1, Int64(bitPattern: change.record.sequence))
      statement.bind(parameter + 2, change.address.key)
      statement.bind(parameter + 3, change.record.body)
      statement.bind(parameter + 4, change.record.due?.milliseconds)
      statement.bind(parameter + 5, change.record.history)
      parameter += 6
    }
    try statement.run()
  }

  private func update(_ change: RecordChange) throws(StoreError) {
    let record = change.record
    // Setting a column of the primary key moves the row, even to where it is.
    let isMoved = change.previous != record.sequence
    let statement = isMoved ? move : update
    statement.bind(1, record.body)
    statement.bind(2, record.due?.milliseconds)
    statement.bind(3, record.history)
    statement.bind(4, change.address.account.rawValue)
    statement.bind(5, Int64(bitPattern: change.previous ?? record.sequence))
    if isMoved { statement.bind(6, Int64(bitPattern: record.sequence)) }
    try statement.run()
    guard statement.changedRows == 1 else {
      throw .damaged("a record is not where its index says")
    }
  }

  func feed(
    of account: AccountID, after sequence: UInt64, _ visit: (UInt64, [UInt8]) -> Bool
  ) throws(StoreError) {
    feed.bind(1, account.rawValue)
    // Sequences grow by one from one: none reaches 2^63.
    feed.bind(2, Int64(clamping: sequence))
    while try feed.step() {
      guard visit(UInt64(bitPattern: feed.integer(0)), feed.bytes(1)) else { return feed.reset() }
    }
  }

  func keys(
    of account: AccountID, after sequence: UInt64, limit: Int
  ) throws(StoreError) -> [[UInt8]] {
    keys.bind(1, account.rawValue)
    keys.bind(2, Int64(clamping: sequence))
    keys.bind(3, Int64(limit))
    var found: [[UInt8]] = []
    while try keys.step() { found.append(keys.bytes(0)) }
    return found
  }

  func scan(
    _ intervals: [KeyInterval], of account: AccountID,
    _ visit: (_ interval: Int, _ key: [UInt8], _ body: [UInt8]) -> Bool
  ) throws(StoreError) {
    for (index, interval) in intervals.enumerated() {
      scan.bind(1, account.rawValue)
      scan.bind(2, interval.begin)
      scan.bind(3, interval.end.isEmpty ? Self.afterEveryKey : interval.end)
      while try scan.step() {
        guard visit(index, scan.bytes(0), scan.bytes(1)) else {
          scan.reset()
          break
        }
      }
    }
  }

  /// Longer than any key, and no key is greater.
  private static let afterEveryKey = [UInt8](repeating: 0xFF, count: 256)

  func due(
    of account: AccountID, at now: WallTime, limit: Int
  ) throws(StoreError) -> [(key: [UInt8], record: StoredRecord)] {
    due.bind(1, account.rawValue)
    due.bind(2, now.milliseconds)
    due.bind(3, Int64(limit))
    var found: [(key: [UInt8], record: StoredRecord)] = []
    while try due.step() { found.append((due.bytes(4), StoredRecord(due))) }
    return found
  }
}

extension StoredRecord {
  /// From the columns sequence, body, due_ms, history.
  fileprivate init(_ row: RawStatement) {
    self.init(
      sequence: UInt64(bitPattern: row.integer(0)), body: row.bytes(1),
      due: row.optionalInteger(2).map { WallTime(milliseconds: $0) }, history: row.bytes(3))
  }
}
