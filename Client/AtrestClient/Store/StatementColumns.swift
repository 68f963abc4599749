// SPDX-License-Identifier: Apache-2.0
// The columns of a statement's current row, read where they are.

import AtrestReplication
import GRDB
import GRDBSQLite

/// The fence around SQLite's column functions: what a replica's tables read once per record. GRDB's
/// rows add up to a microsecond for each column. Valid until the statement's next step.
///
/// The tables are strict, so a column of another type means that the file is damaged.
struct StatementColumns {
  private let handle: OpaquePointer

  init(_ statement: Statement) { handle = statement.sqliteStatement }

  func integer(_ column: Int32) throws -> Int64 {
    guard let integer = try optionalInteger(column) else { throw Self.damage }
    return integer
  }

  /// nil for NULL.
  func optionalInteger(_ column: Int32) throws -> Int64? {
    switch sqlite3_column_type(handle, column) {
    case SQLITE_NULL: return nil
    case SQLITE_INTEGER: return sqlite3_column_int64(handle, column)
    default: throw Self.damage
    }
  }

  func bytes(_ column: Int32) throws -> [UInt8] {
    guard let bytes = try optionalBytes(column) else { throw Self.damage }
    return bytes
  }

  /// nil for NULL.
  func optionalBytes(_ column: Int32) throws -> [UInt8]? {
    let type = sqlite3_column_type(handle, column)
    if type == SQLITE_NULL { return nil }
    guard type == SQLITE_BLOB || type == SQLITE_TEXT else { throw Self.damage }
    // SQLite gives no address for an empty blob.
    let start = sqlite3_column_blob(handle, column)
    let count = start == nil ? 0 : Int(sqlite3_column_bytes(handle, column))
    return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }

  /// A record's key in two adjacent columns.
  func key(_ column: Int32) throws -> RecordKey {
    guard let kind = UInt32(exactly: try integer(column)) else { throw Self.damage }
    return RecordKey(kind: RecordKind(rawValue: kind), id: try bytes(column + 1))
  }

  private static var damage: DatabaseError { DatabaseError(resultCode: .SQLITE_CORRUPT) }
}
