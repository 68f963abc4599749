// SPDX-License-Identifier: Apache-2.0
// The code of README.md and of the article "Getting started": Scripts/check-snippets compares them.

import AtrestClient
import Foundation

/// A replica from its first write to a restored conflict.
enum GettingStarted {
  static func inShort() async throws {
    // snippet: short
    let replica = try await Replica.open(directory: URL(fileURLWithPath: "phone"))
    let fast = try Fasting(await replica.records(of: Session.self)).start(
      id: .random(), at: WallTime(Date()), targetMinutes: 16 * 60)
    try await replica.save(fast)  // Durable when it returns; needs no network.

    let link = try PairingLink(parsing: "atrest://sync.example:7443/ca/BCDF-GHJKLMNP")
    try await replica.pair(link, name: "phone")
    try await replica.sync()
    for entry in try await replica.conflicts() { print(entry.lost, "lost to", entry.kept) }
    // snippet: end
  }

  static func open(_ folder: URL) async throws -> Replica {
    // snippet: open
    let replica = try await Replica.open(directory: folder)
    // snippet: end
    return replica
  }

  static func write(_ replica: Replica) async throws {
    // snippet: write
    let fasts = try await replica.records(of: Session.self)
    let fast = try Fasting(fasts).start(
      id: .random(), at: WallTime(Date()), targetMinutes: 16 * 60)
    try await replica.save(fast)  // Durable when it returns.
    // snippet: end
  }

  static func readThenWrite(_ replica: Replica) async throws {
    // snippet: transaction
    let completed = try await replica.perform { transaction in
      let fast = try Fasting(transaction.sessions()).complete(at: WallTime(Date()))
      try transaction.save(fast)
      return fast
    }
    // snippet: end
    precondition(completed.span.outcome == .completed)
  }

  static func pair(_ replica: Replica, with text: String) async throws {
    // snippet: pair
    let link = try PairingLink(parsing: text)
    let joined = try await replica.pair(link, name: "phone") { digits in
      print("Your other device shows \(digits), too. Let this one in there.")
    }
    print("This device is “\(joined.deviceName)” of the account “\(joined.account)”.")
    // snippet: end
  }

  static func sync(_ replica: Replica) async throws {
    // snippet: sync
    do {
      let report = try await replica.sync()
      print("\(report.pushed) sent, \(report.pulled) received")
    } catch  where error.isTransient {
      // Every write is in the outbox. Sync again later.
    } catch {
      print(error.userMessage)
    }
    // snippet: end
  }

  static func watch(_ replica: Replica) async throws {
    // snippet: watch
    let watching = Task {
      try await replica.watch { report, error in
        if let error { print(error.userMessage) }  // It reconnects by itself.
        if report.pulled > 0 { print("There are changes of other devices.") }
      }
    }
    // snippet: end
    watching.cancel()
  }

  static func resolve(_ replica: Replica) async throws {
    // snippet: conflicts
    for entry in try await replica.conflicts() {
      guard case .targetMinutes(let lost) = entry.lost else { continue }
      guard case .targetMinutes(let kept) = entry.kept else { continue }
      if lost > kept {
        try await replica.restore(entry)  // An ordinary write: the next sync offers it.
      } else {
        try await replica.dismiss(entry)  // Puts the entry away on every device.
      }
    }
    // snippet: end
  }

  static func showRefusals(_ replica: Replica) throws {
    // snippet: refusals
    for write in try replica.pending() {
      if let refusal = write.refusal { print(write.key.kind, refusal.message) }
    }
    // snippet: end
  }
}
