// SPDX-License-Identifier: Apache-2.0
// One connection to a store's file, with the statements prepared on it.

import GRDB
import GRDBSQLite

/// A connection that GRDB opened. Used on its queue only.
///
/// What runs for each record or exchange is a `RawStatement`; what is rare goes through GRDB.
final class SQLiteConnection {
  let handle: OpaquePointer
  private let db: Database
  private var statements: [RawStatement] = []

  init(_ db: Database) throws(StoreError) {
    guard let handle = db.sqliteConnection else { throw .closed }
    self.db = db
    self.handle = handle
  }

  /// Prepares a statement that lives as long as the connection.
  func prepare(_ sql: String) throws(StoreError) -> RawStatement {
    let statement = try RawStatement(sql, on: handle)
    statements.append(statement)
    return statement
  }

  /// Finalizes all statements, which keep a connection open. Idempotent.
  func finalize() {
    for statement in statements { statement.finalize() }
  }

  /// Runs statements of GRDB's, whose errors carry the statement and its arguments: ours carry
  /// neither.
  func perform<R>(_ body: (Database) throws -> R) throws(StoreError) -> R {
    do {
      return try body(db)
    } catch let error as DatabaseError {
      throw StoreError(error.extendedResultCode.rawValue, on: handle)
    } catch {
      throw .damaged("a row cannot be read")
    }
  }
}

extension StoreError {
  /// The store's file holds what cannot be. The reason names no contents.
  static func damaged(_ reason: String) -> StoreError {
    .damaged(path: "atrest.db", reason: reason)
  }
}
