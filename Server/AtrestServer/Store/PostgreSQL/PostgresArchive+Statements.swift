// SPDX-License-Identifier: Apache-2.0
// The statements of an archive in PostgreSQL: a page each, whatever the number of rows.

import AtrestPostgreSQL
import AtrestReplication
import AtrestWire

enum PostgresArchiveStatements {
  // MARK: Pages

  /// What a page may show.
  enum Scope {
    /// All but accounts that are still on their way here.
    case store
    /// One account, wherever it is: `after` is in it, or just before it.
    case account(AccountID)
  }

  static func page(
    of table: ArchiveTable, after key: ArchiveKey, _ pages: ArchivePages, _ scope: Scope = .store
  ) -> PostgresStatement {
    let place = [PostgresValue.int8(key.account), .int8(key.number)]
    let others = "account <> ALL (ARRAY(SELECT account FROM atrest.arrival WHERE NOT is_live))"
    var last: [PostgresValue] = []
    if case .account(let id) = scope { last = [.int8(id.rawValue)] }
    func rest(_ number: Int) -> String {
      last.isEmpty ? others : "account <= $\(number)"
    }
    switch table {
    case .accounts:
      // Those on their way have no row here.
      let end = last.isEmpty ? "" : " AND id <= $3"
      return PostgresStatement(
        """
        SELECT id, name, created_ms, head, head_commit, latest_time, live, records, bytes,
          app_account_token
        FROM atrest.account WHERE id > greatest($1, 0)\(end) ORDER BY id LIMIT $2
        """, [place[0], .int8(Int64(pages.accounts))] + last)
    case .devices:
      return PostgresStatement(
        """
        SELECT \(PostgresLoad.deviceColumns), d.outbox_number, d.outbox_token, d.outbox_refusals
        FROM atrest.device AS d WHERE (d.account, d.replica) > ($1, $2) AND \(rest(4))
        ORDER BY d.account, d.replica LIMIT $3
        """, place + [.int8(Int64(pages.devices))] + last)
    case .commits:
      return PostgresStatement(
        """
        SELECT account, sequence, name FROM atrest.feed_commit AS c
        WHERE (account, sequence) > ($1, $2) AND \(rest(4)) AND \(isKept("c"))
        ORDER BY account, sequence LIMIT $3
        """, place + [.int8(Int64(pages.commits))] + last)
    case .records:
      return PostgresStatement(
        """
        SELECT account, sequence, key, body, due_ms, history
        FROM (
          SELECT *, sum(size) OVER w - size AS before
          FROM (
            SELECT account, sequence, key, body, due_ms, history,
              octet_length(body) + octet_length(history) AS size
            FROM atrest.record AS r
            WHERE (account, sequence) > ($1, $2) AND \(rest(5)) AND \(isKept("r"))
            ORDER BY account, sequence LIMIT $3) AS rows
          WINDOW w AS (ORDER BY account, sequence ROWS UNBOUNDED PRECEDING)) AS summed
        WHERE before < $4 ORDER BY account, sequence
        """, place + [.int8(Int64(pages.records)), .int8(Int64(pages.bytes))] + last)
    case .events:
      let ofAccount = last.isEmpty ? "" : "e.account = $3 AND "
      return PostgresStatement(
        """
        SELECT \(PostgresLoad.eventColumns) FROM atrest.event AS e
        WHERE \(ofAccount)e.number > $1 ORDER BY e.number LIMIT $2
        """, [place[1], .int8(Int64(pages.events))] + last)
    }
  }

  /// Leaves out what is left of accounts that are gone: see `PostgresRemoval`.
  private static func isKept(_ row: String) -> String {
    "NOT EXISTS (SELECT FROM atrest.removal AS x WHERE x.account = \(row).account)"
  }

  static func purchases(of accounts: [AccountID]) -> PostgresStatement {
    PostgresStatement(
      """
      SELECT account, environment, original, since_ms FROM atrest.purchase
      WHERE account = ANY ($1) ORDER BY account, environment, original
      """, [.integers(accounts, \.rawValue)])
  }

  /// Whether accounts come from other cells, or go there, or went there.
  static let hasMoves = PostgresStatement(
    """
    SELECT EXISTS (SELECT FROM atrest.moved) OR EXISTS (SELECT FROM atrest.arrival)
      OR EXISTS (SELECT FROM atrest.account WHERE moving_to IS NOT NULL)
    """)

  // MARK: The mark of a copy

  static let isEmpty = PostgresStatement(
    """
    SELECT NOT EXISTS (SELECT FROM atrest.account WHERE id > 0)
      AND NOT EXISTS (SELECT FROM atrest.device) AND NOT EXISTS (SELECT FROM atrest.record)
      AND NOT EXISTS (SELECT FROM atrest.feed_commit) AND NOT EXISTS (SELECT FROM atrest.purchase)
      AND NOT EXISTS (SELECT FROM atrest.event) AND NOT EXISTS (SELECT FROM atrest.moved)
      AND NOT EXISTS (SELECT FROM atrest.arrival)
    """)

  /// The table exists while a copy is unfinished: see `PostgresSchema.migrate`.
  static func begin(_ source: UInt64, _ summary: ArchiveSummary) -> [PostgresStatement] {
    [
      PostgresStatement(
        """
        CREATE TABLE atrest.copy (
          one boolean PRIMARY KEY DEFAULT true CHECK (one),
          source int8 NOT NULL,
          stage int8 NOT NULL,
          account int8 NOT NULL,
          number int8 NOT NULL
        )
        """),
      PostgresStatement(
        "INSERT INTO atrest.copy (source, stage, account, number) VALUES ($1, 0, $2, $3)",
        [
          .int8(Int64(bitPattern: source)), .int8(ArchiveKey.start.account),
          .int8(ArchiveKey.start.number),
        ]),
      // Each account that is copied gets it, too: an engine for one server keeps one for all.
      PostgresStatement(
        "UPDATE atrest.account SET clock_ms = $1 WHERE id = 0",
        [.int8(summary.clock.milliseconds)]),
      PostgresStatement(
        "SELECT setval('atrest.account_number', greatest($1, 1), $1 > 0)",
        [.int8(summary.lastAccount)]),
    ]
  }

  static func note(_ table: ArchiveTable, _ key: ArchiveKey) -> PostgresStatement {
    PostgresStatement(
      "UPDATE atrest.copy SET stage = $1, account = $2, number = $3",
      [.int8(Int64(table.rawValue)), .int8(key.account), .int8(key.number)])
  }

  static let end = [
    PostgresStatement(
      """
      SELECT setval('atrest.event_number', greatest(last, 1), last > 0)
      FROM (SELECT coalesce(max(number), 0) AS last FROM atrest.event) AS events
      """),
    PostgresStatement("DROP TABLE atrest.copy"),
  ]

  // MARK: Insertions

  /// None for events.
  static func insertion(of rows: [ArchiveRow]) -> [PostgresStatement] {
    var (accounts, devices): ([ArchivedAccount], [ArchivedDevice]) = ([], [])
    var (commits, records): ([ArchivedCommit], [ArchivedRecord]) = ([], [])
    for row in rows {
      switch row {
      case .account(let row): accounts.append(row)
      case .device(let row): devices.append(row)
      case .commit(let row): commits.append(row)
      case .record(let row): records.append(row)
      case .event: break
      }
    }
    return insertion(of: accounts) + insertion(of: devices) + insertion(of: commits)
      + insertion(of: records)
  }

  private static func insertion(of rows: [ArchivedAccount]) -> [PostgresStatement] {
    guard !rows.isEmpty else { return [] }
    let purchases = rows.flatMap { row in row.purchases.map { (account: row.id, purchase: $0) } }
    return [
      PostgresStatement(
        """
        INSERT INTO atrest.account (
          id, name, created_ms, head, head_commit, latest_time, live, records, bytes,
          app_account_token, clock_ms)
        SELECT q.*, (SELECT clock_ms FROM atrest.account WHERE id = 0)
        FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS q
        """,
        [
          .integers(rows, \.id.rawValue), .texts(rows, \.name),
          .integers(rows, \.created.milliseconds), .bits(rows, \.head), .bits(rows, \.headCommit),
          .bits(rows, \.latestTime), .integers(rows) { Int64($0.holdings.live) },
          .integers(rows) { Int64($0.holdings.records) },
          .integers(rows) { Int64($0.holdings.bytes) }, .bytes(rows, \.appAccountToken),
        ]),
      PostgresStatement(
        """
        INSERT INTO atrest.purchase (account, environment, original, since_ms)
        SELECT * FROM unnest($1, $2, $3, $4)
        """,
        [
          .integers(purchases, \.account.rawValue), .texts(purchases, \.purchase.key.environment),
          .texts(purchases, \.purchase.key.original),
          .integers(purchases, \.purchase.since.milliseconds),
        ]),
    ]
  }

  private static func insertion(of rows: [ArchivedDevice]) -> [PostgresStatement] {
    guard !rows.isEmpty else { return [] }
    return [
      PostgresStatement(
        """
        INSERT INTO atrest.device (
          account, replica, name, token_hash, paired_ms, seen_ms, revoked_ms, parent, approver,
          is_renewed, acknowledged_sequence, told_sequence, outbox_number, outbox_token,
          outbox_refusals)
        SELECT account, replica, name, token_hash, paired_ms, seen_ms, revoked_ms, parent, approver,
          is_renewed <> 0, acknowledged, told, number, token, refusals
        FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) AS q (
          account, replica, name, token_hash, paired_ms, seen_ms, revoked_ms, parent, approver,
          is_renewed, acknowledged, told, number, token, refusals)
        """,
        [
          .integers(rows, \.device.account.rawValue), .bits(rows, \.device.replica.rawValue),
          .texts(rows, \.device.name), .bytes(rows, \.device.tokenHash),
          .integers(rows, \.device.paired.milliseconds),
          .integers(rows, \.device.seen?.milliseconds),
          .integers(rows, \.device.revoked?.milliseconds),
          .bits(rows, \.device.origin.parent?.rawValue),
          .bits(rows, \.device.origin.approver?.rawValue),
          .integers(rows) { $0.device.origin.isRenewed ? 1 : 0 },
          .bits(rows, \.device.progress.acknowledgedSequence),
          .bits(rows, \.device.progress.toldSequence), .bits(rows, \.outbox.number),
          .bits(rows, \.outbox.token), .bytes(rows, \.refusals),
        ])
    ]
  }

  private static func insertion(of rows: [ArchivedCommit]) -> [PostgresStatement] {
    guard !rows.isEmpty else { return [] }
    return [
      PostgresStatement(
        PostgresStatements.insertCommits.sql,
        [
          .integers(rows, \.account.rawValue), .bits(rows, \.cursor.sequence),
          .bits(rows, \.cursor.commit),
        ])
    ]
  }

  private static func insertion(of rows: [ArchivedRecord]) -> [PostgresStatement] {
    guard !rows.isEmpty else { return [] }
    return [
      PostgresStatement(
        PostgresStatements.insertRecords.sql,
        [
          .integers(rows, \.address.account.rawValue), .bytes(rows, \.address.key),
          .bits(rows, \.record.sequence), .bytes(rows, \.record.body),
          .integers(rows, \.record.due?.milliseconds), .bytes(rows, \.record.history),
        ])
    ]
  }
}

// MARK: - Rows

extension ArchiveRow {
  /// The rows of a page.
  ///
  /// - Parameter purchases: Those of the accounts in it: see `PostgresArchiveStatements.purchases`.
  static func rows(
    of table: ArchiveTable, _ found: [PostgresRow], purchases: [PostgresRow]
  ) throws(StoreError) -> [ArchiveRow] {
    var byAccount: [AccountID: [ArchivedPurchase]] = [:]
    for row in purchases {
      byAccount[try row.account(0), default: []].append(
        ArchivedPurchase(
          key: PurchaseKey(environment: try row.text(1), original: try row.text(2)),
          since: try row.time(3)))
    }
    return try found.map { row throws(StoreError) in
      switch table {
      case .accounts:
        var account = try ArchivedAccount(row)
        account.purchases = byAccount[account.id] ?? []
        return .account(account)
      case .devices: return .device(try ArchivedDevice(row))
      case .commits: return .commit(try ArchivedCommit(row))
      case .records: return .record(try ArchivedRecord(row))
      case .events: return .event(try EventEntry(row, at: 0))
      }
    }
  }
}

extension ArchivedAccount {
  init(_ row: PostgresRow) throws(StoreError) {
    self.init(
      id: try row.account(0), name: try row.text(1), created: try row.time(2),
      head: try row.bits(3),
      headCommit: try row.optionalInteger(4).map { UInt64(bitPattern: $0) },
      latestTime: try row.bits(5),
      holdings: Holdings(
        live: Int(try row.integer(6)), records: Int(try row.integer(7)),
        bytes: Int(try row.integer(8))),
      appAccountToken: try row.optionalBytes(9))
  }
}

extension ArchivedDevice {
  init(_ row: PostgresRow) throws(StoreError) {
    self.init(
      device: try DeviceEntry(row),
      outbox: OutboxPosition(number: try row.bits(12), token: try row.bits(13)),
      refusals: try row.bytes(14))
  }
}

extension ArchivedCommit {
  init(_ row: PostgresRow) throws(StoreError) {
    self.init(
      account: try row.account(0),
      cursor: Cursor(commit: try row.bits(2), sequence: try row.bits(1)))
  }
}

extension ArchivedRecord {
  init(_ row: PostgresRow) throws(StoreError) {
    self.init(
      address: RecordAddress(account: try row.account(0), key: try row.bytes(2)),
      record: StoredRecord(
        sequence: try row.bits(1), body: try row.bytes(3), due: try row.optionalTime(4),
        history: try row.bytes(5)))
  }
}
