// SPDX-License-Identifier: Apache-2.0
// The setup of most tests about copies.

import AtrestDomain
import AtrestTestSupport
import AtrestWire
import Foundation

@testable import AtrestClient

/// A synced replica and a copy of it.
struct ForkScene {
  let server = ModelServer(clock: TestClock())
  let original: TestReplica
  let copy: TestReplica

  /// Creates a replica with history and copies it.
  init() async throws {
    original = try TestReplica(1)
    for _ in 0..<5 { try await original.replica.save(WaterEntry.sample()) }
    try await original.sync(server)
    copy = try original.copied()
  }

  func runCycle() async throws {
    for test in [original, copy, original, copy] { try await test.sync(server) }
  }
}
