// SPDX-License-Identifier: Apache-2.0
// The store for one node: one SQLite file, one connection that writes.

import AtrestReplication
import GRDB
import GRDBSQLite
import Glibc

/// A store in a folder: `atrest.db`, its write-ahead log, and a lock.
///
/// One connection writes and checkpoints: SQLite before 3.51.3 can damage a file when two do. The
/// process locks the file for itself, so that no other program can join in. `synchronous=FULL`:
/// what was committed survives power loss.
package final class SQLiteStore: SyncStore {
  /// Transactions that had been made durable when the store was used last, and are gone: its log
  /// was damaged, or an older copy was put in its place. 0 if none is known to be. Devices that saw
  /// them notice, and bring back what they hold.
  package let lostCommits: UInt64
  /// The greatest time that the server's clock showed to a transaction that wrote.
  package private(set) var clockHighWater: WallTime
  /// The number that it was given when it was made.
  private let name: UInt64
  /// Transactions that wrote, since it was made.
  private var writes: UInt64
  /// Nil on a disk of the caller's own, as is the folder.
  private let progress: ProgressFile?
  private let directory: DataDirectory?
  /// The file, as its connections open it.
  private let location: String
  private var queue: DatabaseQueue?
  private var statements: RecordStatements?
  private weak var backup: SQLiteBackup?
  private let hooks: Hooks

  /// Where a test makes storage fail, as disks do; nil in production.
  package struct Hooks {
    /// Called before each transaction's statements reach the disk.
    package var beforeFlush: (() throws(StoreError) -> Void)?
    /// Called in place of an error that COMMIT returns.
    package var beforeCommit: (() throws(StoreError) -> Void)?
    /// Called after a transaction that wrote was committed.
    package var committed: (() -> Void)?

    /// None.
    package init() {}
  }

  /// Opens the store of a folder, or makes both.
  ///
  /// - Parameters:
  ///   - random: A random number: names a store that is made.
  /// - Throws: `StoreError`; the file is then as it was.
  /// - Complexity: Reads the whole file once, to find damage before anything is written.
  package convenience init(
    directory path: String, hooks: Hooks = Hooks(), random: () -> UInt64
  ) throws(StoreError) {
    let directory = try DataDirectory(path: path)
    let file = directory.databasePath
    try Self.inspect(file)
    try self.init(
      file: file, location: Self.uri(file), directory: directory, hooks: hooks,
      checkpointPages: Self.checkpointPages, random: random)
  }

  /// A store on a disk of the caller's own, for simulations. Nothing tells it that commits were
  /// lost.
  ///
  /// - Parameters:
  ///   - uri: A SQLite URI that names its file system; nothing else may have the file open. Made if
  ///     there is none.
  ///   - checkpointPages: Pages of the log at which it is moved into the file.
  package convenience init(
    uri: String, checkpointPages: Int, random: () -> UInt64
  ) throws(StoreError) {
    try self.init(
      file: uri, location: uri, directory: nil, hooks: Hooks(),
      checkpointPages: checkpointPages, random: random)
  }

  private init(
    file: String, location: String, directory: DataDirectory?, hooks: Hooks,
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
      (name, writes, clockHighWater, lostCommits, statements) = try queue.writeWithoutTransaction {
        db in
        try Self.check(db, path: file)
        try SQLiteSchema.migrate(db, path: file, random: random)
        try SQLiteSchema.check(db, path: file)
        try Self.configure(db, checkpointPages: checkpointPages)
        guard let row = try Row.fetchOne(db, sql: "SELECT name, writes, clock_ms FROM meta") else {
          throw StoreError.damaged(path: file, reason: "it has no name")
        }
        let (name, writes) = (
          UInt64(bitPattern: try row.value(Int64.self, of: "name")),
          UInt64(bitPattern: try row.value(Int64.self, of: "writes"))
        )
        let known = progress?.writes(ofStore: name) ?? 0
        progress?.note(writes: writes, ofStore: name)
        return (
          name, writes, WallTime(milliseconds: try row.value(of: "clock_ms")),
          known > writes ? known - writes : 0, try RecordStatements(db)
        )
      }
    } catch {
      queue = nil
      throw Self.storeError(opening: file, error)
    }
  }

  /// A reader, for a queue of its own. Not on a disk of the caller's own, which one connection has
  /// to itself.
  package func openReader() throws(StoreError) -> sending any StoreReader {
    guard queue != nil, directory != nil else { throw .closed }
    return try SQLiteReader(location: location, clockHighWater: clockHighWater)
  }

  package func transaction<R>(
    _ body: (any StoreTransaction) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    guard let queue, let statements else { throw .closed }
    let result: Result<R, StoreError> = queue.writeWithoutTransaction { db in
      do throws(StoreError) { return .success(try run(body, db, statements)) } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  package var owesErasure: Bool { directory?.owesErasure ?? false }

  package func erase() throws(StoreError) {
    guard let queue else { throw .closed }
    let result: Result<Void, StoreError> = queue.writeWithoutTransaction { db in
      do throws(StoreError) {
        guard let connection = db.sqliteConnection else { throw .closed }
        return .success(try Self.rebuild(connection))
      } catch {
        return .failure(error)
      }
    }
    try result.get()
    directory?.noteErasure(isOwed: false)
  }

  /// Deleting overwrites what it deletes, but where pages were balanced older copies of it lie
  /// between what is there, and nothing overwrites those. A file that is made anew holds what is
  /// there.
  private static func rebuild(_ connection: OpaquePointer) throws(StoreError) {
    // It is as large as the store.
    try RawStatement("PRAGMA temp_store = FILE", on: connection).run()
    defer { try? RawStatement("PRAGMA temp_store = MEMORY", on: connection).run() }
    do throws(StoreError) { try RawStatement("VACUUM", on: connection).run() } catch {
      // It came to nothing, and all is as it was: a folder for files without names that cannot be
      // written is no reason to end.
      guard case .inputOutput(let reason) = error else { throw error }
      throw .failed(reason: reason)
    }
    let checkpoint = try RawStatement("PRAGMA wal_checkpoint(TRUNCATE)", on: connection)
    guard try checkpoint.step(), checkpoint.integer(0) == 0 else {
      throw .failed(reason: "the log is in use")
    }
    try checkpoint.run()
  }

  package func beginBackup(to path: String) throws(StoreError) -> any StoreBackup {
    guard let queue else { throw .closed }
    backup?.abort()
    let result: Result<SQLiteBackup, StoreError> = queue.writeWithoutTransaction { db in
      do throws(StoreError) {
        guard let connection = db.sqliteConnection else { throw .closed }
        return .success(try SQLiteBackup(of: connection, to: path))
      } catch {
        return .failure(error)
      }
    }
    let new = try result.get()
    backup = new
    return new
  }

  package func close() {
    // Like prepared statements, a copy under way keeps the connection open.
    backup?.abort()
    // Prepared statements keep a connection open.
    queue?.writeWithoutTransaction { _ in statements?.finalize() }
    statements = nil
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

  private func run<R>(
    _ body: (any StoreTransaction) throws(StoreError) -> R, _ db: Database,
    _ statements: RecordStatements
  ) throws(StoreError) -> R {
    guard let connection = db.sqliteConnection else { throw .closed }
    try statements.begin.run()
    let before = sqlite3_total_changes64(connection)
    let result: R
    let transaction = SQLiteTransaction(db, statements, clockHighWater: clockHighWater)
    do throws(StoreError) {
      result = try body(transaction)
      // Before the commit: whatever happens then, it is not forgotten.
      if transaction.hasRemovedAccount { directory?.noteErasure(isOwed: true) }
      if sqlite3_total_changes64(connection) != before {
        statements.setWrites.bind(1, Int64(bitPattern: writes &+ 1))
        statements.setWrites.bind(2, transaction.clockHighWater.milliseconds)
        try statements.setWrites.run()
        // A full disk shows here, as a statement that failed and can be taken back, and not in the
        // commit, which is left with one frame to write.
        try hooks.beforeFlush?()
        let code = sqlite3_db_cacheflush(connection)
        guard code == SQLITE_OK else { throw StoreError(code, on: connection) }
      }
    } catch {
      try rollBack(connection, statements, after: error)
      throw error
    }
    do throws(StoreError) {
      try hooks.beforeCommit?()
      try statements.commit.run()
    } catch {
      // Not to take anything back, which cannot be known to work: only so that the connection can
      // be closed.
      try? rollBack(connection, statements, after: error)
      throw .commitUnknown(reason: Self.reason(error))
    }
    if sqlite3_total_changes64(connection) != before {
      writes &+= 1
      clockHighWater = transaction.clockHighWater
      progress?.note(writes: writes, ofStore: name)
      hooks.committed?()
    }
    return result
  }

  private func rollBack(
    _ connection: OpaquePointer, _ statements: RecordStatements, after cause: StoreError
  ) throws(StoreError) {
    // SQLite rolls back by itself after some errors.
    guard sqlite3_get_autocommit(connection) == 0 else { return }
    do throws(StoreError) { try statements.rollback.run() } catch {
      throw cause.isFatal ? cause : .inputOutput(reason: "a rollback failed")
    }
  }

  private static func reason(_ error: StoreError) -> String {
    switch error {
    case .inputOutput(let reason), .failed(let reason), .commitUnknown(let reason),
      .damaged(_, let reason), .cannotOpen(_, let reason):
      reason
    case .full: "no room left"
    case .inUse, .newerVersion, .notAStore, .closed, .notAwaited: "refused"
    }
  }
}

// MARK: - Opening

extension SQLiteStore {
  /// Pages of the log at which it is moved into the file: 32 MiB.
  private static let checkpointPages = 8192

  /// The file as connections of this process open it: all others are kept out, and what the
  /// connections share is in memory.
  private static func uri(_ path: String) -> String {
    let encoded = path.utf8.map { byte in
      isPlain(byte) ? String(UnicodeScalar(byte)) : "%" + Hexadecimal.encoded([byte])
    }
    // Two slashes before a host, which is nobody; then the path, if it begins with a slash.
    return (path.hasPrefix("/") ? "file://" : "file:") + encoded.joined() + "?vfs=unix-excl"
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
      UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// - Parameter isShared: Whether there may be readers.
  private static func configuration(isShared: Bool) -> Configuration {
    var configuration = Configuration()
    configuration.label = "atrest.store"
    configuration.busyMode = .timeout(5)
    // Transactions begin and end with statements of our own; GRDB would trap where a rollback
    // failed too.
    configuration.allowsUnsafeTransactions = true
    if !isShared {
      configuration.prepareDatabase { db in
        // Before anything is read, so that nobody else can be reading.
        try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
      }
    }
    return configuration
  }

  /// Looks at the file without SQLite, which might recover or checkpoint it; makes it if there is
  /// none.
  private static func inspect(_ path: String) throws(StoreError) {
    // O_CREAT with the mode: SQLite would make it readable to all, and gives its other files this
    // one's mode.
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .cannotOpen(path: path, reason: systemReason(errno)) }
    defer { _ = Glibc.close(descriptor) }
    _ = fchmod(descriptor, 0o600)
    var header = [UInt8](repeating: 0, count: 100)
    let count = header.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    guard count >= 0 else { throw .cannotOpen(path: path, reason: systemReason(errno)) }
    guard count > 0 else { return }
    try checkHeader(header.prefix(count), path: path)
  }

  /// Whether a file that begins like this is one of our stores, of a format that this build knows.
  static func checkHeader(_ header: ArraySlice<UInt8>, path: String) throws(StoreError) {
    guard header.count == 100, header.starts(with: Array("SQLite format 3\0".utf8)) else {
      throw .damaged(path: path, reason: "it does not begin like a database")
    }
    let version = number(header, at: 60)
    let application = number(header, at: 68)
    // Still zero while the first transaction is only in the log.
    guard application == UInt32(SQLiteSchema.applicationID) || application == 0 else {
      throw .notAStore(path: path)
    }
    guard version <= UInt32(SQLiteSchema.version) || application == 0 else {
      throw .newerVersion(path: path, found: Int(version), supported: SQLiteSchema.version)
    }
  }

  private static func number(_ bytes: ArraySlice<UInt8>, at offset: Int) -> UInt32 {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  private static func check(_ db: Database, path: String) throws {
    let finding = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? "no answer"
    guard finding == "ok" else {
      // The finding names pages and indexes, never contents; one line of it will do.
      throw StoreError.damaged(path: path, reason: String(finding.prefix(120)))
    }
  }

  private static func configure(_ db: Database, checkpointPages: Int) throws {
    // secure_delete: what is deleted is overwritten, so that a value whose owner took it away is in
    // the file no more. Ids are random, so a page of records touches most pages of the index.
    // Checkpoints that wait for 32 MiB of log write each of them once for many commits: pushing
    // 100,000 records is half as long again without.
    let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL") ?? ""
    try db.execute(
      sql: """
        PRAGMA synchronous = FULL;
        PRAGMA secure_delete = ON;
        PRAGMA temp_store = MEMORY;
        PRAGMA cache_size = -16384;
        PRAGMA journal_size_limit = 67108864;
        """)
    checkpointAutomatically(db, pages: checkpointPages)
    if Mutation.commitNotSynced.isActive { try db.execute(sql: "PRAGMA synchronous = NORMAL") }
    let synchronous =
      Mutation.commitNotSynced.isActive
      ? 2 : try Int.fetchOne(db, sql: "PRAGMA synchronous") ?? 0
    guard mode == "wal", synchronous == 2 else {
      throw StoreError.failed(reason: "durable commits are not to be had: \(mode)/\(synchronous)")
    }
    try makeDurable(db)
  }

  /// Moves the log into the file from some size on, as SQLite would by itself. It begins anew only
  /// when nobody reads what it held: from four times that size on the readers are waited for, so
  /// that it cannot grow for ever.
  private static func checkpointAutomatically(_ db: Database, pages: Int) {
    sqlite3_wal_hook(
      db.sqliteConnection,
      { pages, connection, name, frames in
        let limit = Int(bitPattern: pages)
        if Int(frames) >= limit {
          let isLarge = Int(frames) >= 4 * limit
          let mode = isLarge ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE
          // What cannot be moved now is moved later: the commit stands.
          sqlite3_wal_checkpoint_v2(connection, name, mode, nil, nil)
        }
        return SQLITE_OK
      }, UnsafeMutableRawPointer(bitPattern: pages))
  }

  /// Syncs what the log holds. A process that was killed inside a commit leaves a log that SQLite
  /// takes for committed although it is only in the system's memory: a device that offers the same
  /// write again would have it acknowledged without any commit, and a power failure would take it.
  private static func makeDurable(_ db: Database) throws {
    do { try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") } catch let error as DatabaseError {
      // The log is synced first; only moving it into the file takes room.
      guard error.resultCode == .SQLITE_FULL else { throw error }
    }
  }

  static func storeError(opening path: String, _ error: any Error) -> StoreError {
    if let error = error as? StoreError { return error }
    guard let error = error as? DatabaseError else {
      return .cannotOpen(path: path, reason: "unexpected error")
    }
    let reason = "SQLite \(error.extendedResultCode.rawValue)"
    switch error.resultCode {
    case .SQLITE_CORRUPT, .SQLITE_NOTADB: return .damaged(path: path, reason: reason)
    case .SQLITE_FULL: return .full
    case .SQLITE_BUSY:
      return .cannotOpen(path: path, reason: "another program has the file open")
    default: return .cannotOpen(path: path, reason: reason)
    }
  }
}
