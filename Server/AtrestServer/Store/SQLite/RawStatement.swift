// SPDX-License-Identifier: Apache-2.0
// The fence around SQLite's C interface: prepared statements for the few that run once per record.

import GRDBSQLite

/// One prepared statement. GRDB's own statements cost several microseconds a row in values and
/// dictionaries; these cost what SQLite costs. Used on the connection's queue only.
final class RawStatement {
  private let connection: OpaquePointer
  private var handle: OpaquePointer?

  init(_ sql: String, on connection: OpaquePointer) throws(StoreError) {
    self.connection = connection
    let code = sqlite3_prepare_v3(
      connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    guard code == SQLITE_OK, handle != nil else { throw StoreError(code, on: connection) }
  }

  deinit {
    finalize()
  }

  /// Must happen before the connection closes. Idempotent.
  func finalize() {
    sqlite3_finalize(handle)
    handle = nil
  }

  func bind(_ index: Int32, _ value: Int64) {
    sqlite3_bind_int64(handle, index, value)
  }

  /// Nil becomes NULL.
  func bind(_ index: Int32, _ value: Int64?) {
    if let value { bind(index, value) } else { sqlite3_bind_null(handle, index) }
  }

  /// SQLite keeps a copy until the next `bind`. A failure to copy leaves NULL, which every column
  /// refuses.
  func bind(_ index: Int32, _ bytes: [UInt8]) {
    // SQLITE_TRANSIENT: a macro that the importer does not understand.
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    _ = bytes.withUnsafeBytes {
      sqlite3_bind_blob64(handle, index, $0.baseAddress, UInt64($0.count), transient)
    }
  }

  /// Runs to the next row. True: there is one. The statement is reset when there is none, and on an
  /// error.
  func step() throws(StoreError) -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    let error = code == SQLITE_DONE ? nil : StoreError(code, on: connection)
    sqlite3_reset(handle)
    if let error { throw error }
    return false
  }

  /// For statements that give no rows.
  func run() throws(StoreError) {
    while try step() {}
  }

  /// Rows that the statement that ran last inserted, updated or deleted.
  var changedRows: Int32 { sqlite3_changes(connection) }

  /// Ends a read before its last row.
  func reset() {
    sqlite3_reset(handle)
  }

  func integer(_ column: Int32) -> Int64 {
    sqlite3_column_int64(handle, column)
  }

  func optionalInteger(_ column: Int32) -> Int64? {
    sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : integer(column)
  }

  func text(_ column: Int32) -> String {
    String(decoding: bytes(column), as: UTF8.self)
  }

  func bytes(_ column: Int32) -> [UInt8] {
    let start = sqlite3_column_blob(handle, column)
    return [UInt8](
      UnsafeRawBufferPointer(
        start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, column))))
  }
}

extension StoreError {
  /// What a result code means for a transaction under way.
  init(_ code: Int32, on connection: OpaquePointer?) {
    let reason = String(cString: sqlite3_errstr(code)) + " (SQLite \(code))"
    switch code & 0xff {
    case SQLITE_FULL: self = .full
    case SQLITE_CORRUPT, SQLITE_NOTADB: self = .damaged(path: "atrest.db", reason: reason)
    case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_READONLY: self = .inputOutput(reason: reason)
    default: self = .failed(reason: reason)
    }
  }
}
