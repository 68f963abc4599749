// SPDX-License-Identifier: Apache-2.0
// Accounts in SQLite: a row each with the state of its feed, and the names of its commits.

import AtrestReplication
import GRDB

import struct AtrestReplication.Cursor

final class SQLiteAccounts: AccountStore {
  private let connection: SQLiteConnection
  private let state, advance, addCommit, position: RawStatement
  private var removed: [WithdrawnList.Entry] = []

  init(_ connection: SQLiteConnection) throws(StoreError) {
    self.connection = connection
    state = try connection.prepare(
      """
      SELECT a.head, c.name, a.latest_time, a.live, a.records, a.bytes,
        a.deletions, a.deletions_since_ms FROM account AS a
      LEFT JOIN feed_commit AS c ON c.account = a.id AND c.sequence = a.head WHERE a.id = ?
      """)
    advance = try connection.prepare(
      """
      UPDATE account SET
        head = coalesce(?, head), latest_time = max(latest_time, ?), live = max(0, live + ?),
        records = max(0, records + ?), bytes = max(0, bytes + ?),
        deletions = coalesce(?, deletions), deletions_since_ms = coalesce(?, deletions_since_ms)
      WHERE id = ?
      """)
    addCommit = try connection.prepare(
      "INSERT INTO feed_commit (account, sequence, name) VALUES (?, ?, ?)")
    position = try connection.prepare(
      """
      SELECT name FROM feed_commit WHERE account = ? AND sequence >= ? ORDER BY sequence LIMIT 1
      """)
  }

  // MARK: Their list

  func add(name: String, created: WallTime) throws(StoreError) -> AccountID? {
    try connection.perform { db in
      try db.execute(
        sql: "INSERT INTO account (name, created_ms) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
        arguments: [name, created.milliseconds])
      return db.changesCount == 1 ? AccountID(rawValue: db.lastInsertedRowID) : nil
    }
  }

  func id(named name: String) throws(StoreError) -> AccountID? {
    try connection.perform { db in
      try Int64.fetchOne(db, sql: "SELECT id FROM account WHERE name = ?", arguments: [name])
        .map(AccountID.init)
    }
  }

  func find(_ id: AccountID) throws(StoreError) -> AccountEntry? { try entries(id).first }

  func list() throws(StoreError) -> [AccountEntry] { try entries(nil) }

  private func entries(_ id: AccountID?) throws(StoreError) -> [AccountEntry] {
    try connection.perform { db in
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

  func remove(_ id: AccountID) throws(StoreError) {
    let created = try find(id)?.created
    if let created { removed.append(.account(id, created: created)) }
    try connection.perform { db in
      for table in ["record", "feed_commit", "invitation", "device", "purchase", "app_account"] {
        try db.execute(sql: "DELETE FROM \(table) WHERE account = ?", arguments: [id.rawValue])
      }
      try db.execute(sql: "DELETE FROM account WHERE id = ?", arguments: [id.rawValue])
    }
  }

  /// The accounts that were removed since this was called last.
  func takeRemoved() -> [WithdrawnList.Entry] {
    defer { removed = [] }
    return removed
  }

  // MARK: Their feeds

  func feedStates(of accounts: [AccountID]) throws(StoreError) -> [FeedState] {
    var states: [FeedState] = []
    for account in accounts { states.append(try state(of: account)) }
    return states
  }

  private func state(of account: AccountID) throws(StoreError) -> FeedState {
    state.bind(1, account.rawValue)
    guard try state.step() else { return .empty }
    defer { state.reset() }
    guard let sequence = UInt64(exactly: state.integer(0)), sequence < UInt64(Int64.max) else {
      throw .damaged("an account's head cannot be")
    }
    var head = Cursor.start
    if sequence > 0 {
      guard let name = state.optionalInteger(1) else {
        throw .damaged("an account's last commit has no name")
      }
      head = Cursor(commit: UInt64(bitPattern: name), sequence: sequence)
    }
    let latest = HybridTime(rawValue: UInt64(bitPattern: state.integer(2)))
    guard latest <= .latest else { throw .damaged("an account's latest time cannot be") }
    return FeedState(
      head: head, latestTime: latest,
      holdings: Holdings(
        live: Int(state.integer(3)), records: Int(state.integer(4)), bytes: Int(state.integer(5))),
      deletions: RecentDeletions(
        since: WallTime(milliseconds: state.integer(7)), count: Int(state.integer(6))))
  }

  func advance(_ changes: [FeedChange]) throws(StoreError) {
    for change in changes {
      if let head = change.head {
        addCommit.bind(1, change.account.rawValue)
        addCommit.bind(2, Int64(bitPattern: head.sequence))
        addCommit.bind(3, Int64(bitPattern: head.commit))
        try addCommit.run()
      }
      advance.bind(1, change.head.map { Int64(bitPattern: $0.sequence) })
      advance.bind(2, Int64(bitPattern: change.latestTime.rawValue))
      advance.bind(3, Int64(change.holdings.live))
      advance.bind(4, Int64(change.holdings.records))
      advance.bind(5, Int64(change.holdings.bytes))
      advance.bind(6, change.deletions.map { Int64($0.count) })
      advance.bind(7, change.deletions?.since.milliseconds)
      advance.bind(8, change.account.rawValue)
      try advance.run()
    }
  }

  func position(of sequence: UInt64, account: AccountID) throws(StoreError) -> Cursor? {
    guard sequence > 0 else { return .start }
    guard let bound = Int64(exactly: sequence) else { return nil }
    position.bind(1, account.rawValue)
    position.bind(2, bound)
    guard try position.step() else { return nil }
    defer { position.reset() }
    return Cursor(commit: UInt64(bitPattern: position.integer(0)), sequence: sequence)
  }

  func pruneCommits(of account: AccountID, keeping count: Int) throws(StoreError) {
    try connection.perform { db in
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
}
