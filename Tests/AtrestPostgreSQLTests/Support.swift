// SPDX-License-Identifier: Apache-2.0
// Sessions for tests, and what they ask.

import AtrestSockets
import AtrestTestSupport
import Synchronization
import Testing

@testable import AtrestPostgreSQL

/// All tests that talk to a server. One by one: a hundred sessions that begin at once, each with
/// its proof of the password, would starve each other on two cores.
@Suite(.serialized, .timeLimit(.minutes(20))) struct PostgreSQL {}

extension PostgresLimits {
  /// For tests that are not about deadlines: a busy machine is no failure.
  static var patient: PostgresLimits {
    var limits = PostgresLimits()
    limits.connectDeadline = .seconds(60)
    limits.batchDeadline = .seconds(60)
    return limits
  }
}

extension PostgresListener.Timing {
  /// For tests that are not about trust.
  static var patient: PostgresListener.Timing {
    var timing = PostgresListener.Timing()
    timing.trust = .seconds(60)
    return timing
  }
}

/// A shard and the connections of one test.
final class Sessions: Sendable {
  let server: PostgresServer
  let shard: Shard

  init(_ server: Result<PostgresServer, any Error> = PostgresServer.shared) throws {
    self.server = try server.get()
    shard = try Shard(label: "test.postgres")
  }

  func open(
    _ url: String? = nil, session: PostgresSession = PostgresSession(),
    limits: PostgresLimits = .patient, choice: PostgresServerChoice = PostgresServerChoice(),
    onClosed: @escaping @Sendable (PostgresError) -> Void = { _ in }
  ) async throws -> PostgresConnection {
    try await PostgresConnection.open(
      PostgresAddress(parsing: url ?? server.url), on: shard, session: session, limits: limits,
      choice: choice, onClosed: onClosed)
  }

  /// Closes every connection of the test.
  func stop() async { await shard.stop() }

  /// A new table of a key and bytes.
  func table(on connection: PostgresConnection) async throws -> String {
    let name = Fresh.name("item")
    _ = try await connection.run("CREATE TABLE \(name) (id int8 PRIMARY KEY, body bytea)")
    return name
  }
}

extension PostgresConnection {
  /// Runs one statement by itself.
  @discardableResult
  func run(_ sql: String, _ parameters: PostgresValue...) async throws(PostgresError)
    -> PostgresResult
  {
    let results = try await run(PostgresBatch([PostgresStatement(sql, parameters)]))
    return results.first ?? PostgresResult()
  }

  /// The first value of the first row.
  func value(_ sql: String, _ parameters: PostgresValue...) async throws -> PostgresValue? {
    let batch = PostgresBatch([PostgresStatement(sql, parameters)], changes: false)
    return try await run(batch).first?.rows.first?.first
  }

  /// The server's process for this session.
  var process: Int64 {
    get async throws {
      guard let number = try await value("SELECT pg_backend_pid()")?.int8 else {
        throw Unexpected("no process")
      }
      return number
    }
  }
}

/// The error of a body that must fail.
func failure<Value>(
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () async throws -> Value
) async throws -> PostgresError {
  do {
    let value = try await body()
    Issue.record("succeeded: \(value)", sourceLocation: sourceLocation)
    throw Unexpected("it succeeded")
  } catch let error as PostgresError {
    return error
  }
}

/// A bug in the test, or a machine without what it needs.
struct Unexpected: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Names that no other test uses.
enum Fresh {
  private static let last = Atomic(0)

  static func name(_ kind: String) -> String {
    "\(kind)_\(last.wrappingAdd(1, ordering: .relaxed).newValue)"
  }
}
