// SPDX-License-Identifier: Apache-2.0
// The table `record` and its listings.

import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation
import GRDB

extension SQLiteTables {
  func recordBody(_ key: RecordKey) throws(ReplicaError) -> [UInt8]? {
    try first(
      "SELECT body FROM record WHERE kind = ? AND id = ?", [key.kind.rawValue, Data(key.id)]
    ) { try $0.bytes(0) }
  }

  func insertRecord(_ row: RecordRow) throws(ReplicaError) -> Bool {
    try execute(
      """
      INSERT INTO record (kind, id, body, state, at) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING
      """, columns(row)) > 0
  }

  func putRecord(_ row: RecordRow) throws(ReplicaError) {
    try execute(
      """
      INSERT INTO record (kind, id, body, state, at) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (kind, id) DO UPDATE
      SET body = excluded.body, state = excluded.state, at = excluded.at
      """, columns(row))
  }

  private func columns(_ row: RecordRow) -> StatementArguments {
    [
      row.key.kind.rawValue, Data(row.key.id), Data(row.body), row.listing?.state.rawValue,
      row.listing?.at,
    ]
  }

  func forEachRecord(
    of kind: RecordKind?, _ visit: (RecordKey, [UInt8]) throws(ReplicaError) -> Void
  ) throws(ReplicaError) {
    try forEach(
      "SELECT kind, id, body FROM record WHERE kind BETWEEN ? AND ? ORDER BY kind, id",
      [kind?.rawValue ?? 0, kind?.rawValue ?? UInt32.max],
      { (key: try $0.key(0), body: try $0.bytes(2)) },
      { row throws(ReplicaError) in
        try visit(row.key, row.body)
        return true
      })
  }

  func forEachListed(
    _ range: ListingRange, _ visit: ([UInt8]) throws(ReplicaError) -> Void
  ) throws(ReplicaError) {
    try forEach(
      """
      SELECT body FROM record WHERE kind = ? AND state = ? AND at >= ? AND at < ?
      ORDER BY at DESC, id DESC LIMIT ?
      """,
      [range.kind.rawValue, range.state.rawValue, range.from, range.before, range.limit ?? -1],
      { try $0.bytes(0) },
      { body throws(ReplicaError) in
        try visit(body)
        return true
      })
  }

  func countListed(
    _ kind: RecordKind, in states: [ListingPosition.State]
  ) throws(ReplicaError) -> Int {
    let places = states.map { _ in "?" }.joined(separator: ", ")
    return try first(
      "SELECT count(*) FROM record WHERE kind = ? AND state IN (\(places))",
      [kind.rawValue] + StatementArguments(states.map(\.rawValue))
    ) { Int(truncatingIfNeeded: try $0.integer(0)) } ?? 0
  }

  func nearestIDs(to key: RecordKey) throws(ReplicaError) -> [[UInt8]] {
    var ids: [[UInt8]] = []
    for sql in [
      "SELECT id FROM record WHERE kind = ? AND id < ? ORDER BY id DESC LIMIT 1",
      "SELECT id FROM record WHERE kind = ? AND id > ? ORDER BY id LIMIT 1",
    ] {
      ids += try all(sql, [key.kind.rawValue, Data(key.id)]) { try $0.bytes(0) }
    }
    return ids
  }
}
