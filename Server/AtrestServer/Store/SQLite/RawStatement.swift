// SPDX-License-Identifier: Apache-2.0
// The fence around SQLite's C interface: prepared statements for what runs once per record.

import GRDBSQLite

/// One prepared statement. A row costs what it costs SQLite; GRDB's statements add several
/// microseconds. Used on the connection's queue only.
final class RawStatement {
  private let connection: OpaquePointer
  private let handle: OpaquePointer
  private var isFinalized = false
  /// Copies of the blobs bound, by parameter. SQLite would allocate one for each.
  private var blobs: [UnsafeMutableRawBufferPointer]

  init(_ sql: String, on connection: OpaquePointer) throws(StoreError) {
    self.connection = connection
    var handle: OpaquePointer?
    let code = sqlite3_prepare_v3(
      connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    guard code == SQLITE_OK, let handle else { throw StoreError(code, on: connection) }
    self.handle = handle
    let empty = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    blobs = Array(repeating: empty, count: Int(sqlite3_bind_parameter_count(handle)))
  }

  deinit {
    finalize()
  }

  /// Releases the statement, which nobody uses any more. Before the connection closes. Idempotent.
  func finalize() {
    guard !isFinalized else { return }
    isFinalized = true
    sqlite3_finalize(handle)
    for blob in blobs { blob.deallocate() }
  }

  func bind(_ index: Int32, _ value: Int64) {
    sqlite3_bind_int64(handle, index, value)
  }

  /// Nil becomes NULL.
  func bind(_ index: Int32, _ value: Int64?) {
    if let value { bind(index, value) } else { sqlite3_bind_null(handle, index) }
  }

  func bind(_ index: Int32, _ bytes: [UInt8]) {
    let blob = room(for: bytes.count, at: Int(index) - 1)
    bytes.withUnsafeBytes { blob.copyMemory(from: $0) }
    sqlite3_bind_blob64(handle, index, blob.baseAddress, UInt64(bytes.count), nil)
  }

  /// A parameter's buffer, made larger if it has to be. Never empty: SQLite takes that for NULL.
  private func room(for count: Int, at parameter: Int) -> UnsafeMutableRawBufferPointer {
    let blob = blobs[parameter]
    guard blob.count <= count else { return blob }
    // SQLite lets go of the old one before it is gone.
    sqlite3_bind_null(handle, Int32(parameter + 1))
    blob.deallocate()
    let new = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(64, 2 * count), alignment: 1)
    blobs[parameter] = new
    return new
  }

  /// Runs to the next row.
  ///
  /// - Returns: Whether there is one. If not, and on an error, the statement is reset.
  func step() throws(StoreError) -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    let error = code == SQLITE_DONE ? nil : StoreError(code, on: connection)
    sqlite3_reset(handle)
    if let error { throw error }
    return false
  }

  /// Runs a statement that returns no rows.
  func run() throws(StoreError) {
    while try step() {}
  }

  /// Rows that the last statement on the connection inserted, updated or deleted.
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
