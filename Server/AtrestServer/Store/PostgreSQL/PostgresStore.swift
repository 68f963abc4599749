// SPDX-License-Identifier: Apache-2.0
// The store in PostgreSQL for whoever may block a thread: tools, and the contract's tests.

import AtrestPostgreSQL
import AtrestReplication
import AtrestSockets

/// A PostgreSQL store on one connection, with a shard of its own. Its calls block their thread.
///
/// Each transaction locks the accounts that it reads.
package final class PostgresStore: SyncStore {
  private let shard: Shard
  private let executor: ShardTaskExecutor
  private var connection: PostgresConnection?

  /// Opens the store of a database, and migrates it: see `PostgresSchema`.
  ///
  /// - Parameter random: Draws the name of a store that is made.
  /// - Throws: `StoreError`. A database that is refused is unchanged.
  package static func open(
    _ address: PostgresAddress, limits: PostgresLimits = PostgresLimits(), random: () -> UInt64
  ) throws(StoreError) -> PostgresStore {
    let store: PostgresStore
    do throws(SocketError) { store = try PostgresStore() } catch {
      throw .cannotOpen(path: "\(address)", reason: error.userMessage)
    }
    let (shard, name) = (store.shard, max(1, random()))
    store.connection = try store.executor.wait { () async throws(StoreError) in
      do {
        // Statements can only be prepared when their tables are there.
        let first = try await PostgresConnection.open(address, on: shard, limits: limits)
        do {
          try await PostgresSchema.migrate(on: first, name: name)
        } catch {
          await first.close()
          throw error
        }
        await first.close()
        return try await PostgresConnection.open(
          address, on: shard, session: PostgresStatements.session, limits: limits)
      } catch let error as StoreError {
        throw error
      } catch let error as PostgresError {
        throw StoreError(error)
      } catch {
        throw .failed(reason: "unexpected error")
      }
    }
    return store
  }

  private init() throws(SocketError) {
    shard = try Shard(label: "atrest.postgres.store")
    executor = ShardTaskExecutor(shard)
  }

  deinit {
    close()
  }

  package func close() {
    let connection = self.connection
    self.connection = nil
    let shard = shard
    try? executor.wait { () async throws(StoreError) in
      await connection?.close()
      await shard.stop()
    }
  }
}

// MARK: - Transactions

extension PostgresStore {
  package func transaction<R>(
    _ body: (any StoreTransaction) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    guard let connection else { throw .closed }
    let caller = BlockedCaller<StagedTransaction, Void>()
    Task(executorPreference: executor) {
      do throws(StoreError) {
        try await PostgresUnitOfWork.write(
          accounts: [], queries: StoreQueries(), on: connection
        ) { staged throws(StoreError) in try caller.run(staged) }
        caller.end(.success(()))
      } catch {
        caller.end(.failure(error))
      }
    }
    var result: R?
    try caller.serve { staged throws(StoreError) in result = try body(staged) }
    guard let result else { throw .failed(reason: "a transaction without a run") }
    return result
  }
}

// MARK: - Erasure, backups

extension PostgresStore {
  /// False: PostgreSQL's VACUUM frees the space of deleted rows, and overwrites it as it is used
  /// again. docs/operate says what its owner can do.
  package var owesErasure: Bool { false }

  /// Does nothing: see `owesErasure`.
  package func erase() {}

  /// Does nothing: no file stands beside a database.
  package func noteWithdrawn() -> Bool { true }

  /// Does nothing: the log is PostgreSQL's.
  package func emptyLog() -> Bool { true }

  package func beginBackup(to path: String) throws(StoreError) -> any StoreBackup {
    throw .failed(reason: "PostgreSQL makes its own backups: use pg_dump or pg_basebackup")
  }
}
