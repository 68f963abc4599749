// SPDX-License-Identifier: Apache-2.0
// The engines that the contract's suites run against.

import AtrestTestSupport
import Testing

@testable import AtrestServer

/// Creates stores of one kind. Add further engines to `all`.
struct StoreEngine: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Opens or creates the store in a folder.
  let open: @Sendable (Folder) throws -> any SyncStore

  static let all = [StoreEngine(testDescription: "SQLite") { try openStore($0) }]
}
