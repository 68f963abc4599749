// SPDX-License-Identifier: Apache-2.0
// Checks everything in a replica, so that damage is found early.

import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation
import GRDB

extension Replica {
  /// Checks the file's structure, and that every record and waiting write decodes and matches its
  /// key.
  ///
  /// - Returns: The number of records.
  /// - Throws: `.damaged` if a check fails.
  /// - Complexity: O(records and waiting writes), about 10 µs per record.
  public func examine() throws(ReplicaError) -> Int {
    try read { transaction in
      let database = transaction.database
      guard try String.fetchAll(database, sql: "PRAGMA quick_check(1)") == ["ok"] else {
        throw DatabaseError(resultCode: .SQLITE_CORRUPT)
      }
      var count = 0
      let rows = try Row.fetchCursor(database, sql: "SELECT kind, id, body FROM record")
      while let row = try rows.next() {
        _ = try transaction.work.records.decode(row.bytes(at: 2), of: row.key(at: 0))
        count += 1
      }
      try transaction.work.outbox.forEachEntry { entry throws(ReplicaError) in
        let isSound =
          if let offer = entry.offer {
            offer.record.key == entry.key
          } else {
            try transaction.work.tables.recordBody(entry.key) != nil
          }
        guard isSound else { throw transaction.work.tables.damaged() }
      }
      return count
    }
  }
}
