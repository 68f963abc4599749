// SPDX-License-Identifier: Apache-2.0
// All rows of a replica's file, as the owner of tables in memory keeps them.

import AtrestReplication
import AtrestSync
import AtrestWire
import GRDB

extension Replica {
  /// All rows. For comparing SQLite with tables in memory. O(replica).
  package func contents() throws(ReplicaError) -> ReplicaChanges {
    try read { try $0.work.tables.contents() }
  }
}

extension SQLiteTables {
  /// All rows.
  func contents() throws(ReplicaError) -> ReplicaChanges {
    var rows = ReplicaChanges()
    rows.state = state
    rows.records.stored = try all(
      "SELECT kind, id, body, state, at FROM record ORDER BY kind, id", []
    ) { row in
      var listing: ListingPosition?
      if let number = try row.optionalInteger(3),
        let state = ListingPosition.State(rawValue: Int(number))
      {
        listing = ListingPosition(state: state, at: try row.integer(4))
      }
      return RecordRow(key: try row.key(0), body: try row.bytes(2), listing: listing)
    }
    try forEachOutboxRow { row throws(ReplicaError) in rows.outbox.stored.append(row) }
    rows.tokens.stored = try all(
      "SELECT through, token FROM outbox_token ORDER BY through", []
    ) { row in
      OutboxPosition(
        number: UInt64(clamping: try row.integer(0)),
        token: UInt64(bitPattern: try row.integer(1)))
    }
    let actions = try all("SELECT sequence, what, at FROM action ORDER BY sequence", []) { row in
      ActionRow(
        sequence: try row.integer(0), what: Int(try row.integer(1)),
        at: WallTime(milliseconds: try row.integer(2)))
    }
    for action in actions {
      rows.actions.stored.append(
        StoredAction(action: action, steps: try actionSteps(action.sequence)))
    }
    rows.lastSequence = try lastRow(of: "outbox")
    rows.lastAction = try lastRow(of: "action")
    return rows
  }

  /// The greatest sequence that a table's rows ever had.
  private func lastRow(of table: String) throws(ReplicaError) -> Int64 {
    try first("SELECT seq FROM sqlite_sequence WHERE name = ?", [table]) { try $0.integer(0) } ?? 0
  }
}
