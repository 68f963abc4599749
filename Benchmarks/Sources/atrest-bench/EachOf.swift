// SPDX-License-Identifier: Apache-2.0
// Does many things, several at a time.

/// Calls `body` with each index, several at a time.
func eachOf(
  _ count: Int, atOnce: Int = 64, _ body: @escaping @Sendable (Int) async throws -> Void
) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    for worker in 0..<atOnce {
      group.addTask {
        for index in stride(from: worker, to: count, by: atOnce) { try await body(index) }
      }
    }
    try await group.waitForAll()
  }
}
