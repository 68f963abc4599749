// SPDX-License-Identifier: Apache-2.0
// Looks at everything a replica holds, so that damage is found before it is met.

import AtrestProtocol
import AtrestReplication
import Foundation
import GRDB

extension Replica {
  /// Checks the file's structure, and that every record and every waiting write can be read and is
  /// what its key says.
  ///
  /// - Returns: How many records there are.
  /// - Throws: `.damaged` if something is not as it should be.
  /// - Complexity: O(everything held): about 10 us a record.
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
