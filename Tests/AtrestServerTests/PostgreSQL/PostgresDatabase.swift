// SPDX-License-Identifier: Apache-2.0
// A test's database, and sessions with it.

import AtrestPostgreSQL
import AtrestReplication
import AtrestSockets
import AtrestTestSupport
import Synchronization
import Testing

@testable import AtrestServer

/// What is PostgreSQL's alone. One test by itself: see `StoreContract`.
@Suite(.serialized, .timeLimit(.minutes(20))) struct Postgres {}

/// A database with the store's tables, and connections to it on one shard.
final class PostgresDatabase {
  let folder: Folder
  let url: String
  let shard: Shard

  /// - Parameter isEmpty: Whether it lacks the store's tables.
  init(isEmpty: Bool = false) throws {
    folder = try Folder()
    let databases = try Databases.shared.get()
    url = isEmpty ? try databases.makeEmpty() : try databases.url(of: folder)
    shard = try Shard(label: "test.database")
  }

  func open(
    _ session: PostgresSession = PostgresStatements.session
  ) async throws -> PostgresConnection {
    try await PostgresConnection.open(
      PostgresAddress(parsing: url), on: shard, session: session, limits: .patient)
  }

  func openStore() throws -> PostgresStore {
    try PostgresStore.open(PostgresAddress(parsing: url), limits: .patient) { 76 }
  }

  /// Closes every connection.
  func stop() async { await shard.stop() }
}

extension PostgresConnection {
  /// Runs one statement by itself.
  @discardableResult
  func run(_ sql: String, _ parameters: PostgresValue...) async throws(PostgresError)
    -> [[PostgresValue]]
  {
    try await run(PostgresBatch([PostgresStatement(sql, parameters)])).first?.rows ?? []
  }

  /// Loads in one trip, outside of transactions.
  func load(_ queries: StoreQueries, into reads: inout StagedReads) async throws {
    let load = PostgresLoad(queries)
    let results = try await run(PostgresBatch(load.statements))
    try load.read(results[...], into: &reads)
  }

  /// Runs staged work with everything it needs found out on the way.
  func write<R>(
    _ accounts: Set<AccountID> = [],
    _ body: @escaping @Sendable (StagedTransaction) throws(StoreError) -> R
  ) async throws(StoreError) -> R where R: Sendable {
    try await PostgresUnitOfWork.write(
      accounts: accounts, queries: StoreQueries(), on: self,
      body: body)
  }

  func makeAccount(_ name: String) async throws -> AccountID {
    let id = try await write { t throws(StoreError) in
      try t.accounts.add(name: name, created: WallTime(milliseconds: noon))
    }
    return try #require(id)
  }

  /// Inserts records whose keys are their sequences, big-endian, with one commit.
  func insert(_ bodies: [[UInt8]], into account: AccountID) async throws {
    try await write([account]) { t throws(StoreError) in
      for (index, body) in bodies.enumerated() {
        try t.insert(key(index + 1), body: body, sequence: UInt64(index + 1), of: account)
      }
      try t.setHead(UInt64(bodies.count), of: account)
    }
  }
}

/// A key in the order of numbers.
func key(_ number: Int) -> [UInt8] {
  withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) }
}

/// Counts the runs of work, from any thread.
final class Runs: Sendable {
  private let number = Mutex(0)

  var count: Int { number.withLock { $0 } }

  /// - Returns: Which run it is, from 1.
  @discardableResult
  func note() -> Int {
    number.withLock { number in
      number += 1
      return number
    }
  }
}
