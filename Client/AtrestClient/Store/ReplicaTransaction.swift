// SPDX-License-Identifier: Apache-2.0
// One transaction on a replica, the base of all reads, writes and applied answers.

import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation
import GRDB

import struct AtrestReplication.Record

/// The reads and writes of one transaction. Invalid after the transaction ends.
///
/// Every method throws `ReplicaError` if the database fails; the transaction then rolls back.
public final class ReplicaTransaction {
  let database: Database
  let path: String
  /// This device's clock when the transaction began.
  let now: WallTime
  var state: ReplicaState
  private let random: @Sendable () -> UInt64
  private let stateBefore: ReplicaState
  /// The records whose contents this transaction changed.
  var changed = ChangedRecords()
  /// What the current user action wrote so far; nil outside of one.
  var steps: [ActionStep]?
  /// The first database failure. The transaction then rolls back, whatever the caller does with the
  /// error.
  private var failure: ReplicaError?

  init(
    _ database: Database, path: String, now: WallTime, random: @escaping @Sendable () -> UInt64
  ) throws {
    self.database = database
    self.path = path
    self.now = now
    self.random = random
    state = try ReplicaState.read(database)
    stateBefore = state
  }

  /// A random number, not zero.
  func nonce() -> UInt64 {
    let number = random()
    return number == 0 ? 1 : number
  }

  /// 32 random bytes: the nonce of a request that may have to be repeated.
  func longNonce() -> [UInt8] {
    (0..<4).flatMap { _ in withUnsafeBytes(of: nonce().littleEndian) { Array($0) } }
  }

  /// Demands a comparison of all records with the server. A comparison already in progress does not
  /// satisfy the demand.
  ///
  /// - Parameter afterLoss: Whether the server lost something.
  func demandReconcile(afterLoss: Bool) {
    // Bit 0 of the demand marks a loss.
    state.mustReconcile = afterLoss || state.isAfterLoss ? nonce() | 1 : max(2, nonce() & ~1)
  }

  /// Called before the commit.
  func finish() throws {
    if let failure { throw failure }
    if state != stateBefore { try state.write(database) }
  }

  /// Runs database code and records its failure.
  func storage<Result>(_ body: () throws -> Result) throws(ReplicaError) -> Result {
    if let failure { throw failure }
    do { return try body() } catch {
      let known = ReplicaError(error, path: path)
      failure = known
      throw known
    }
  }

  /// A stored record of any kind, deleted or not; nil if there is none.
  public func record(_ key: RecordKey) throws(ReplicaError) -> Record? {
    try storage { try body(key).map { try decode($0, of: key) } }
  }

  /// The stored bytes of a record.
  func body(_ key: RecordKey) throws -> [UInt8]? {
    let row = try Row.fetchOne(
      database.cachedStatement(sql: "SELECT body FROM record WHERE kind = ? AND id = ?"),
      arguments: [key.kind.rawValue, Data(key.id)])
    return try row?.bytes(at: 0)
  }

  /// Stores a record unconditionally.
  func put(_ record: Record) throws {
    let place = ListingPosition(of: record)
    try database.cachedStatement(
      sql: """
        INSERT INTO record (kind, id, body, state, at) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (kind, id) DO UPDATE
        SET body = excluded.body, state = excluded.state, at = excluded.at
        """
    ).execute(arguments: [
      record.key.kind.rawValue, Data(record.key.id), Data(record.encoded),
      place?.state.rawValue, place?.at,
    ])
  }

  /// Calls `body` for each record, by key, of one kind or of all.
  func forEachRecord(kind: RecordKind? = nil, _ body: (Record) throws -> Void) throws {
    let rows = try Row.fetchCursor(
      database.cachedStatement(
        sql: """
          SELECT body FROM record WHERE kind BETWEEN ? AND ? ORDER BY kind, id
          """),
      arguments: [kind?.rawValue ?? 0, kind?.rawValue ?? UInt32.max])
    while let row = try rows.next() { try body(decode(row.bytes(at: 0))) }
  }

  /// Decodes stored bytes. They were checked on the way in, so a failure means that the file is
  /// damaged.
  func decode(_ bytes: [UInt8]) throws(ReplicaError) -> Record {
    do { return try Record(decoding: bytes) } catch { throw .damaged(path: path) }
  }

  /// Decodes the bytes stored under a key and checks the key: only copies of one record merge.
  func decode(_ bytes: [UInt8], of key: RecordKey) throws(ReplicaError) -> Record {
    let record = try decode(bytes)
    guard record.key == key else { throw .damaged(path: path) }
    return record
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
    try withUnsafeData(atIndex: index) { data in data.map { [UInt8]($0) } }
  }
}
