// SPDX-License-Identifier: Apache-2.0
// The engines that the contract's suites run against.

import AtrestPostgreSQL
import AtrestTestSupport
import Testing

@testable import AtrestServer

/// The contract of stores, for each engine. One test by itself: on two cores, sessions of
/// PostgreSQL that begin all at once would starve each other.
@Suite(.serialized, .timeLimit(.minutes(20))) struct StoreContract {}

/// Creates stores of one kind. Add further engines to `all`.
struct StoreEngine: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Whether the bytes of an account that was removed stay in its files until they are erased.
  let owesErasure: Bool
  /// Opens or creates the store of a folder.
  let open: @Sendable (Folder) throws -> any SyncStore

  static let all = [
    StoreEngine(testDescription: "SQLite", owesErasure: true) { try openStore($0) },
    StoreEngine(testDescription: "PostgreSQL", owesErasure: false) { try openPostgres($0) },
  ]
}

/// Opens the store of the folder's database.
func openPostgres(_ folder: Folder) throws -> PostgresStore {
  let databases = try Databases.shared.get()
  return try PostgresStore.open(
    PostgresAddress(parsing: databases.url(of: folder)), limits: .patient
  ) { 76 }
}

extension PostgresLimits {
  /// A busy machine is no failure.
  static var patient: PostgresLimits {
    var limits = PostgresLimits()
    limits.connectDeadline = .seconds(60)
    limits.batchDeadline = .seconds(60)
    return limits
  }
}
