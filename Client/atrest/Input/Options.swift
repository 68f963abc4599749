// SPDX-License-Identifier: Apache-2.0
// Options shared by many commands, and the command context.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import AtrestDomain
import AtrestFoundation
import AtrestReplication
import AtrestSync
import Foundation

/// Selects the replica.
struct ReplicaOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The folder of the replica.",
      discussion:
        "Otherwise ATREST_REPLICA, then $XDG_DATA_HOME/atrest, then ~/.local/share/atrest.",
      valueName: "dir"), completion: .directory)
  var replica: String?

  /// The replica's directory.
  var directory: URL {
    ReplicaDirectory.resolve(option: replica, environment: ProcessInfo.processInfo.environment)
  }

  /// Opens the replica for reading; nil if there is none. Never creates one.
  func openExisting() throws(ReplicaError) -> Replica? {
    Replica.exists(at: directory) ? try open() : nil
  }

  /// Opens the replica for a call to its server.
  ///
  /// - Throws: `SyncError.notPaired` if there is none; `ReplicaError`.
  func openPaired() throws -> Replica {
    guard let replica = try openExisting() else { throw SyncError.notPaired }
    return replica
  }

  /// Opens the replica, creating it if there is none.
  func open() throws(ReplicaError) -> Replica {
    let replica = try Replica(directory: directory)
    OpenReplicas.add(replica)
    return replica
  }
}

extension FormatOptions {
  /// Writes a value for programs, or words for people.
  func answer(_ value: some Encodable, _ words: @autoclosure () -> String) throws {
    Terminal.say(isJSON ? try JSON.text(value) : words())
  }
}

/// The time, zone and conventions of a command. Read once, so that one answer has one `now`.
struct CommandContext: Hashable, Sendable {
  /// The device's time.
  let now: WallTime
  /// The device's zone; `TZ` takes precedence.
  let zone: ZoneOffsets
  /// The locale conventions.
  var localeFormat = LocaleFormat.plain
  /// The unit for output, and for typed numbers without one.
  var unit = WaterUnit.millilitres

  /// Reads the context of this process.
  static func current() -> CommandContext {
    let (now, environment) = (SystemClock().now(), ProcessInfo.processInfo.environment)
    let localeFormat = LocaleFormat(environment: environment)
    return CommandContext(
      now: now, zone: ZoneOffsets(DeviceZone.current(at: now.date, environment: environment)),
      localeFormat: localeFormat,
      unit: localeFormat.unit)
  }

  /// A copy with the unit that the person chose.
  func following(_ choices: Choices) -> CommandContext {
    CommandContext(
      now: now, zone: zone, localeFormat: localeFormat, unit: choices.unit ?? localeFormat.unit)
  }

  /// A copy at a later time.
  func at(_ now: WallTime) -> CommandContext {
    CommandContext(now: now, zone: zone, localeFormat: localeFormat, unit: unit)
  }

  /// Parses a typed time; nil stays nil.
  func time(_ text: String?) throws(InputProblem) -> WallTime? {
    guard let text else { return nil }
    return try Typed.time(LocaleFormat.withTwentyFourHours(text), now: now, in: zone)
  }

  /// The clock time, `22:30` or `10:30 pm`.
  func clock(_ time: WallTime) -> String {
    localeFormat.clock(time, in: zone)
  }

  /// The time relative to now, such as `today 22:30`.
  func words(_ time: WallTime) -> String {
    let text = TimeText.near(time, now: now, in: zone)
    // Every form ends with the clock time.
    return localeFormat.hasTwelveHours
      ? text.dropLast(TimeText.clock(time, in: zone).count) + clock(time) : text
  }

  /// An amount, `250 ml` or `8.5 fl oz`.
  func amount(_ millilitres: Int) -> String {
    AmountText.text(millilitres: millilitres, unit: unit)
  }
}

/// The person's synced settings.
struct Choices: Hashable {
  /// The settings with defaults applied.
  let settings: Settings
  /// The unit, if one was chosen.
  let unit: WaterUnit?

  /// No settings stored.
  static let none = Choices { _ in nil }

  init<Failure>(_ value: (String) throws(Failure) -> String?) throws(Failure) {
    settings = try Settings(value)
    unit = try value(Setting.waterUnit.rawValue).flatMap(WaterUnit.init(rawValue:))
  }

  /// Reads the settings of a replica.
  init(_ store: ReplicaTransaction) throws {
    try self.init { try store.preference($0) }
  }
}

/// Parses a typed target; nil stays nil.
func typedTarget(_ text: String?) throws(InputProblem) -> Int? {
  guard let text else { return nil }
  return try Typed.targetMinutes(text)
}
