// SPDX-License-Identifier: Apache-2.0
// Queries that cost O(result), whatever the size of the replica.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire
import GRDB

extension ReplicaTransaction {
  /// Running fasts that are not deleted, latest start first.
  ///
  /// - Complexity: O(result), whatever the history.
  public func openSessions() throws(ReplicaError) -> [Session] {
    try work.listings.openSessions()
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
    try work.listings.history(from: from, before: before, limit: limit)
  }

  /// The number of fasts in an unbounded `history`.
  public func historyCount() throws(ReplicaError) -> Int { try work.listings.historyCount() }

  /// Drinks in a period that are not deleted, latest first.
  ///
  /// - Parameters:
  ///   - from: The start of the period, inclusive.
  ///   - before: The end of the period, exclusive.
  /// - Complexity: O(result).
  public func water(from: WallTime, before: WallTime) throws(ReplicaError) -> [WaterEntry] {
    try work.listings.water(from: from, before: before)
  }

  /// The number of fasts ever completed, deleted ones included. The trial counts these.
  public func completedCount() throws(ReplicaError) -> Int { try work.listings.completedCount() }

  /// The length of the shortest unique prefix of an id, in hexadecimal digits, among all records of
  /// its kind, deleted ones included.
  public func distinctDigits(of key: RecordKey) throws(ReplicaError) -> Int {
    try work.listings.distinctDigits(of: key)
  }

  static let completedStates = StatementArguments(
    ListingPosition.State.completed.map(\.rawValue))
}

extension Replica {
  /// Runs several reads on one snapshot. Does not block writers.
  ///
  /// - Throws: What `body` throws; `ReplicaError` if the replica fails.
  public func look<Result>(_ body: (ReplicaTransaction) throws -> Result) throws -> Result {
    try run(.deferred, body)
  }
}
