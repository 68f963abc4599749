// SPDX-License-Identifier: Apache-2.0
// Copies a SQLite store page by page, on the store's own connection.

import GRDBSQLite

/// A copy in progress, by SQLite's online backup. The store's connection writes to the copy what it
/// writes to the store between steps. Used on the storage queue only.
final class SQLiteBackup: StoreBackup {
  /// Pages of one step: 1 MiB, a few milliseconds.
  private static let stepPages: Int32 = 256

  private let path: String
  private let source: OpaquePointer
  private var copy: OpaquePointer?
  private var backup: OpaquePointer?

  /// - Parameters:
  ///   - source: The store's connection. It must stay open until the copy is done or `abort` was
  ///     called.
  ///   - path: An empty file with its final mode.
  init(of source: OpaquePointer, to path: String) throws(StoreError) {
    self.path = path
    self.source = source
    let code = sqlite3_open_v2(path, &copy, SQLITE_OPEN_READWRITE, nil)
    // An incomplete file is useless: it needs no journal, and one sync at the end.
    let isSet =
      code == SQLITE_OK
      && sqlite3_exec(copy, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", nil, nil, nil)
        == SQLITE_OK
    backup = isSet ? sqlite3_backup_init(copy, "main", source, "main") : nil
    if backup == nil {
      let error = Self.error(sqlite3_extended_errcode(copy), path)
      abort()
      throw error
    }
  }

  deinit {
    abort()
  }

  func step() throws(StoreError) -> Bool {
    guard backup != nil else { throw .closed }
    let code = sqlite3_backup_step(backup, Self.stepPages)
    if code == SQLITE_OK { return false }
    let end = sqlite3_backup_finish(backup)
    backup = nil
    guard code == SQLITE_DONE, end == SQLITE_OK else {
      abort()
      throw Self.error(code == SQLITE_DONE ? end : code, path)
    }
    // Without a log beside it: the file can be read where nothing may be written.
    let mode = sqlite3_exec(copy, "PRAGMA journal_mode = DELETE", nil, nil, nil)
    let closing = sqlite3_close(copy)
    copy = nil
    guard mode == SQLITE_OK, closing == SQLITE_OK else {
      throw Self.error(mode == SQLITE_OK ? closing : mode, path)
    }
    return true
  }

  /// Aborts the copy. Idempotent.
  func abort() {
    sqlite3_backup_finish(backup)
    backup = nil
    sqlite3_close(copy)
    copy = nil
  }

  /// Errors of the copy's disk are not fatal to the store's process.
  private static func error(_ code: Int32, _ path: String) -> StoreError {
    if code & 0xff == SQLITE_FULL { return .full }
    return .cannotOpen(
      path: path, reason: String(cString: sqlite3_errstr(code)) + " (SQLite \(code))")
  }
}
