// SPDX-License-Identifier: Apache-2.0
// The exit code and the message of every failure.

import ArgumentParser
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestSync
import Foundation
import Testing

@testable import AtrestClient
@testable import atrest

@Suite("Failures", .timeLimit(.minutes(20)))
struct FailureTests {
  static let expectations: [(any Error & Sendable, Int32)] = [
    (InputProblem.notATime, 64), (InputProblem.notADuration, 64), (InputProblem.notAnAmount, 64),
    (InputProblem.openWithEnd, 64), (InputProblem.endMissing, 64),
    (InputProblem.skippedTime, 65), (InputProblem.inTheFuture, 65), (InputProblem.longAgo, 65),
    (InputProblem.endBeforeStart, 65), (InputProblem.fastTooLong, 65),
    (InputProblem.amountOutOfRange, 65), (InputProblem.ouncesOutOfRange, 65),
    (InputProblem.targetOutOfRange, 65),
    (IDProblem.notAnID, 64), (IDProblem.unknown(noun: "fast"), 65),
    (IDProblem.ambiguous(noun: "fast", count: 2, matches: ["a", "b"]), 65),
    (FastingRefusal.alreadyActive, 65), (FastingRefusal.nothingActive, 65),
    (PairingLink.Failure.badCode, 64), (PairingLink.Failure.notEncrypted, 64),
    (ReplicaError.damaged(path: "/r"), 65),
    (ReplicaError.newer(path: "/r", version: 2, supported: 1), 65),
    (ReplicaError.inaccessible(path: "/r", reason: "permission denied"), 65),
    (ReplicaError.alreadyPaired(account: "home"), 65), (ReplicaError.invalid("A rule."), 65),
    (ReplicaError.storage(reason: "disk full"), 74), (ReplicaError.busy(path: "/r"), 75),
    (SyncError.notPaired, 65), (SyncError.unreachable("refused"), 69), (SyncError.accessEnded, 77),
    (SyncError.notPermitted("no"), 77), (SyncError.notLetIn, 77),
    (SyncError.joiningElsewhere, 75), (SyncError.notFound("no"), 65),
    (SyncError.refused("no"), 65), (SyncError.massDeletion(count: 30, of: 40), 65),
    (SyncError.badAnswer("rule"), 76), (SyncError.cancelled, 75),
    (SyncError.replica(.busy(path: "/r")), 75),
    (CommandFailure("A sentence."), 65),
  ]

  @Test("each has its exit code and a sentence without praise or pressure")
  func codes() throws {
    for (error, code) in Self.expectations {
      let failure = try #require(Atrest.failure(of: error), "\(error)")
      #expect(failure.status.rawValue == code, "\(error)")
      #expect(!failure.sentence.isEmpty && bannedWords(in: failure.sentence).isEmpty, "\(error)")
    }
  }

  @Test("the argument parser's own errors stay its own, with exit code 64")
  func usage() {
    #expect(Atrest.failure(of: ValidationError("no")) == nil)
    for arguments in [
      ["water", "edit"], ["--nothing"], ["frobnicate"], ["sessions", "edit", "3f"],
    ] {
      do {
        _ = try Atrest.parseAsRoot(arguments)
        Issue.record("\(arguments) should not parse")
      } catch {
        #expect(Atrest.exitCode(for: error).rawValue == 64, "\(arguments)")
      }
    }
  }

  @Test("what the server does not allow says what to do, once")
  func notPermitted() throws {
    let failure = try #require(
      Atrest.failure(of: SyncError.notPermitted("the code was used. Ask for a new one")))
    #expect(
      failure.sentence == "The server did not allow it. The code was used. Ask for a new one.")
    #expect(
      try #require(Atrest.failure(of: SyncError.accessEnded)).sentence.contains("`atrest unpair`"))
  }

  @Test("other programs' words cannot move the cursor")
  func foreign() throws {
    let failure = try #require(Atrest.failure(of: SyncError.refused("\u{1B}[2J\u{202E}evil\r\n")))
    #expect(!failure.sentence.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
    #expect(failure.sentence.contains("\u{FFFD}[2J\u{FFFD}evil"))
  }
}

/// The phrases in a text that the app's language rules ban.
func bannedWords(in text: String) -> [String] {
  WordPolicy.findings(in: text)
}
