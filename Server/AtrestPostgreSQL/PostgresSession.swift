// SPDX-License-Identifier: Apache-2.0
// What every session sets, and which servers it refuses. Pure.

/// The settings of a session, and what its server must promise.
package struct PostgresSession: Sendable {
  /// A weaker promise of COMMIT than PostgreSQL's default.
  package enum WeakCommit: String, Sendable {
    /// A synchronous standby may lack what was confirmed.
    case local
    /// A synchronous standby may lose it if its operating system crashes.
    case remoteWrite = "remote_write"
  }

  /// An advisory lock that sessions share, each until it ends.
  package struct SharedLock: Equatable, Sendable {
    package let key: Int64
    /// Why there is no session while somebody holds the lock exclusively.
    package let refusal: String

    package init(key: Int64, refusal: String) {
      self.key = key
      self.refusal = refusal
    }
  }

  /// What `pg_stat_activity` shows, unless the address says otherwise.
  package var applicationName = "atrest-syncd"
  /// The longest statement. Shorter than a batch's deadline.
  package var statementTimeout: Duration = .seconds(20)
  /// The longest wait for a lock.
  package var lockTimeout: Duration = .seconds(10)
  /// The longest pause between two trips of a transaction. It frees the locks of a daemon that
  /// vanished.
  package var idleTimeout: Duration = .seconds(20)
  /// The weaker promises that the owner has allowed.
  package var allowedCommits: Set<WeakCommit> = []
  /// Statements that the session prepares when it opens, one more trip.
  package var prepared: [PreparedStatement] = []
  /// Further settings, by name.
  package var settings: [String: String] = [:]
  /// Taken when the session opens, without waiting for it.
  package var sharedLock: SharedLock?

  package init() {}

  /// The first batch of a session: settings, then what the server says about itself.
  var opening: PostgresBatch {
    func milliseconds(_ duration: Duration) -> PostgresValue {
      .text(String(max(1, Int(duration / .milliseconds(1)))))
    }
    return PostgresBatch(
      [
        // Pinned: a server whose owner weakens `synchronous_commit` later keeps the promise of
        // sessions that were checked. Warnings are needed: see `PostgresPipeline`.
        PostgresStatement(
          """
          SELECT set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false),
            set_config('idle_in_transaction_session_timeout', $3, false),
            set_config('client_min_messages', 'warning', false),
            set_config('synchronous_commit', current_setting('synchronous_commit'), false)
          """,
          [
            milliseconds(statementTimeout), milliseconds(lockTimeout), milliseconds(idleTimeout),
          ]),
        PostgresStatement(
          "SELECT set_config(name, value, false) FROM unnest($1, $2) AS s (name, value)",
          [.textArray(settings.map(\.key)), .textArray(settings.map(\.value))]),
        // In every session, so that a lock says the truth even while some sessions are lost.
        PostgresStatement(
          "SELECT CASE WHEN $1 THEN pg_try_advisory_lock_shared($2) ELSE true END",
          [.bool(sharedLock != nil), .int8(sharedLock?.key ?? 0)]),
        PostgresStatement(
          """
          SELECT current_setting('synchronous_commit'), current_setting('fsync', true),
            current_setting('full_page_writes', true), pg_is_in_recovery(),
            current_setting('server_encoding'), pg_backend_pid()::int8,
            (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::int8
          """),
      ], changes: false)
  }

  /// When the server was started, from the opening's answers.
  static func started(_ answers: [PostgresResult]) -> Int64? {
    answers.last?.rows.first?.last?.int8
  }

  /// What later transactions are checked against; nil if the answers do not tell.
  static func pin(_ answers: [PostgresResult]) -> PostgresPin? {
    guard let row = answers.last?.rows.first, row.count == 7, let commit = row[0].text,
      let backend = row[5].int8
    else { return nil }
    return PostgresPin(backend: backend, commit: commit)
  }

  /// Whether the server may be used, from its version and the opening's answers.
  /// - Returns: The reason to refuse it, or nil.
  func objection(toVersion version: Int, answers: [PostgresResult]) -> PostgresError? {
    guard version >= Self.oldestVersion else {
      return .refused(
        "it is PostgreSQL \(version / 10_000), and \(Self.oldestVersion / 10_000) or newer is "
          + "needed. Upgrade it")
    }
    guard let row = answers.last?.rows.first, row.count == 7, let commit = row[0].text,
      let inRecovery = row[3].bool, let encoding = row[4].text
    else { return .refused("it does not tell its settings. Check that it is PostgreSQL") }
    if inRecovery {
      // Not refused: after a promotion the same address is the primary.
      return .lost("it is a standby, which takes no writes")
    }
    switch commit {
    case "on", "remote_apply": break
    case let weak where WeakCommit(rawValue: weak).map { allowedCommits.contains($0) } ?? false:
      break
    default:
      return .refused(
        "its synchronous_commit is “\(commit)”, so a crash or a failover may lose what was "
          + "confirmed. Set it to “on” for this role, database or server")
    }
    for (name, value) in [("fsync", row[1].text), ("full_page_writes", row[2].text)] {
      if let value, value != "on" {
        return .refused(
          "its \(name) is “\(value)”, so a crash may damage it. Set it to “on” in postgresql.conf")
      }
    }
    guard encoding == "UTF8" else {
      return .refused("its encoding is \(encoding). Make a database with ENCODING 'UTF8'")
    }
    if let sharedLock, answers.dropLast().last?.rows.first?.first?.bool != true {
      // Not refused: whoever holds it will end.
      return .lost(sharedLock.refusal)
    }
    return nil
  }

  /// The oldest server, in libpq's form.
  static let oldestVersion = 150_000
}
