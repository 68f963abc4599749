// SPDX-License-Identifier: Apache-2.0
// A database of PostgreSQL for each test.

import AtrestPostgreSQL
import AtrestSockets
import AtrestTestSupport
import Foundation
import Synchronization

@testable import AtrestServer

/// The databases of tests, on the one server of the run. A folder has one as it has files: the same
/// each time, and none soon after it is gone.
final class Databases: Sendable {
  /// The first test that needs it waits a few seconds.
  static let shared = Result { try Databases() }

  private static let template = "atrest_template"

  private let server: PostgresServer
  private let executor: ShardTaskExecutor
  private let connection: PostgresConnection
  /// Names by the folders' paths.
  private let names = Mutex<[String: String]>([:])

  private init() throws {
    let server = try PostgresServer.shared.get()
    let shard = try Shard(label: "test.databases")
    let executor = ShardTaskExecutor(shard)
    self.server = server
    self.executor = executor
    connection = try executor.wait { () async throws(StoreError) in
      do throws(PostgresError) {
        return try await PostgresConnection.open(
          PostgresAddress(parsing: server.url), on: shard, limits: .patient)
      } catch {
        throw StoreError(error)
      }
    }
    try run("CREATE DATABASE \(Self.template)")
    // A copy of a migrated database takes a third of the time of migrating an empty one.
    try PostgresStore.open(
      PostgresAddress(parsing: server.url(of: Self.template)), limits: .patient
    ) { 76 }.close()
  }

  /// The database of a folder, which is made at the first call.
  func url(of folder: Folder) throws -> String {
    let path = folder.url.path
    let (known, gone) = names.withLock { names in
      let gone = names.filter { !FileManager.default.fileExists(atPath: $0.key) }
      for path in gone.keys { names[path] = nil }
      return (names[path], gone.values)
    }
    for name in gone { try run("DROP DATABASE \(name) WITH (FORCE)") }
    if let known { return server.url(of: known) }
    let name = try makeDatabase(template: Self.template)
    names.withLock { $0[path] = name }
    return server.url(of: name)
  }

  /// A new database without any tables of ours.
  func makeEmpty() throws -> String { server.url(of: try makeDatabase(template: "template0")) }

  private func makeDatabase(template: String) throws -> String {
    let name = "test_" + UUID().uuidString.lowercased().filter { $0 != "-" }
    try run("CREATE DATABASE \(name) TEMPLATE \(template)")
    return name
  }

  private func run(_ sql: String) throws {
    let connection = connection
    try executor.wait { () async throws(StoreError) in
      do throws(PostgresError) {
        _ = try await connection.run(PostgresBatch([PostgresStatement(sql)]))
      } catch {
        throw StoreError(error)
      }
    }
  }
}
