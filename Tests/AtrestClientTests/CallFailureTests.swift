// SPDX-License-Identifier: Apache-2.0
// What a failed call means to a person: from its status, and its reason where the two differ.

import AtrestClient
import AtrestSync
import AtrestWire
import Testing

@Suite("Failed calls", .timeLimit(.minutes(20)))
struct CallFailureTests {
  private func error(_ status: Int, _ reason: ErrorReason? = nil) -> SyncError {
    let details = ErrorDetails(code: 0, message: "", reason: reason)
    return SyncError(CallFailure.status(status, message: "It is so.", details: details))
  }

  @Test("limits that only a person lifts are refusals; the others pass, so the call is repeated")
  func limits() {
    for reason in [ErrorReason.deviceLimit, .pairingCodeLimit, .accountFull] {
      #expect(error(8, reason).reason == .refused("it is so"), "\(reason)")
    }
    for reason in [nil, ErrorReason.serverBusy, .diskFull, .pairingRate, .renameRate] {
      #expect(error(8, reason).reason == .unreachable("it is so"))
      #expect(error(8, reason).isTransient)
    }
  }

  @Test("each status has its meaning, and an unknown one is a refusal")
  func statuses() {
    #expect(error(16, .deviceUnknown) == .accessEnded)
    #expect(error(7, .pairingCodeInvalid) == .notPermitted("it is so"))
    #expect(error(5) == .notFound("it is so"))
    #expect(error(12) == .refused("it does not know what was asked of it"))
    for transient in [4, 10, 14] { #expect(error(transient).isTransient) }
    for lasting in [3, 9, 99, -1] { #expect(error(lasting) == .refused("it is so")) }
  }

  @Test("a status without the server's reason is transient, with any code and message")
  func proxies() {
    for status in [2, 7, 13, 16] {
      let error = error(status)
      #expect(error.isTransient, "\(status)")
      #expect(
        error
          == .unreachable("the server, or something before it, answered: it is so"))
    }
    // A later version may give other reasons; only this one says that the device is unknown.
    #expect(error(16, ErrorReason(rawValue: "TOKEN_LATE")).reason == .refused("it is so"))
    #expect(error(13, .requestMalformed).reason == .refused("it is so"))
    let portal = SyncError(CallFailure.answeredElsewhere("HTTP status 401"))
    #expect(portal.isTransient)
    #expect(portal.userMessage.contains("answered: HTTP status 401"))
  }

  @Test("a sentence says who answered")
  func answered() {
    let full = error(8, .diskFull)
    #expect(full.isTransient)
    #expect(full.userMessage.hasPrefix("The server cannot do it now: it is so."))
    #expect(error(14).userMessage.hasPrefix("The server could not be reached: it is so."))
  }

  @Test("a sentence of the server is shown without what steers a terminal, and never empty")
  func sentences() {
    let hostile = CallFailure.status(3, message: "\u{1B}[2JNo…\u{202E} . ")
    #expect(SyncError(hostile) == .refused("[2JNo…"))
    #expect(SyncError(CallFailure.status(3, message: " . ")) == .refused("it gave no reason"))
  }
}
