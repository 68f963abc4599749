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
        let key = RecordKey(
          kind: RecordKind(rawValue: try row.decode(atIndex: 0)), id: try row.bytes(at: 1))
        _ = try transaction.decode(row.bytes(at: 2), of: key)
        count += 1
      }
      try transaction.forEachEntry { entry in
        let isSound =
          try entry.offer.map { $0.record.key == entry.key }
          ?? (transaction.body(entry.key) != nil)
        guard isSound else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
      }
      return count
    }
  }
}
