// SPDX-License-Identifier: Apache-2.0
// How a store of an older format becomes one of this format.

import AtrestProtocol
import AtrestReplication
import AtrestWire
import Foundation
import GRDB

extension SQLiteSchema {
  /// Migrates a store to this format, in one transaction.
  static func migrate(
    _ db: Database, path: String, opening: SQLiteStore.Opening = SQLiteStore.Opening(),
    random: () -> UInt64
  ) throws {
    try db.inTransaction(.exclusive) {
      let found = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
      let application = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
      let objects = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
      guard application == applicationID || (application == 0 && found == 0 && objects == 0) else {
        throw StoreError.notAStore(path: path)
      }
      guard found <= version else {
        throw StoreError.newerVersion(path: path, found: found, supported: version)
      }
      guard try opening.allowsCopy || !db.tableExists(copyTable) else {
        throw StoreError.unfinishedCopy(path: path)
      }
      // Before anything is changed, so that a file with an error is left as it was found.
      if found > 0 { try check(db, format: found, path: path) }
      guard found < version else { return .commit }
      guard opening.migrates else {
        throw StoreError.olderVersion(path: path, found: found, supported: version)
      }
      for step in steps.dropFirst(found) { try db.execute(sql: step) }
      if found == 1 { try fillInLiveAndDue(db, path: path) }
      if (1..<5).contains(found) { try fillInLatestTimes(db, path: path) }
      if found == 0 {
        let name = Int64(bitPattern: max(1, random()))
        try db.execute(sql: "INSERT INTO meta (one, name) VALUES (1, ?)", arguments: [name])
      }
      try db.execute(sql: "PRAGMA application_id = \(applicationID)")
      try db.execute(sql: "PRAGMA user_version = \(version)")
      try check(db, format: version, path: path)
      return .commit
    }
  }

  /// Fills in the columns that format 2 added beside the records of format 1.
  private static func fillInLiveAndDue(_ db: Database, path: String) throws {
    var live: [Int64: Int] = [:]
    var due: [(account: Int64, sequence: Int64, time: WallTime)] = []
    let rows = try Row.fetchCursor(db, sql: "SELECT account, sequence, body FROM record")
    while let row = try rows.next() {
      let account: Int64 = try row.value(of: "account")
      guard let record = try? Record(unpacking: [UInt8](try row.value(Data.self, of: "body")))
      else {
        throw StoreError.damaged(path: path, reason: "a stored record cannot be read")
      }
      if record.isLive { live[account, default: 0] += 1 }
      // Format 1 did not record when the server accepted a deletion or noted a conflict: what they
      // say has to do.
      let taken =
        record[Register.deletedField]?.stamp.time.wallTime ?? (try? Conflict(record))?.noticed
        ?? WallTime(milliseconds: .max)
      if let time = record.isDue(takenIn: taken) {
        due.append((account, try row.value(of: "sequence"), time))
      }
    }
    for (account, count) in live {
      try db.execute(sql: "UPDATE account SET live = ? WHERE id = ?", arguments: [count, account])
    }
    for entry in due {
      try db.cachedStatement(
        sql: "UPDATE record SET due_ms = ? WHERE account = ? AND sequence = ?"
      ).execute(arguments: [entry.time.milliseconds, entry.account, entry.sequence])
    }
  }

  /// Fills in the column that format 5 added beside an older store's records.
  private static func fillInLatestTimes(_ db: Database, path: String) throws {
    var latest: [Int64: HybridTime] = [:]
    let rows = try Row.fetchCursor(db, sql: "SELECT account, body FROM record")
    while let row = try rows.next() {
      let account: Int64 = try row.value(of: "account")
      // Whoever reads a damaged record reports it.
      guard let record = try? Record(unpacking: [UInt8](try row.value(Data.self, of: "body"))),
        record.key.kind != .entitlement, let time = record.latestTime
      else { continue }
      latest[account] = max(latest[account] ?? time, time)
    }
    for (account, time) in latest {
      try db.execute(
        sql: "UPDATE account SET latest_time = ? WHERE id = ?",
        arguments: [Int64(bitPattern: time.rawValue), account])
    }
  }
}
