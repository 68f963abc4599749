// SPDX-License-Identifier: Apache-2.0
// A replica's tables in SQLite, within one transaction.

import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation
import GRDB

/// The tables of a replica's file. Files beside this one have the operations on each of them; the
/// tables themselves are in `Schema`.
///
/// Remembers the first failure, so that the transaction rolls back whatever the caller does with
/// the error. Its variables are touched for each row, one at a time, so no access to them needs to
/// be checked for overlapping another one.
final class SQLiteTables: ReplicaTables {
  let database: Database
  let path: String
  @exclusivity(unchecked) var state: ReplicaState
  private let stateBefore: ReplicaState
  /// Whether the transaction may not write: others may be writing meanwhile.
  var isReadOnly = false
  @exclusivity(unchecked) private var failure: ReplicaError?
  /// The statement that was used last: most are used for many rows in succession.
  @exclusivity(unchecked) private var latest: (sql: String, statement: Statement)?

  /// The tables of a database that is in a transaction.
  init(_ database: Database, path: String) throws {
    self.database = database
    self.path = path
    state = try ReplicaState(database)
    stateBefore = state
  }

  /// Called before the commit.
  func finish() throws {
    if let failure { throw failure }
    if state != stateBefore { try state.write(database) }
  }

  func damaged() -> ReplicaError {
    let known = failure ?? .damaged(path: path)
    failure = known
    return known
  }

  /// Runs database code and remembers its failure.
  func storage<Result>(_ body: () throws -> Result) throws(ReplicaError) -> Result {
    if let failure { throw failure }
    do { return try body() } catch {
      let known = ReplicaError(error, path: path)
      failure = known
      throw known
    }
  }

  private func statement(_ sql: String) throws -> Statement {
    if let latest, latest.sql == sql { return latest.statement }
    let statement = try database.cachedStatement(sql: sql)
    latest = (sql, statement)
    return statement
  }

  /// Executes a statement, which stays prepared.
  /// - Returns: The number of rows that it changed.
  @discardableResult
  func execute(_ sql: String, _ arguments: StatementArguments = []) throws(ReplicaError) -> Int {
    try storage {
      guard !isReadOnly else {
        throw ReplicaError.invalid("Nothing is written while looking. Write in a transaction.")
      }
      try statement(sql).execute(arguments: arguments)
      return database.changesCount
    }
  }

  /// The first row of a query, whose statement stays prepared; nil if there is none.
  func first<Value>(
    _ sql: String, _ arguments: StatementArguments, _ read: (StatementColumns) throws -> Value
  ) throws(ReplicaError) -> Value? {
    try storage {
      let statement = try statement(sql)
      let rows = try Row.fetchCursor(statement, arguments: arguments)
      return try rows.next() == nil ? nil : read(StatementColumns(statement))
    }
  }

  /// All rows of a query, whose statement stays prepared.
  func all<Value>(
    _ sql: String, _ arguments: StatementArguments, _ read: (StatementColumns) throws -> Value
  ) throws(ReplicaError) -> [Value] {
    try storage {
      var values: [Value] = []
      let statement = try statement(sql)
      let rows = try Row.fetchCursor(statement, arguments: arguments)
      while try rows.next() != nil { values.append(try read(StatementColumns(statement))) }
      return values
    }
  }

  /// Calls `visit` for the rows of a query, one by one, until it returns false. The statement stays
  /// prepared.
  func forEach<Value>(
    _ sql: String, _ arguments: StatementArguments, _ read: (StatementColumns) throws -> Value,
    _ visit: (Value) throws(ReplicaError) -> Bool
  ) throws(ReplicaError) {
    let statement = try storage { try database.cachedStatement(sql: sql) }
    let rows = try storage { try Row.fetchCursor(statement, arguments: arguments) }
    while let value = try storage({
      try rows.next() == nil ? nil : read(StatementColumns(statement))
    }), try visit(value) {}
  }
}

extension Row {
  /// A copy of a blob. The tables are strict, so NULL means that the file is damaged.
  func bytes(at index: Int) throws -> [UInt8] {
    guard let bytes = try optionalBytes(at: index) else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT)
    }
    return bytes
  }

  /// A copy of a blob, or nil for NULL.
  func optionalBytes(at index: Int) throws -> [UInt8]? {
    try withUnsafeData(atIndex: index) { data in
      data.map { $0.withUnsafeBytes { [UInt8]($0) } }
    }
  }

  /// A record's key from two adjacent columns.
  func key(at index: Int) throws -> RecordKey {
    RecordKey(
      kind: RecordKind(rawValue: try decode(atIndex: index)), id: try bytes(at: index + 1))
  }
}
