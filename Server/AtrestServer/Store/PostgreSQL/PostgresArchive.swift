// SPDX-License-Identifier: Apache-2.0
// A PostgreSQL store as an archive.

import AtrestPostgreSQL
import AtrestReplication
import AtrestSockets
import AtrestWire

/// The store of a database, on one session.
///
/// To check, it reads one snapshot beside daemons. A copy has the database alone: it holds
/// exclusively what each session of each daemon shares.
package actor PostgresArchive: StoreArchive {
  package nonisolated let name: UInt64
  package nonisolated let format: Int
  package nonisolated var eventScope: EventScope { .account }
  private let shard: Shard
  private let connection: PostgresConnection
  /// Nil: each page is read by itself.
  private let snapshot: PostgresTransaction?
  private let pages: ArchivePages

  /// Opens the store of a database.
  ///
  /// - Parameters:
  ///   - cell: Which cell it must be, or becomes if it is made; nil: whichever it is.
  ///   - use: What for. The database is brought to this version's format unless it is checked.
  ///   - session: What sessions allow.
  ///   - pages: The bounds of pages.
  ///   - random: Draws the name of a store that is made.
  /// - Throws: `StoreError`: `inUse` if a copy finds a daemon, `olderVersion` if there is nothing
  ///   to check or copy, `hasMoves` if a copy would lose where accounts went.
  package static func open(
    _ address: PostgresAddress, for use: ArchiveUse, cell: CellNumber? = nil,
    session: PostgresSession = PostgresSession(),
    limits: PostgresLimits = PostgresLimits(), pages: ArchivePages = ArchivePages(),
    random: () -> UInt64
  ) async throws(StoreError) -> PostgresArchive {
    let shard: Shard
    do throws(SocketError) { shard = try Shard(label: "atrest.archive") } catch {
      throw .cannotOpen(path: "\(address)", reason: error.userMessage)
    }
    var session = session
    // Whatever the planner thinks of a table just filled: rows come from an index, in order.
    session.settings = [
      "enable_seqscan": "off", "enable_sort": "off", "enable_bitmapscan": "off",
      "max_parallel_workers_per_gather": "0", "jit": "off",
    ]
    if use == .check { session.sharedLock = .serving }
    let connection: PostgresConnection
    do throws(PostgresError) {
      connection = try await PostgresConnection.open(
        address, on: shard, session: session, limits: limits)
    } catch {
      await shard.stop()
      throw StoreError(error)
    }
    do throws(StoreError) {
      return try await open(
        connection, on: shard, for: use, cell, pages, address: "\(address)",
        name: max(1, random()))
    } catch {
      await connection.close()
      await shard.stop()
      throw error
    }
  }

  private static func open(
    _ connection: PostgresConnection, on shard: Shard, for use: ArchiveUse, _ cell: CellNumber?,
    _ pages: ArchivePages, address: String, name: UInt64
  ) async throws(StoreError) -> PostgresArchive {
    if use != .check { try await lock(connection, address) }
    let migration = try await PostgresSchema.migrate(
      on: connection, name: name, cell: cell, isDryRun: use != .target, allowsCopy: use == .target)
    let (found, current) = (migration.from, migration.to)
    if (use == .source && found == 0) || (use == .check && found < current) {
      throw .olderVersion(path: address, found: found, supported: current)
    }
    if use == .source, found < current {
      try await PostgresSchema.migrate(on: connection, name: name)
    }
    if use == .source {
      let hasMoves = try await connection.rows(PostgresArchiveStatements.hasMoves)
      guard try hasMoves.first?.flag(0) == false else { throw .hasMoves(path: address) }
    }
    let meta = try await connection.rows(PostgresStatement("SELECT name FROM atrest.meta"))
    guard let row = meta.first else { throw .wrongRow("the store has no name") }
    var snapshot: PostgresTransaction?
    if use == .check {
      do throws(PostgresError) {
        // The snapshot is taken with the first statement.
        let first = PostgresStatement("SELECT 1")
        snapshot = try await PostgresTransaction.begin([first], .repeatableRead, on: connection)
          .transaction
      } catch {
        throw StoreError(error)
      }
    }
    return PostgresArchive(
      connection, shard, snapshot, pages, name: try row.bits(0), format: found)
  }

  private static func lock(
    _ connection: PostgresConnection, _ address: String
  ) async throws(StoreError) {
    let key = PostgresSession.SharedLock.serving.key
    let statement = PostgresStatement("SELECT pg_try_advisory_lock($1)", [.int8(key)])
    // The server may take a moment to let go of what a session held that has just ended.
    for _ in 0..<lockAttempts {
      if try await connection.rows(statement).first?.flag(0) == true { return }
      try? await Task.sleep(for: .milliseconds(100))
    }
    throw .inUse(directory: address, process: nil)
  }

  private static let lockAttempts = 30

  private init(
    _ connection: PostgresConnection, _ shard: Shard, _ snapshot: PostgresTransaction?,
    _ pages: ArchivePages, name: UInt64, format: Int
  ) {
    self.connection = connection
    self.shard = shard
    self.snapshot = snapshot
    self.pages = pages
    self.name = name
    self.format = format
  }

  package func close() async {
    // The server ends a session a moment after it was closed. What it locks must not be locked for
    // whoever comes next.
    let unlock = PostgresStatement("SELECT pg_advisory_unlock_all()")
    if snapshot == nil { _ = try? await connection.run(PostgresBatch([unlock], changes: false)) }
    await connection.close()
    await shard.stop()
  }

  private func rows(_ statement: PostgresStatement) async throws(StoreError) -> [PostgresRow] {
    guard let snapshot else { return try await connection.rows(statement) }
    do throws(PostgresError) {
      return (try await snapshot.run([statement]).first?.rows ?? []).map { PostgresRow($0) }
    } catch {
      throw StoreError(error)
    }
  }

  // MARK: The server

  /// What the server says of itself.
  package struct ServerFacts: Hashable, Sendable {
    /// Such as `15.14 (Debian 15.14-0+deb12u1)`.
    package let version: String
    /// Standbys that follow it.
    package let standbys: Int
    /// Those that commits wait for; nil if the role may not see that.
    package let synchronousStandbys: Int?
  }

  /// Asks the server for its version and its standbys.
  package func serverFacts() async throws(StoreError) -> ServerFacts {
    // Whoever may not see other roles' sessions finds nulls there.
    let found = try await rows(
      PostgresStatement(
        """
        SELECT current_setting('server_version'), count(r.pid), count(r.sync_state),
          count(*) FILTER (WHERE r.sync_state IN ('sync', 'quorum'))
        FROM pg_stat_replication AS r
        """))
    guard let row = found.first else { throw .wrongRow("an answer is missing") }
    let (standbys, seen) = (Int(try row.integer(1)), Int(try row.integer(2)))
    return ServerFacts(
      version: try row.text(0), standbys: standbys,
      synchronousStandbys: seen < standbys ? nil : Int(try row.integer(3)))
  }

  // MARK: Reading

  package func summary() async throws(StoreError) -> ArchiveSummary {
    let found = try await rows(
      PostgresStatement(
        """
        SELECT (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM atrest.account_number),
          max(clock_ms), count(*) FILTER (WHERE id > 0), sum(records)::int8 FROM atrest.account
        """))
    guard let row = found.first else { throw .wrongRow("an answer is missing") }
    return ArchiveSummary(
      lastAccount: try row.integer(0), clock: try row.time(1), accounts: Int(try row.integer(2)),
      records: Int(try row.integer(3)))
  }

  package func page(
    of table: ArchiveTable, after key: ArchiveKey
  ) async throws(StoreError) -> [ArchiveRow] {
    let found = try await rows(PostgresArchiveStatements.page(of: table, after: key, pages))
    var purchases: [PostgresRow] = []
    if table == .accounts {
      let accounts = try found.map { row throws(StoreError) in try row.account(0) }
      purchases = try await rows(PostgresArchiveStatements.purchases(of: accounts))
    }
    return try ArchiveRow.rows(of: table, found, purchases: purchases)
  }
}

// MARK: - Writing

extension PostgresArchive {
  package func unfinishedCopy() async throws(StoreError) -> ArchiveProgress? {
    let exists = PostgresStatement("SELECT to_regclass('atrest.copy') IS NOT NULL")
    guard try await rows(exists).first?.flag(0) == true else { return nil }
    let found = try await rows(
      PostgresStatement("SELECT source, stage, account, number FROM atrest.copy"))
    guard let row = found.first else { throw .wrongRow("a copy without its source") }
    return ArchiveProgress(
      source: try row.bits(0), table: ArchiveTable(rawValue: Int(try row.integer(1))),
      key: ArchiveKey(account: try row.integer(2), number: try row.integer(3)))
  }

  package func beginCopy(
    of source: UInt64, _ summary: ArchiveSummary
  ) async throws(StoreError) -> Bool {
    guard try await rows(PostgresArchiveStatements.isEmpty).first?.flag(0) == true else {
      return false
    }
    try await commit(PostgresArchiveStatements.begin(source, summary))
    return true
  }

  package func append(_ rows: [ArchiveRow], to table: ArchiveTable) async throws(StoreError) {
    guard let last = rows.last else { return }
    var statements = PostgresArchiveStatements.insertion(of: rows)
    if table == .events { statements += try await insertion(of: rows) }
    try await commit(statements + [PostgresArchiveStatements.note(table, last.key)])
  }

  /// Each account's events continue its chain.
  private func insertion(of rows: [ArchiveRow]) async throws(StoreError) -> [PostgresStatement] {
    var entries: [AccountID: [EventEntry]] = [:]
    for case .event(let entry) in rows {
      entries[entry.event.account ?? .server, default: []].append(entry)
    }
    var reads = StagedReads()
    if let part = PostgresLoad.lastEvents(Set(entries.keys)) {
      let results = try await connection.results([part.statement])
      try part.read(results.first?.rows ?? [], &reads)
    }
    for (account, events) in entries {
      var chain = EventChain()
      if let last = reads.lastEvents[account] ?? nil {
        chain = EventChain(after: last.number, hash: last.hash)
      }
      entries[account] = events.map { chain.append($0.event, number: $0.number) }
    }
    return [PostgresWrites.events(entries)].compactMap(\.self)
  }

  package func finishCopy() async throws(StoreError) {
    try await commit(PostgresArchiveStatements.end)
  }

  /// Statements that all happen, or none: the server commits at the end of the batch.
  private func commit(_ statements: [PostgresStatement]) async throws(StoreError) {
    _ = try await connection.results(statements, changes: true)
  }
}

extension PostgresConnection {
  /// Statements in one trip; if they change something, all of it or nothing.
  func results(
    _ statements: [PostgresStatement], changes: Bool = false
  ) async throws(StoreError) -> [PostgresResult] {
    do throws(PostgresError) {
      return try await run(PostgresBatch(statements, changes: changes))
    } catch {
      throw StoreError(error)
    }
  }

  func rows(_ statement: PostgresStatement) async throws(StoreError) -> [PostgresRow] {
    (try await results([statement]).first?.rows ?? []).map { PostgresRow($0) }
  }
}
