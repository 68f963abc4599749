// SPDX-License-Identifier: Apache-2.0
// Opens a store: a SQLite file of one server, or a database that several servers share.

import AtrestPostgreSQL
import AtrestReplication
import Logging

/// An open store with what serves it.
struct Backend: Sendable {
  let cell: CellNumber
  let queue: any StorageQueue
  let registry: SessionRegistry
  /// What the wall clock showed when the store was written to last.
  let lastWritten: WallTime
  /// The queue of a store that this server copies; nil for a database.
  let backups: CommitQueue?
  /// Nil for a file.
  let shared: PostgresBackend?

  /// Free bytes of the disk that the store is on; nil if unknown, as of a database's.
  let diskFreeBytes: @Sendable () -> UInt64?

  /// Whether a write would be refused for want of room. About 1 us.
  var isDiskFull: Bool { !DiskGuard.allowsWrites(freeBytes: diskFreeBytes()) }
  /// Whether the store can be reached and takes writes at the moment.
  var isUsable: Bool { (shared?.isUsable ?? true) && !isDiskFull }

  /// Opens the file in the server's data directory, and locks the directory.
  static func file(_ configuration: Server.Configuration) throws(StoreError) -> Backend {
    var environment = configuration.environment
    let registry = SessionRegistry()
    let path = configuration.dataDirectory
    let store = try SQLiteStore(
      directory: path, hooks: configuration.storeHooks(), random: environment.randomNumber)
    report(lostCommits: store.lostCommits, to: configuration.logger)
    let clock = store.clock
    environment.retention = RetentionClock(clock, environment)
    let again = try store.withdrawAgain(at: environment.now())
    if again.accounts + again.devices > 0 {
      configuration.logger.warning(
        "The store is older than what was removed from it, which was removed again: accounts, and devices whose access had ended. To keep them, restore the backup without the file `withdrawn`.",
        metadata: ["accounts": "\(again.accounts)", "devices": "\(again.devices)"])
    }
    try registry.load(store)
    let unreadable = UnreadableLog(configuration.logger)
    let readers = try (0..<configuration.shardCount).map { _ throws(StoreError) in
      ReadQueue(
        reader: try store.openReader(), environment: environment, unreadable: unreadable,
        onFatal: configuration.onFatal)
    }
    let queue = CommitQueue(
      store: store, readers: readers,
      disk: DiskGuard(directory: path, freeBytes: configuration.diskFreeBytes), registry: registry,
      environment: environment, logger: configuration.logger, onFatal: configuration.onFatal)
    return Backend(
      cell: .sole, queue: queue, registry: registry, lastWritten: clock.wall, backups: queue,
      shared: nil, diskFreeBytes: configuration.diskFreeBytes)
  }

  /// Opens a database: see `PostgresBackend.open`.
  static func database(
    _ address: PostgresAddress, as cell: CellNumber, _ configuration: Server.Configuration
  ) async throws(StoreError) -> Backend {
    let shared = try await PostgresBackend.open(
      address, cell: cell, session: configuration.databaseSession,
      environment: configuration.environment, logger: logger(of: cell, configuration))
    return Backend(
      cell: cell, queue: shared.queue, registry: shared.registry, lastWritten: .epoch, backups: nil,
      shared: shared, diskFreeBytes: { nil })
  }

  /// Says in each line which of several cells it is about.
  static func logger(of cell: CellNumber, _ configuration: Server.Configuration) -> Logger {
    var logger = configuration.logger
    if cell != .sole { logger[metadataKey: "cell"] = "\(cell)" }
    return logger
  }

  private static func report(lostCommits count: UInt64, to logger: Logger) {
    guard count > 0 else { return }
    logger.warning(
      """
      Commits that had been made durable are gone: the database's log was damaged, or an older copy was put in its place. Each \
      device brings back what it holds when it syncs next. Check the disk.
      """, metadata: ["commits": "\(count)"])
  }
}
