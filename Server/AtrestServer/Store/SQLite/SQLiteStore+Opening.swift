// SPDX-License-Identifier: Apache-2.0
// How a SQLite file is opened: inspected without SQLite, checked, configured, checkpointed.

import AtrestReplication
import GRDB
import GRDBSQLite
import Glibc

extension SQLiteStore {
  /// How long a statement waits for other connections.
  static let busyMilliseconds: Int32 = 5000

  /// Pages of the log at which it is checkpointed: 32 MiB.
  static let checkpointPages = 8192

  /// The URI of a file that the connections of one process share, in memory, and that no other
  /// process can open.
  static func uri(_ path: String) -> String {
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
  static func configuration(isShared: Bool) -> Configuration {
    var configuration = Configuration()
    configuration.label = "atrest.store"
    configuration.busyMode = .timeout(Double(busyMilliseconds) / 1000)
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

  /// Checks the file's header without SQLite, which might recover or checkpoint it. Makes the file
  /// if there is none.
  static func inspect(_ path: String) throws(StoreError) {
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

  /// Checks that a file with this header is a store, of a format that this build knows.
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

  static func check(_ db: Database, path: String) throws {
    let finding = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? "no answer"
    guard finding == "ok" else {
      // The finding names pages and indexes, never contents; one line of it will do.
      throw StoreError.damaged(path: path, reason: String(finding.prefix(120)))
    }
  }

  static func configure(_ db: Database, checkpointPages: Int) throws {
    // secure_delete overwrites deleted rows. Ids are random, so a page of records dirties most
    // pages of the index: checkpoints that wait for 32 MiB of log write each of them once for many
    // commits. Pushing 100,000 records takes half as long again without.
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
    let synchronous = try Int.fetchOne(db, sql: "PRAGMA synchronous") ?? 0
    guard mode == "wal", synchronous == 2 else {
      throw StoreError.failed(reason: "durable commits are not to be had: \(mode)/\(synchronous)")
    }
    try makeDurable(db)
  }

  /// Checkpoints the log from a size on, as SQLite would by itself. The log restarts only when no
  /// reader uses it: from four times that size on a commit waits for the readers, which bounds it.
  private static func checkpointAutomatically(_ db: Database, pages: Int) {
    sqlite3_wal_hook(
      db.sqliteConnection,
      { pages, connection, name, frames in
        let limit = Int(bitPattern: pages)
        if Int(frames) >= limit {
          let isLarge = Int(frames) >= 4 * limit
          let mode = isLarge ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE
          // The commit stands: a checkpoint that fails is tried again after the next one.
          sqlite3_wal_checkpoint_v2(connection, name, mode, nil, nil)
        }
        return SQLITE_OK
      }, UnsafeMutableRawPointer(bitPattern: pages))
  }

  /// Syncs the log. A process killed inside a commit leaves a log that SQLite takes for committed
  /// although it is only in the system's memory: a repeated offer would be acknowledged without a
  /// commit, and a power failure would take it.
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
