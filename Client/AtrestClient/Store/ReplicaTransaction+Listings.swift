// SPDX-License-Identifier: Apache-2.0
// Queries that cost O(result), whatever the size of the replica.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation
import GRDB

extension ReplicaTransaction {
  /// Running fasts that are not deleted, latest start first.
  ///
  /// - Complexity: O(result), whatever the history.
  public func openSessions() throws(ReplicaError) -> [Session] {
    try sessions(.open, from: nil, before: nil, limit: nil).sorted {
      ($0.span.start, $0.id.uuidString) > ($1.span.start, $1.id.uuidString)
    }
  }

  /// Completed fasts of 4 hours or more that are not deleted, latest end first; for equal ends, the
  /// greater id first.
  ///
  /// - Parameters:
  ///   - from: The earliest end, inclusive.
  ///   - before: The latest end, exclusive.
  ///   - limit: The most fasts to return.
  /// - Complexity: O(result).
  public func history(
    from: WallTime? = nil, before: WallTime? = nil, limit: Int? = nil
  ) throws(ReplicaError) -> [Session] {
    try sessions(.inHistory, from: from, before: before, limit: limit)
  }

  /// The number of fasts in an unbounded `history`.
  public func historyCount() throws(ReplicaError) -> Int {
    try storage {
      try Int.fetchOne(
        database.cachedStatement(
          sql: "SELECT count(*) FROM record WHERE kind = ? AND state = ?"),
        arguments: [RecordKind.session.rawValue, ListingPosition.State.inHistory.rawValue]) ?? 0
    }
  }

  /// Drinks in a period that are not deleted, latest first.
  ///
  /// - Parameters:
  ///   - from: The start of the period, inclusive.
  ///   - before: The end of the period, exclusive.
  /// - Complexity: O(result).
  public func water(from: WallTime, before: WallTime) throws(ReplicaError) -> [WaterEntry] {
    try listed(.water, .drunk, from: from, before: before, limit: nil) { try? WaterEntry($0) }
  }

  /// The number of fasts ever completed, deleted ones included. The trial counts these.
  public func completedCount() throws(ReplicaError) -> Int {
    try storage {
      try Int.fetchOne(
        database.cachedStatement(
          sql: "SELECT count(*) FROM record WHERE kind = ? AND state IN (?, ?, ?)"),
        arguments: [RecordKind.session.rawValue] + Self.completedStates) ?? 0
    }
  }

  /// The length of the shortest unique prefix of an id, in hexadecimal digits, among all records of
  /// its kind, deleted ones included.
  public func distinctDigits(of key: RecordKey) throws(ReplicaError) -> Int {
    try storage {
      var digits = 0
      for sql in [
        "SELECT id FROM record WHERE kind = ? AND id < ? ORDER BY id DESC LIMIT 1",
        "SELECT id FROM record WHERE kind = ? AND id > ? ORDER BY id LIMIT 1",
      ] {
        let row = try Row.fetchOne(
          database.cachedStatement(sql: sql), arguments: [key.kind.rawValue, Data(key.id)])
        guard let neighbour = try row?.bytes(at: 0) else { continue }
        let shared = zip(key.id, neighbour).prefix { $0 == $1 }.count
        var same = shared * 2
        if shared < min(key.id.count, neighbour.count),
          key.id[shared] >> 4 == neighbour[shared] >> 4
        {
          same += 1
        }
        digits = max(digits, same)
      }
      return digits + 1
    }
  }

  static let completedStates: StatementArguments = [
    ListingPosition.State.inHistory.rawValue, ListingPosition.State.deleted.rawValue,
    ListingPosition.State.short.rawValue,
  ]

  private func sessions(
    _ state: ListingPosition.State, from: WallTime?, before: WallTime?, limit: Int?
  ) throws(ReplicaError) -> [Session] {
    try listed(.session, state, from: from, before: before, limit: limit) { try? Session($0) }
  }

  private func listed<Value>(
    _ kind: RecordKind, _ state: ListingPosition.State, from: WallTime?, before: WallTime?,
    limit: Int?,
    _ read: (AtrestReplication.Record) -> Value?
  ) throws(ReplicaError) -> [Value] {
    try storage {
      let rows = try Row.fetchCursor(
        database.cachedStatement(
          sql: """
            SELECT body FROM record WHERE kind = ? AND state = ? AND at >= ? AND at < ?
            ORDER BY at DESC, id DESC LIMIT ?
            """),
        arguments: [
          kind.rawValue, state.rawValue, from?.milliseconds ?? .min,
          before?.milliseconds ?? .max, limit ?? -1,
        ])
      var values: [Value] = []
      while let row = try rows.next() {
        if let value = read(try decode(row.bytes(at: 0))) { values.append(value) }
      }
      return values
    }
  }
}

extension Replica {
  /// Runs several reads on one snapshot. Does not block writers.
  ///
  /// - Throws: What `body` throws; `ReplicaError` if the replica fails.
  public func look<Result>(_ body: (ReplicaTransaction) throws -> Result) throws -> Result {
    try run(.deferred, body)
  }
}
