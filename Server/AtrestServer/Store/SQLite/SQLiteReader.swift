// SPDX-License-Identifier: Apache-2.0
// A connection beside the one that writes: sees what was committed, and holds nobody up.

import AtrestReplication
import GRDB
import GRDBSQLite

/// What reads a store on a queue of its own.
package protocol StoreReader: AnyObject {
  /// Runs `body` on what was committed when it began; what is committed meanwhile it does not see.
  /// It must not write.
  func read<R>(
    _ body: (any StoreTransaction) throws(StoreError) -> R
  ) throws(StoreError) -> R

  /// Closes it; later reads throw `closed`. Before the store is closed. Idempotent.
  func close()
}

/// A reader of a `SQLiteStore`. It never checkpoints, not even when it closes, so that one
/// connection alone does.
final class SQLiteReader: StoreReader {
  private let clockHighWater: WallTime
  private var queue: DatabaseQueue?
  private var statements: RecordStatements?

  /// - Parameter location: The file as its store opened it, and has it open.
  init(location: String, clockHighWater: WallTime) throws(StoreError) {
    self.clockHighWater = clockHighWater
    var configuration = Configuration()
    configuration.label = "atrest.reader"
    configuration.readonly = true
    configuration.busyMode = .timeout(5)
    configuration.allowsUnsafeTransactions = true
    do {
      let queue = try DatabaseQueue(path: location, configuration: configuration)
      self.queue = queue
      statements = try queue.unsafeRead { db in
        try db.execute(sql: "PRAGMA cache_size = -8192; PRAGMA temp_store = MEMORY")
        return try RecordStatements(db)
      }
    } catch {
      throw SQLiteStore.storeError(opening: location, error)
    }
  }

  func read<R>(
    _ body: (any StoreTransaction) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    guard let queue, let statements else { throw .closed }
    let result: Result<R, StoreError> = queue.unsafeRead { db in
      do throws(StoreError) {
        // On a connection that only reads it begins to read, and waits for nobody.
        try statements.begin.run()
        defer { try? statements.commit.run() }
        return .success(
          try body(SQLiteTransaction(db, statements, clockHighWater: clockHighWater)))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  func close() {
    queue?.unsafeRead { _ in statements?.finalize() }
    statements = nil
    try? queue?.close()
    queue = nil
  }

  deinit {
    close()
  }
}
