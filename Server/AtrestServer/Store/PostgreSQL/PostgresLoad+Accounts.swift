// SPDX-License-Identifier: Apache-2.0
// Loads accounts and the states of their feeds.

import AtrestPostgreSQL
import AtrestReplication
import AtrestWire

extension PostgresLoad {
  static func feedStates(_ accounts: Set<AccountID>) -> Part? {
    guard !accounts.isEmpty else { return nil }
    return Part(
      PostgresStatement(PostgresStatements.feedStates, [.integers(accounts, \.rawValue)])
    ) { rows, reads throws(StoreError) in
      for account in accounts {
        reads.feedStates[account] = .empty
        reads.presences[account] = .absent
      }
      for values in rows {
        let row = PostgresRow(values)
        let account = try row.account(0)
        reads.feedStates[account] = try FeedState(row)
        reads.presences[account] = try row.flag(8) ? .moving : .here
      }
    }
  }

  /// What `PostgresLocks.statement` answers.
  static func presences(
    of accounts: Set<AccountID>, _ rows: [[PostgresValue]], into reads: inout StagedReads
  ) throws(StoreError) {
    for account in accounts { reads.presences[account] = .absent }
    for values in rows {
      let row = PostgresRow(values)
      reads.presences[try row.account(0)] = try row.flag(1) ? .moving : .here
    }
  }

  static func departures(_ accounts: Set<AccountID>) -> Part? {
    guard !accounts.isEmpty else { return nil }
    let statement = PostgresStatement(
      "SELECT DISTINCT account FROM atrest.moved WHERE account = ANY ($1)",
      [.integers(accounts, \.rawValue)])
    return Part(statement) { rows, reads throws(StoreError) in
      for account in accounts { reads.departures[account] = false }
      for values in rows { reads.departures[try PostgresRow(values).account(0)] = true }
    }
  }

  static func positions(_ positions: Set<FeedPosition>) -> Part? {
    // Sequences grow by one from one: none reaches 2^63.
    let asked = positions.filter { $0.sequence > 0 && $0.sequence <= Int64.max }.map(\.self)
    guard !positions.isEmpty else { return nil }
    let statement = PostgresStatement(
      PostgresStatements.positions,
      [.integers(asked, \.account.rawValue), .bits(asked, \.sequence)])
    return Part(statement) { rows, reads throws(StoreError) in
      for position in positions {
        reads.positions.updateValue(position.sequence == 0 ? .start : nil, forKey: position)
      }
      for values in rows {
        let row = PostgresRow(values)
        let position = asked[try row.index(0, below: asked.count)]
        let cursor = Cursor(commit: try row.bits(1), sequence: position.sequence)
        reads.positions.updateValue(cursor, forKey: position)
      }
    }
  }

  private static let accountColumns = """
    a.id, a.name, a.created_ms, a.head, a.head_commit, a.records, a.bytes,
    (SELECT count(*) FROM atrest.device WHERE account = a.id AND revoked_ms IS NULL),
    a.moving_to IS NOT NULL
    """

  static func accounts(_ accounts: Set<AccountID>) -> Part? {
    guard !accounts.isEmpty else { return nil }
    let statement = PostgresStatement(
      "SELECT \(accountColumns) FROM atrest.account AS a WHERE a.id = ANY ($1) AND a.id > 0",
      [.integers(accounts, \.rawValue)])
    return Part(statement) { rows, reads throws(StoreError) in
      for account in accounts {
        reads.accounts.updateValue(nil, forKey: account)
        if account != .server { reads.presences[account] = .absent }
      }
      for values in rows {
        let row = PostgresRow(values)
        let entry = try AccountEntry(row)
        reads.accounts.updateValue(entry, forKey: entry.id)
        reads.presences[entry.id] = try row.flag(8) ? .moving : .here
      }
    }
  }

  static func everyAccount(_ isAsked: Bool) -> Part? {
    guard isAsked else { return nil }
    let statement = PostgresStatement(
      "SELECT \(accountColumns) FROM atrest.account AS a WHERE a.id > 0 ORDER BY a.name")
    return Part(statement) { rows, reads throws(StoreError) in
      reads.everyAccount = try rows.map { values throws(StoreError) in
        try AccountEntry(PostgresRow(values))
      }
    }
  }

  static func accountNames(_ names: Set<String>) -> Part? {
    guard !names.isEmpty else { return nil }
    let asked = Array(names)
    let statement = PostgresStatement(
      """
      SELECT q.n, a.id FROM unnest($1) WITH ORDINALITY AS q (name, n)
      JOIN atrest.account AS a ON a.name = q.name WHERE a.id > 0
      UNION ALL
      SELECT q.n, NULL FROM unnest($1) WITH ORDINALITY AS q (name, n)
      JOIN atrest.arrival AS v ON v.name = q.name
      """, [.wanted(asked) { $0 }])
    return Part(statement) { rows, reads throws(StoreError) in
      for name in asked { reads.accountNames.updateValue(nil, forKey: name) }
      for values in rows {
        let row = PostgresRow(values)
        let name = asked[try row.index(0, below: asked.count)]
        if try row.optionalInteger(1) == nil {
          reads.reservedNames.insert(name)
        } else {
          reads.accountNames.updateValue(try row.account(1), forKey: name)
        }
      }
    }
  }

  static func accountNumbers(_ names: Set<String>) -> Part? {
    guard !names.isEmpty else { return nil }
    let statement = PostgresStatement(
      "SELECT nextval('atrest.account_number') FROM generate_series(1, $1)",
      [.int8(Int64(names.count))])
    return Part(statement) { rows, reads throws(StoreError) in
      guard rows.count == names.count else { throw .wrongRow("a number is missing") }
      for (name, values) in zip(names, rows) {
        reads.accountNumbers[name] = try PostgresRow(values).account(0)
      }
    }
  }
}

extension FeedState {
  /// From the columns of `PostgresStatements.feedStates`.
  fileprivate init(_ row: PostgresRow) throws(StoreError) {
    let latest = HybridTime(rawValue: try row.bits(3))
    guard latest <= .latest else { throw .wrongRow("an account's latest time cannot be") }
    self.init(
      head: try Cursor(head: row, at: 1), latestTime: latest,
      holdings: Holdings(
        live: try row.count(4), records: try row.count(5), bytes: try row.count(6)),
      deletions: RecentDeletions(since: try row.time(10), count: try row.count(9)),
      clock: try row.time(7))
  }
}

extension AccountEntry {
  /// From `accountColumns`.
  fileprivate init(_ row: PostgresRow) throws(StoreError) {
    self.init(
      id: try row.account(0), name: try row.text(1), created: try row.time(2),
      head: try Cursor(head: row, at: 3), devices: try row.count(7),
      records: try row.count(5), bytes: try row.count(6))
  }
}

extension Cursor {
  /// From the columns head and head_commit.
  fileprivate init(head row: PostgresRow, at column: Int) throws(StoreError) {
    guard let sequence = UInt64(exactly: try row.integer(column)), sequence < UInt64(Int64.max)
    else { throw .wrongRow("an account's head cannot be") }
    guard sequence > 0 else {
      self = .start
      return
    }
    guard let name = try row.optionalInteger(column + 1) else {
      throw .wrongRow("an account's last commit has no name")
    }
    self.init(commit: UInt64(bitPattern: name), sequence: sequence)
  }
}
