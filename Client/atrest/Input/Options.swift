// SPDX-License-Identifier: Apache-2.0
// The options that many commands share, and the surroundings they run in.

import ArgumentParser
import AtrestClient
import AtrestDomain
import Foundation

/// Which replica to use.
struct ReplicaOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The folder of the replica.",
      discussion:
        "Otherwise ATREST_REPLICA, then $XDG_DATA_HOME/atrest, then ~/.local/share/atrest.",
      valueName: "dir"))
  var replica: String?

  /// Where it is.
  var directory: URL {
    ReplicaDirectory.resolve(option: replica, environment: ProcessInfo.processInfo.environment)
  }

  /// Opens it to look; nil if there is none, because a look makes nothing.
  func openExisting() throws(ReplicaError) -> Replica? {
    Replica.exists(at: directory) ? try open() : nil
  }

  /// Opens it to talk with its server.
  ///
  /// - Throws: `SyncError.notPaired` if there is none; `ReplicaError`.
  func openPaired() throws -> Replica {
    guard let replica = try openExisting() else { throw SyncError.notPaired }
    return replica
  }

  /// Opens it, and makes it if there is none.
  func open() throws(ReplicaError) -> Replica {
    try Replica(directory: directory)
  }
}

/// Whether programs or people read the answer.
struct FormatOptions: ParsableArguments {
  @Flag(help: "Write JSON with stable field names.")
  var json = false

  /// Writes a value for programs, or words for people.
  func answer(_ value: some Encodable, _ words: @autoclosure () -> String) throws {
    Terminal.say(json ? try JSON.text(value) : words())
  }
}

/// The moment and the place in which a command runs: read once, so that one answer has one now.
struct Surroundings: Sendable {
  /// The device's clock.
  let now: Date
  /// The device's zone; `TZ` decides if it is set.
  let zone: TimeZone

  /// Those of this process.
  static func current() -> Surroundings {
    Surroundings(now: Date(), zone: .current)
  }

  /// Reads a time that a person typed; nil stays nil.
  func time(_ text: String?) throws(InputProblem) -> Date? {
    guard let text else { return nil }
    return try Typed.time(text, now: now, in: zone)
  }

  /// `today 22:30`.
  func words(_ date: Date) -> String {
    TimeText.near(date, now: now, in: zone)
  }
}

/// Reads a target that a person typed; nil stays nil.
func typedTarget(_ text: String?) throws(InputProblem) -> Int? {
  guard let text else { return nil }
  let minutes = try Typed.minutes(text)
  try TypedRules.check(targetMinutes: minutes)
  return minutes
}
