// SPDX-License-Identifier: Apache-2.0
// Opens a server's store: a SQLite file of its own, or a database that several servers share.

import AtrestPostgreSQL
import AtrestReplication
import Logging

/// An open store with what serves it.
struct Backend: Sendable {
  let queue: any StorageQueue
  let registry: SessionRegistry
  let clock: ClockMonitor
  /// The queue of a store that this server copies; nil for a database.
  let backups: CommitQueue?
  /// Nil for a file.
  let shared: PostgresBackend?
  /// Locked while the server runs; nil where the store itself locks it.
  private let directory: DataDirectory?

  /// Opens the store.
  static func open(_ configuration: Server.Configuration) async throws(StoreError) -> Backend {
    if let address = configuration.database {
      return try await shared(configuration, address)
    }
    return try file(configuration)
  }

  /// Finishes the queued jobs and closes the store.
  func close() async {
    await queue.close()
    directory?.unlock()
  }

  /// Whether the store can be used at the moment.
  var isUsable: @Sendable () -> Bool {
    guard let shared else { return { true } }
    return { shared.isUsable }
  }

  private static func file(_ configuration: Server.Configuration) throws(StoreError) -> Backend {
    let environment = configuration.environment
    let registry = SessionRegistry()
    let path = configuration.dataDirectory
    let store = try SQLiteStore(
      directory: path, hooks: configuration.storeHooks(), random: environment.randomNumber)
    report(lostCommits: store.lostCommits, to: configuration.logger)
    let clock = ClockMonitor(
      environment: environment, registry: registry, highWater: store.clockHighWater,
      logger: configuration.logger)
    clock.check()
    try registry.load(store)
    let unreadable = UnreadableLog(configuration.logger)
    let readers = try (0..<configuration.shardCount).map { _ throws(StoreError) in
      ReadQueue(
        reader: try store.openReader(), environment: environment, unreadable: unreadable,
        onFatal: configuration.onFatal)
    }
    let queue = CommitQueue(
      store: store, readers: readers, disk: DiskGuard(directory: path), registry: registry,
      environment: environment, logger: configuration.logger, onFatal: configuration.onFatal)
    return Backend(
      queue: queue, registry: registry, clock: clock, backups: queue, shared: nil, directory: nil)
  }

  private static func shared(
    _ configuration: Server.Configuration, _ address: PostgresAddress
  ) async throws(StoreError) -> Backend {
    // For the owner's socket and the server's key.
    let directory = try DataDirectory(path: configuration.dataDirectory)
    let environment = configuration.environment
    let shared = try await PostgresBackend.open(
      address, session: configuration.databaseSession, environment: environment,
      logger: configuration.logger)
    let clock = ClockMonitor(
      environment: environment, registry: shared.registry,
      highWater: WallTime(milliseconds: 0), logger: configuration.logger)
    clock.check()
    return Backend(
      queue: shared.queue, registry: shared.registry, clock: clock, backups: nil, shared: shared,
      directory: directory)
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
