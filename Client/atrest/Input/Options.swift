// SPDX-License-Identifier: Apache-2.0
// The options that many commands share, and the surroundings they run in.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import AtrestDomain
import Foundation

/// Which replica to use.
struct ReplicaOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The folder of the replica.",
      discussion:
        "Otherwise ATREST_REPLICA, then $XDG_DATA_HOME/atrest, then ~/.local/share/atrest.",
      valueName: "dir"), completion: .directory)
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

extension FormatOptions {
  /// Writes a value for programs, or words for people.
  func answer(_ value: some Encodable, _ words: @autoclosure () -> String) throws {
    Terminal.say(isJSON ? try JSON.text(value) : words())
  }
}

/// The moment, the place and the habits in which a command runs: read once, so that one answer has
/// one now.
struct CommandContext: Hashable, Sendable {
  /// The device's clock.
  let now: Date
  /// The device's zone; `TZ` decides if it is set.
  let zone: TimeZone
  /// The person's habits.
  var localeFormat = LocaleFormat.plain
  /// In what amounts are shown, and read where somebody types a number alone.
  var unit = WaterUnit.millilitres

  /// Those of this process.
  static func current() -> CommandContext {
    let (now, environment) = (Date(), ProcessInfo.processInfo.environment)
    let localeFormat = LocaleFormat(environment: environment)
    return CommandContext(
      now: now, zone: DeviceZone.current(at: now, environment: environment),
      localeFormat: localeFormat,
      unit: localeFormat.unit)
  }

  /// The same, with the unit that the person chose.
  func following(_ choices: Choices) -> CommandContext {
    CommandContext(
      now: now, zone: zone, localeFormat: localeFormat, unit: choices.unit ?? localeFormat.unit)
  }

  /// The same moments later.
  func at(_ now: Date) -> CommandContext {
    CommandContext(now: now, zone: zone, localeFormat: localeFormat, unit: unit)
  }

  /// Reads a time that a person typed; nil stays nil.
  func time(_ text: String?) throws(InputProblem) -> Date? {
    guard let text else { return nil }
    return try Typed.time(LocaleFormat.withTwentyFourHours(text), now: now, in: zone)
  }

  /// `22:30`, or `10:30 pm`.
  func clock(_ date: Date) -> String {
    localeFormat.clock(date, in: zone)
  }

  /// `today 22:30`.
  func words(_ date: Date) -> String {
    let text = TimeText.near(date, now: now, in: zone)
    // Every form ends with the clock.
    return localeFormat.hasTwelveHours
      ? text.dropLast(TimeText.clock(date, in: zone).count) + clock(date) : text
  }

  /// `250 ml`, or `8.5 fl oz`.
  func amount(_ millilitres: Int) -> String {
    AmountText.text(millilitres: millilitres, unit: unit)
  }
}

/// What a person chose, as all of their devices know it.
struct Choices: Hashable {
  /// Read, with defaults.
  let settings: Settings
  /// The unit, if one was chosen.
  let unit: WaterUnit?

  /// Nothing chosen.
  static let none = Choices { _ in nil }

  init(_ value: (String) throws -> String?) rethrows {
    settings = try Settings(value)
    unit = try value(Setting.waterUnit.rawValue).flatMap(WaterUnit.init(rawValue:))
  }

  /// Those of a replica.
  init(_ store: ReplicaTransaction) throws {
    try self.init { try store.preference($0) }
  }
}

/// Reads a target that a person typed; nil stays nil.
func typedTarget(_ text: String?) throws(InputProblem) -> Int? {
  guard let text else { return nil }
  return try Typed.targetMinutes(text)
}
