// SPDX-License-Identifier: Apache-2.0
// The store of one node: a SQLite file that one connection writes.

import AtrestReplication
import GRDB
import GRDBSQLite

/// A store in a folder: `atrest.db`, its write-ahead log, and a lock.
///
/// One connection writes and checkpoints: SQLite before 3.51.3 can damage a file when two do. The
/// process locks the file, so no other program opens it. `synchronous=FULL`: a commit survives
/// power loss.
package final class SQLiteStore: SyncStore {
  /// Commits that were durable at the last use and are gone: the log was damaged, or an older copy
  /// was put in its place. 0 if none is known to be. Devices notice by the names of commits, and
  /// offer again what they hold.
  package let lostCommits: UInt64
  /// The store's clock, as the last transaction that wrote has kept it.
  package private(set) var clock: RetentionClock.Mark
  /// The random number that it was given when it was made.
  private let name: UInt64
  /// Transactions that wrote, since it was made.
  private var writes: UInt64
  /// Nil on a disk of the caller's own, as is the folder.
  private let progress: ProgressFile?
  private let directory: DataDirectory?
  let withdrawn: WithdrawnList?
  /// The file, as its connections open it.
  private let location: String
  private var queue: DatabaseQueue?
  private var tables: SQLiteTables?
  private weak var backup: SQLiteBackup?
  private let hooks: Hooks

  /// Where a test injects a disk's failures; empty in production.
  package struct Hooks {
    /// Called before each transaction's pages are flushed.
    package var beforeFlush: (() throws(StoreError) -> Void)?
    /// Called before COMMIT; an error stands for COMMIT's own.
    package var beforeCommit: (() throws(StoreError) -> Void)?
    /// Called after a transaction that wrote was committed.
    package var committed: (() -> Void)?

    package init() {}
  }

  /// Which stores may be opened, and what becomes of them.
  package struct Opening: Sendable {
    /// Whether a store of an older format, or none, becomes one of this format.
    package var migrates = true
    /// Whether it may hold an unfinished copy.
    package var allowsCopy = false

    package init() {}
  }

  /// Opens the store of a folder, or makes both.
  ///
  /// - Parameters:
  ///   - random: Draws the name of a store that is made.
  /// - Throws: `StoreError`; the file is then unchanged.
  /// - Complexity: Reads the whole file once, to find damage before anything is written.
  package convenience init(
    directory path: String, hooks: Hooks = Hooks(), opening: Opening = Opening(),
    random: () -> UInt64
  ) throws(StoreError) {
    let directory = try DataDirectory(path: path)
    let file = directory.databasePath
    try Self.inspect(file)
    try self.init(
      file: file, location: Self.uri(file), directory: directory, hooks: hooks, opening: opening,
      checkpointPages: Self.checkpointPages, random: random)
  }

  /// Opens a store on a disk of the caller's own, for simulations. `lostCommits` is always 0.
  ///
  /// - Parameters:
  ///   - uri: A SQLite URI that names its file system. The file is made if there is none; nothing
  ///     else may have it open.
  ///   - checkpointPages: Pages of the log at which it is checkpointed.
  package convenience init(
    uri: String, checkpointPages: Int, random: () -> UInt64
  ) throws(StoreError) {
    try self.init(
      file: uri, location: uri, directory: nil, hooks: Hooks(), opening: Opening(),
      checkpointPages: checkpointPages, random: random)
  }

  private init(
    file: String, location: String, directory: DataDirectory?, hooks: Hooks, opening: Opening,
    checkpointPages: Int, random: () -> UInt64
  ) throws(StoreError) {
    self.location = location
    self.hooks = hooks
    self.directory = directory
    let progress = directory.map { ProgressFile(path: $0.progressPath) }
    self.progress = progress
    do {
      let queue = try DatabaseQueue(
        path: location, configuration: Self.configuration(isShared: directory != nil))
      self.queue = queue
      (name, writes, clock, lostCommits, tables) = try queue.writeWithoutTransaction {
        db in
        try Self.check(db, path: file)
        try SQLiteSchema.migrate(db, path: file, opening: opening, random: random)
        try Self.configure(db, checkpointPages: checkpointPages)
        let meta = "SELECT name, writes, clock_ms, wall_ms FROM meta"
        guard let row = try Row.fetchOne(db, sql: meta) else {
          throw StoreError.damaged(path: file, reason: "it has no name")
        }
        let (name, writes) = (
          UInt64(bitPattern: try row.value(Int64.self, of: "name")),
          UInt64(bitPattern: try row.value(Int64.self, of: "writes"))
        )
        let known = progress?.writes(ofStore: name) ?? 0
        progress?.note(writes: writes, ofStore: name)
        return (
          name, writes,
          RetentionClock.Mark(
            time: WallTime(milliseconds: try row.value(of: "clock_ms")),
            wall: WallTime(milliseconds: try row.value(of: "wall_ms"))),
          known > writes ? known - writes : 0, try SQLiteTables(db)
        )
      }
      let name = name
      withdrawn = try directory.map { try WithdrawnList(path: $0.withdrawnPath, ofStore: name) }
    } catch {
      queue = nil
      throw Self.storeError(opening: file, error)
    }
  }

  package func close() {
    // A copy under way keeps the connection open, and so do prepared statements.
    backup?.abort()
    queue?.writeWithoutTransaction { _ in tables?.connection.finalize() }
    tables = nil
    // Closing the last connection checkpoints; should that fail, the log is still there for the
    // next start.
    try? queue?.close()
    queue = nil
    progress?.close()
    directory?.unlock()
  }

  deinit {
    close()
  }
}

// MARK: - Transactions

extension SQLiteStore {
  package func transaction<R>(
    _ body: (any StoreTransaction) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    guard let tables else { throw .closed }
    return try onQueue { _ throws(StoreError) in try run(body, tables) }
  }

  /// Runs `body` on the connection's queue.
  private func onQueue<R>(
    _ body: (_ connection: OpaquePointer) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    guard let queue, let tables else { throw .closed }
    let result: Result<R, StoreError> = queue.writeWithoutTransaction { _ in
      do throws(StoreError) { return .success(try body(tables.connection.handle)) } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private func run<R>(
    _ body: (any StoreTransaction) throws(StoreError) -> R, _ tables: SQLiteTables
  ) throws(StoreError) -> R {
    let connection = tables.connection.handle
    try tables.begin.run()
    let before = sqlite3_total_changes64(connection)
    let result: R
    var gone: [WithdrawnList.Entry] = []
    let transaction = SQLiteTransaction(tables, clock: clock)
    do throws(StoreError) {
      result = try body(transaction)
      let removed = tables.accounts.takeRemoved()
      // Before the commit: whatever happens then, erasure is owed.
      if !removed.isEmpty { directory?.noteErasure(isOwed: true) }
      gone = removed + tables.devices.takeRevoked()
      if sqlite3_total_changes64(connection) != before {
        try tables.setWrites(writes &+ 1, clock: transaction.clock)
        // A full disk shows here, as a statement that failed and can be taken back, and not in the
        // commit, which is left with one frame to write.
        try hooks.beforeFlush?()
        let code = sqlite3_db_cacheflush(connection)
        guard code == SQLITE_OK else { throw StoreError(code, on: connection) }
      }
    } catch {
      _ = (tables.accounts.takeRemoved(), tables.devices.takeRevoked())
      try rollBack(tables, after: error)
      throw error
    }
    do throws(StoreError) {
      try hooks.beforeCommit?()
      try tables.commit.run()
    } catch {
      // Takes nothing back for certain: the connection cannot be closed otherwise.
      try? rollBack(tables, after: error)
      throw .commitUnknown(reason: Self.reason(error))
    }
    if sqlite3_total_changes64(connection) != before {
      writes &+= 1
      clock = transaction.clock
      progress?.note(writes: writes, ofStore: name)
      withdrawn?.add(gone)
      hooks.committed?()
    }
    return result
  }

  private func rollBack(
    _ tables: SQLiteTables, after cause: StoreError
  ) throws(StoreError) {
    // SQLite rolls back by itself after some errors.
    guard sqlite3_get_autocommit(tables.connection.handle) == 0 else { return }
    do throws(StoreError) { try tables.rollback.run() } catch {
      throw cause.isFatal ? cause : .inputOutput(reason: "a rollback failed")
    }
  }

  private static func reason(_ error: StoreError) -> String {
    switch error {
    case .inputOutput(let reason), .failed(let reason), .commitUnknown(let reason),
      .damaged(_, let reason), .cannotOpen(_, let reason):
      reason
    case .full: "no room left"
    case .inUse, .newerVersion, .olderVersion, .unfinishedCopy, .notAStore, .closed, .notAwaited,
      .unavailable, .busy, .outcomeUnknown, .moving, .wrongCell, .hasMoves, .notLoaded:
      "refused"
    }
  }
}

// MARK: - Tools

extension SQLiteStore {
  /// Runs a transaction on the connection itself: see `transaction`.
  func onTables<R>(
    _ body: (SQLiteTables) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    guard let tables else { throw .closed }
    return try transaction { _ throws(StoreError) in try body(tables) }
  }

  /// The random number that it was given when it was made.
  var randomName: UInt64 { name }
}

// MARK: - Readers, erasure, backups

extension SQLiteStore {
  /// Opens a reader, for a queue of its own. Not on a disk of the caller's own, which one
  /// connection has to itself.
  package func openReader() throws(StoreError) -> sending any StoreReader {
    guard queue != nil, directory != nil else { throw .closed }
    return try SQLiteReader(location: location)
  }

  package var owesErasure: Bool { directory?.owesErasure ?? false }

  package func erase() throws(StoreError) {
    try onQueue { connection throws(StoreError) in try Self.rebuild(connection) }
    directory?.noteErasure(isOwed: false)
  }

  /// Deleting overwrites the deleted rows, but not older copies that balancing left in other pages.
  /// VACUUM writes a file without them.
  private static func rebuild(_ connection: OpaquePointer) throws(StoreError) {
    // The temporary file is as large as the store.
    try RawStatement("PRAGMA temp_store = FILE", on: connection).run()
    defer { try? RawStatement("PRAGMA temp_store = MEMORY", on: connection).run() }
    do throws(StoreError) { try RawStatement("VACUUM", on: connection).run() } catch {
      // Nothing changed: a folder for temporary files that cannot be written is no reason to end.
      guard case .inputOutput(let reason) = error else { throw error }
      throw .failed(reason: reason)
    }
    let checkpoint = try RawStatement("PRAGMA wal_checkpoint(TRUNCATE)", on: connection)
    guard try checkpoint.step(), checkpoint.integer(0) == 0 else {
      throw .failed(reason: "the log is in use")
    }
    try checkpoint.run()
  }

  package func noteWithdrawn() -> Bool { withdrawn?.writeOwed() ?? true }

  /// Moves the log into the file and empties it: what was deleted and overwritten there can no
  /// longer be read in the log.
  ///
  /// - Returns: False while a reader uses the log.
  /// - Complexity: Writes each page of the log once.
  package func emptyLog() throws(StoreError) -> Bool {
    try onQueue { connection throws(StoreError) in
      // A reader with a long snapshot is not waited for: nothing else is written meanwhile.
      sqlite3_busy_timeout(connection, 0)
      defer { sqlite3_busy_timeout(connection, Self.busyMilliseconds) }
      let checkpoint = try RawStatement("PRAGMA wal_checkpoint(TRUNCATE)", on: connection)
      defer { checkpoint.reset() }
      return try checkpoint.step() && checkpoint.integer(0) == 0
    }
  }

  package func beginBackup(to path: String) throws(StoreError) -> any StoreBackup {
    guard queue != nil else { throw .closed }
    backup?.abort()
    let new = try onQueue { connection throws(StoreError) in
      try SQLiteBackup(of: connection, to: path)
    }
    backup = new
    return new
  }
}
