// SPDX-License-Identifier: Apache-2.0
// The statements of every exchange, which sessions prepare, and how sessions are set up for them.

import AtrestPostgreSQL

/// The statements that sessions prepare when they open.
///
/// All of them take sets, as arrays side by side, and find their rows by account through an index,
/// whatever the planner thinks of a table's size: see `session`.
enum PostgresStatements {
  static let prepared = [
    lockAccounts, feedStates, positions, records, feedChunks, devices, outboxes, insertRecords,
    updateRecords, insertCommits, updateDevices, updateAccounts,
  ]

  /// The session of a store.
  ///
  /// Each statement is planned once for any number of rows, and always to follow indexes: by the
  /// planner's own choice, a statement that was planned while a table was small, or that asks for
  /// many rows at once, reads the whole table. The costs of what is ruled out are also what would
  /// start the compiler of PostgreSQL's `jit`, for seconds.
  static var session: PostgresSession {
    var session = PostgresSession()
    session.prepared = prepared
    session.sharedLock = .serving
    // Others hold an account's row for a commit, and a whole group waits for it.
    session.lockTimeout = .seconds(3)
    session.settings = [
      "plan_cache_mode": "force_generic_plan", "enable_seqscan": "off", "enable_hashjoin": "off",
      "enable_mergejoin": "off", "max_parallel_workers_per_gather": "0", "jit": "off",
    ]
    return session
  }

  // MARK: Locks and reads

  /// The rows are sorted before they are locked, so that locks are taken in the order of ids.
  static let lockAccounts = PreparedStatement(
    name: "lock_accounts",
    sql: """
      SELECT id, moving_to IS NOT NULL FROM atrest.account WHERE id = ANY ($1)
      ORDER BY id FOR UPDATE
      """,
    parameters: [.int8Array])

  static let feedStates = PreparedStatement(
    name: "feed_states",
    sql: """
      SELECT id, head, head_commit, latest_time, live, records, bytes,
        (extract(epoch FROM now()) * 1000)::int8, moving_to IS NOT NULL, deletions,
        deletions_since_ms
      FROM atrest.account WHERE id = ANY ($1)
      """, parameters: [.int8Array])

  static let positions = PreparedStatement(
    name: "positions",
    sql: """
      SELECT q.n, c.name FROM unnest($1, $2) WITH ORDINALITY AS q (account, sequence, n)
      CROSS JOIN LATERAL (
        SELECT name FROM atrest.feed_commit
        WHERE account = q.account AND sequence >= q.sequence ORDER BY sequence LIMIT 1) AS c
      """, parameters: [.int8Array, .int8Array])

  /// $3: bytes at which to stop. The first record beyond them comes without its bytes.
  static let records = PreparedStatement(
    name: "records",
    sql: """
      SELECT n, sequence, CASE WHEN before < $3 THEN body END, due_ms,
        CASE WHEN before < $3 THEN history END
      FROM (
        SELECT *, sum(size) OVER w - size AS before, lag(size, 1, 0) OVER w AS previous
        FROM (
          SELECT q.n, r.sequence, r.body, r.due_ms, r.history,
            octet_length(r.body) + octet_length(r.history) AS size
          FROM unnest($1, $2) WITH ORDINALITY AS q (account, key, n)
          JOIN atrest.record AS r ON r.account = q.account AND r.key = q.key) AS found
        WINDOW w AS (ORDER BY n ROWS UNBOUNDED PRECEDING)) AS summed
      WHERE before - previous < $3 ORDER BY n
      """, parameters: [.int8Array, .byteaArray, .int8])

  /// $3: rows of a chunk, and one more; $4: bytes at which it ends. One window: each costs as much
  /// as reading the rows.
  static let feedChunks = PreparedStatement(
    name: "feed_chunks",
    sql: """
      SELECT q.n, c.sequence, c.key, c.body
      FROM unnest($1, $2) WITH ORDINALITY AS q (account, after, n)
      CROSS JOIN LATERAL (
        SELECT *, sum(octet_length(body)) OVER (
          ORDER BY sequence ROWS UNBOUNDED PRECEDING) AS total
        FROM (
          SELECT sequence, key, body FROM atrest.record
          WHERE account = q.account AND sequence > q.after ORDER BY sequence LIMIT $3) AS rows
        ) AS c
      WHERE c.total - octet_length(c.body) < $4 ORDER BY q.n, c.sequence
      """, parameters: [.int8Array, .int8Array, .int8, .int8])

  static let devices = PreparedStatement(
    name: "devices",
    sql: "SELECT \(PostgresLoad.deviceColumns) FROM atrest.device AS d WHERE d.replica = ANY ($1)",
    parameters: [.int8Array])

  static let outboxes = PreparedStatement(
    name: "outboxes",
    sql: """
      SELECT q.n, d.outbox_number, d.outbox_token, d.outbox_refusals
      FROM unnest($1, $2) WITH ORDINALITY AS q (account, replica, n)
      JOIN atrest.device AS d ON d.account = q.account AND d.replica = q.replica
      """, parameters: [.int8Array, .int8Array])

  // MARK: Writes

  static let insertRecords = PreparedStatement(
    name: "insert_records",
    sql: """
      INSERT INTO atrest.record (account, key, sequence, body, due_ms, history)
      SELECT * FROM unnest($1, $2, $3, $4, $5, $6)
      """,
    parameters: [
      .int8Array, .byteaArray, .int8Array, .byteaArray, .int8Array, .byteaArray,
    ])

  /// $8: how many rows must be where they are expected.
  static let updateRecords = PreparedStatement(
    name: "update_records",
    sql: """
      WITH changed AS (
        UPDATE atrest.record AS r
        SET sequence = q.sequence, body = q.body, due_ms = q.due_ms, history = q.history
        FROM unnest($1, $2, $3, $4, $5, $6, $7)
          AS q (account, key, previous, sequence, body, due_ms, history)
        WHERE r.account = q.account AND r.key = q.key AND r.sequence = q.previous
        RETURNING 1)
      SELECT atrest.expect(count(*), $8) FROM changed
      """,
    parameters: [
      .int8Array, .byteaArray, .int8Array, .int8Array, .byteaArray, .int8Array, .byteaArray, .int8,
    ])

  static let insertCommits = PreparedStatement(
    name: "insert_commits",
    sql:
      "INSERT INTO atrest.feed_commit (account, sequence, name) SELECT * FROM unnest($1, $2, $3)",
    parameters: [.int8Array, .int8Array, .int8Array])

  /// Null leaves a column as it is. What is gone is not updated, and is no error.
  static let updateDevices = PreparedStatement(
    name: "update_devices",
    sql: """
      UPDATE atrest.device AS d SET
        seen_ms = CASE WHEN q.seen_ms IS NULL THEN d.seen_ms
          ELSE greatest(d.seen_ms, q.seen_ms, 0) END,
        acknowledged_sequence = coalesce(q.acknowledged, d.acknowledged_sequence),
        told_sequence = coalesce(q.told, d.told_sequence),
        outbox_number = coalesce(q.number, d.outbox_number),
        outbox_token = coalesce(q.token, d.outbox_token),
        outbox_refusals = coalesce(q.refusals, d.outbox_refusals),
        name = coalesce(q.name, d.name),
        revoked_ms = coalesce(d.revoked_ms, q.revoked_ms)
      FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS q (
        account, replica, seen_ms, acknowledged, told, number, token, refusals, name, revoked_ms)
      WHERE d.account = q.account AND d.replica = q.replica
      """,
    parameters: [
      .int8Array, .int8Array, .int8Array, .int8Array, .int8Array, .int8Array, .int8Array,
      .byteaArray, .textArray, .int8Array,
    ])

  /// Null leaves the head and the deletions as they are. $10: whether the account must exist, or
  /// null; $11: how many must.
  static let updateAccounts = PreparedStatement(
    name: "update_accounts",
    sql: """
      WITH changed AS (
        UPDATE atrest.account AS a SET
          head = coalesce(q.head, a.head), head_commit = coalesce(q.head_commit, a.head_commit),
          latest_time = greatest(a.latest_time, q.latest_time),
          live = greatest(0, a.live + q.live), records = greatest(0, a.records + q.records),
          bytes = greatest(0, a.bytes + q.bytes),
          deletions = coalesce(q.deletions, a.deletions),
          deletions_since_ms = coalesce(q.deletions_since_ms, a.deletions_since_ms),
          clock_ms = (extract(epoch FROM now()) * 1000)::int8
        FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
          AS q (id, head, head_commit, latest_time, live, records, bytes, deletions,
            deletions_since_ms, required)
        WHERE a.id = q.id
        RETURNING q.required)
      SELECT atrest.expect(count(required), $11) FROM changed
      """,
    parameters: [
      .int8Array, .int8Array, .int8Array, .int8Array, .int8Array, .int8Array, .int8Array,
      .int8Array, .int8Array, .int8Array, .int8,
    ])
}

/// Locks on accounts.
enum PostgresLocks {
  /// Locks the rows of accounts in the order of their ids, and waits for whoever holds them: two
  /// transactions that lock this way, and once each, never wait for each other. Accounts that do
  /// not exist are passed over. Answers which of them are being moved.
  static func statement(for accounts: [AccountID]) -> PostgresStatement {
    PostgresStatement(
      PostgresStatements.lockAccounts,
      [.integers(Set(accounts).sorted { $0.rawValue < $1.rawValue }, \.rawValue)])
  }
}
