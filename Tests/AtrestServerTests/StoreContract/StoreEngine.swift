// SPDX-License-Identifier: Apache-2.0
// The engines that the contract's suites run against.

import AtrestTestSupport
import Testing

@testable import AtrestServer

/// Makes stores of one kind. Another engine is another element of `all`.
struct StoreEngine: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Opens the store of a folder, which it outlives, or makes one.
  let open: @Sendable (Folder) throws -> any SyncStore

  static let all = [StoreEngine(testDescription: "SQLite") { try openStore($0) }]
}
