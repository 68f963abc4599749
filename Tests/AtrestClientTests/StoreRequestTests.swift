// SPDX-License-Identifier: Apache-2.0
// What a sync asks of a replica, and which of it writes.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestTestSupport
import AtrestWire
import GRDB
import Testing

@testable import AtrestClient

@Suite("A request of a sync", .timeLimit(.minutes(20)))
struct StoreRequestTests {
  /// Carries out a request, and says whether the replica's file was written.
  private func writes(_ request: StoreRequest, _ test: TestReplica) async throws -> Bool {
    let other = try test.reopened()
    func version() throws -> Int? {
      try other.read { try Int.fetchOne($0.database, sql: "PRAGMA data_version") }
    }
    let before = try version()
    _ = try await test.replica.perform(request)
    return try version() != before
  }

  @Test(
    "that only reads, or has nothing to do, writes nothing",
    arguments: [
      StoreRequest.position, .lastRefused, .hasWaitingWrites, .reconcileDemand, .hashes,
      .nextPage(after: 0), .holdMassDeletion(areAllowed: false),
      .holdMassDeletion(areAllowed: true),
    ])
  func quiet(_ request: StoreRequest) async throws {
    let test = try TestReplica(1)
    #expect(try await !writes(request, test))
    #expect(try await writes(.noteSync(at: test.clock.now()), test), "the test would notice")
  }

  @Test("for the next page writes while something waits")
  func page() async throws {
    let test = try TestReplica(1)
    try await test.replica.save(WaterEntry.sample())
    #expect(try await writes(.nextPage(after: 0), test))
  }

  @Test("to hold deletions writes when it decides, and when it takes that back")
  func deletions() async throws {
    let test = try TestReplica(1)
    let server = ModelServer(clock: test.clock)
    let drinks = try (0..<30).map { _ in try WaterEntry.sample() }
    for drink in drinks { try await test.replica.save(drink) }
    try await test.sync(server)
    for drink in drinks { try await test.replica.delete(drink) }
    #expect(try await writes(.holdMassDeletion(areAllowed: false), test))
    #expect(try await writes(.holdMassDeletion(areAllowed: true), test))
    #expect(try await !writes(.holdMassDeletion(areAllowed: true), test))
  }
}
