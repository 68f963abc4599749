// SPDX-License-Identifier: Apache-2.0
// Queries that cost O(result), whatever the size of the replica.

import AtrestDomain
import AtrestReplication
import AtrestWire

/// Records by their `ListingPosition`.
package struct ListingIndex<Tables: ReplicaTables> {
  private let tables: Tables
  private let records: RecordTable<Tables>

  /// The listings of a store.
  package init(_ tables: Tables) {
    self.tables = tables
    records = RecordTable(tables)
  }

  /// Running fasts that are not deleted, latest start first.
  package func openSessions() throws(ReplicaError) -> [Session] {
    try sessions(ListingRange(.session, .open)).sorted {
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
  package func history(
    from: WallTime?, before: WallTime?, limit: Int?
  ) throws(ReplicaError) -> [Session] {
    var range = ListingRange(.session, .inHistory)
    if let from { range.from = from.milliseconds }
    if let before { range.before = before.milliseconds }
    range.limit = limit
    return try sessions(range)
  }

  /// The number of fasts in an unbounded `history`.
  package func historyCount() throws(ReplicaError) -> Int {
    try tables.countListed(.session, in: [.inHistory])
  }

  /// Drinks from a time up to another that are not deleted, latest first.
  package func water(from: WallTime, before: WallTime) throws(ReplicaError) -> [WaterEntry] {
    var range = ListingRange(.water, .drunk)
    range.from = from.milliseconds
    range.before = before.milliseconds
    return try listed(range) { try? WaterEntry($0) }
  }

  /// The number of fasts ever completed, deleted ones included.
  package func completedCount() throws(ReplicaError) -> Int {
    try tables.countListed(.session, in: ListingPosition.State.completed)
  }

  /// The length of the shortest unique prefix of an id, in hexadecimal digits, among all records of
  /// its kind, deleted ones included.
  package func distinctDigits(of key: RecordKey) throws(ReplicaError) -> Int {
    var digits = 0
    for neighbour in try tables.nearestIDs(to: key) {
      let shared = zip(key.id, neighbour).prefix { $0 == $1 }.count
      var same = shared * 2
      if shared < min(key.id.count, neighbour.count), key.id[shared] >> 4 == neighbour[shared] >> 4
      {
        same += 1
      }
      digits = max(digits, same)
    }
    return digits + 1
  }

  private func sessions(_ range: ListingRange) throws(ReplicaError) -> [Session] {
    try listed(range) { try? Session($0) }
  }

  private func listed<Value>(
    _ range: ListingRange, _ read: (Record) -> Value?
  ) throws(ReplicaError) -> [Value] {
    var values: [Value] = []
    try tables.forEachListed(range) { body throws(ReplicaError) in
      if let value = read(try records.decode(body)) { values.append(value) }
    }
    return values
  }
}
