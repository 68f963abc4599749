// SPDX-License-Identifier: Apache-2.0
// How long a server is asked that does not answer.

import AtrestSync
import Testing

@testable import AtrestClient

private final class Silent: ClientTransport {
  func unary(
    _: String, _: [UInt8], credential _: String?, timeout _: Duration
  ) async throws(CallFailure) -> [UInt8] {
    throw .status(4, message: "The server did not answer in time.")
  }

  func serverStream(
    _: String, _: [UInt8], credential _: String?, receive _: @Sendable ([UInt8]) async -> Bool
  ) async throws(CallFailure) {}

  func close() async {}
}

@Suite("A server that does not answer", .timeLimit(.minutes(20)))
struct SilenceTests {
  private let connection = ReplicaConnection(Connector { _ throws(SyncError) in Silent() })

  private func transport() throws -> any ClientTransport {
    try connection.transport(to: ServerAddress(parsing: "127.0.0.1:1"))
  }

  @Test("is asked for twenty seconds in all, on one connection after the other")
  func fresh() throws {
    #expect(try !connection.unanswered(transport(), for: .seconds(10), isDiscarded: false))
    #expect(try connection.unanswered(transport(), for: .seconds(10), isDiscarded: false))
    // One that refuses at once may be asked as often as any.
    #expect(try !connection.unanswered(transport(), for: .milliseconds(9), isDiscarded: false))
    connection.answered(try transport())
    #expect(try !connection.unanswered(transport(), for: .seconds(30), isDiscarded: true))
    #expect(try !connection.unanswered(transport(), for: .seconds(10), isDiscarded: true))
    #expect(try connection.unanswered(transport(), for: .seconds(10), isDiscarded: true))
  }

  @Test("on a connection that was answered before is asked again on another one")
  func stale() throws {
    let first = try transport()
    connection.answered(first)
    #expect(!connection.unanswered(first, for: .seconds(30), isDiscarded: true))
    #expect(try transport() !== first)
    #expect(try connection.unanswered(transport(), for: .seconds(30), isDiscarded: true))
  }

  @Test("ends a single sync, and not one that follows")
  func meaning() {
    var error = SyncError.unreachable("no answer")
    #expect(error.isWorthWaiting)
    error.isSilence = true
    #expect(error.isTransient && !error.isWorthWaiting)
  }
}
