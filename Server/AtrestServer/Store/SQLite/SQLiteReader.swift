// SPDX-License-Identifier: Apache-2.0
// A connection that reads beside the one that writes.

import AtrestReplication
import GRDB
import GRDBSQLite

/// A reader of a `SQLiteStore`. It never checkpoints, not even when it closes: the writer alone
/// does.
final class SQLiteReader: StoreReader {
  private var queue: DatabaseQueue?
  private var tables: SQLiteTables?

  /// - Parameter location: The file as its store has it open.
  init(location: String) throws(StoreError) {
    var configuration = Configuration()
    configuration.label = "atrest.reader"
    configuration.readonly = true
    configuration.busyMode = .timeout(5)
    configuration.allowsUnsafeTransactions = true
    do {
      let queue = try DatabaseQueue(path: location, configuration: configuration)
      self.queue = queue
      tables = try queue.unsafeRead { db in
        try db.execute(sql: "PRAGMA cache_size = -8192; PRAGMA temp_store = MEMORY")
        return try SQLiteTables(db)
      }
    } catch {
      throw SQLiteStore.storeError(opening: location, error)
    }
  }

  func read<R>(
    _ body: (any StoreTransaction) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    guard let queue, let tables else { throw .closed }
    let result: Result<R, StoreError> = queue.unsafeRead { _ in
      do throws(StoreError) {
        // On a read-only connection, IMMEDIATE takes the snapshot and no lock.
        try tables.begin.run()
        defer { try? tables.commit.run() }
        return .success(try body(SQLiteTransaction(tables, clock: RetentionClock.Mark())))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  func close() {
    queue?.unsafeRead { _ in tables?.connection.finalize() }
    tables = nil
    try? queue?.close()
    queue = nil
  }

  deinit {
    close()
  }
}
