// SPDX-License-Identifier: Apache-2.0
// One transaction on a replica: the ground on which reads, writes, and the storing of answers
// stand.

import AtrestProtocol
import AtrestReplication
import Foundation
import GRDB

import struct AtrestReplication.Record

/// Reads and writes of one transaction. Of no use after it.
public final class ReplicaTransaction {
  let database: Database
  let path: String
  /// This device's clock when the transaction began.
  let now: WallTime
  var state: ReplicaState
  private let random: @Sendable () -> UInt64
  private let stateBefore: ReplicaState
  /// What the action that is being taken wrote so far; nil outside of one.
  var steps: [ActionStep]?
  /// The first failure of the database: whatever the caller makes of it, nothing of this
  /// transaction may then be kept.
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

  /// 32 random bytes: names a request that may have to be repeated.
  func longNonce() -> [UInt8] {
    (0..<4).flatMap { _ in withUnsafeBytes(of: nonce().littleEndian) { Array($0) } }
  }

  /// Notes that everything held is to be compared with the server. What is being compared already
  /// began too early.
  ///
  /// - Parameter afterLoss: Whether the server lost something.
  func demandReconcile(afterLoss: Bool) {
    // The lowest bit of the demand's name says so.
    state.mustReconcile = afterLoss || state.isAfterLoss ? nonce() | 1 : max(2, nonce() & ~1)
  }

  /// Called before the commit.
  func finish() throws {
    if let failure { throw failure }
    if state != stateBefore { try state.write(database) }
  }

  /// Runs database code, and remembers if it failed.
  func storage<Result>(_ body: () throws -> Result) throws(ReplicaError) -> Result {
    if let failure { throw failure }
    do { return try body() } catch {
      let known = ReplicaError(error, path: path)
      failure = known
      throw known
    }
  }

  /// A record as it is stored, deleted or not, of any kind.
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

  /// Stores a record, whatever was there.
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

  /// What is stored was checked when it came in; if it is unreadable now, the file is damaged.
  func decode(_ bytes: [UInt8]) throws(ReplicaError) -> Record {
    do { return try Record(decoding: bytes) } catch { throw .damaged(path: path) }
  }

  /// The same for the bytes found under a key: only copies of one record merge.
  func decode(_ bytes: [UInt8], of key: RecordKey) throws(ReplicaError) -> Record {
    let record = try decode(bytes)
    guard record.key == key else { throw .damaged(path: path) }
    return record
  }
}

extension Row {
  /// A copy of a blob. A missing one means a damaged file: the tables are strict.
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
