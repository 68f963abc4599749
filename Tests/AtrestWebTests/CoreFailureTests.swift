// SPDX-License-Identifier: Apache-2.0
// What the page is told of a call that failed.

import AtrestSync
import AtrestWire
import Testing

@testable import AtrestWeb

@Suite("A failure in a browser", .timeLimit(.minutes(20)))
struct CoreFailureTests {
  @Test("that asks to wait is not taken for a server that was not reached, which is asked again")
  func busy() {
    let details = ErrorDetails(
      code: 8, message: "Too many.", reason: nil, retryMilliseconds: 60_000)
    let busy = CoreFailure(SyncError(status: 8, message: "Too many.", details: details))
    #expect(busy.code == "busy")
    #expect(busy.sentence == "The server was asked too often. Wait a minute, and try again.")
    let gone = CoreFailure(SyncError(status: 14, message: "not reached", details: nil))
    #expect(gone.code == "unreachable")
  }
}
