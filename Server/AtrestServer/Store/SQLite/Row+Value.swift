// SPDX-License-Identifier: Apache-2.0
// Reads a row's columns without trapping: a file may be damaged in ways that SQLite does not see.

import GRDB

extension Row {
  /// A column's value.
  ///
  /// - Throws: Where GRDB's subscripts would end the process: no such column, NULL, or a value of
  ///   another type.
  func value<Value: DatabaseValueConvertible>(
    _ type: Value.Type = Value.self, of column: String
  ) throws -> Value {
    guard let index = Array(columnNames).firstIndex(of: column) else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT)
    }
    return try decode(Value.self, atIndex: index)
  }
}
