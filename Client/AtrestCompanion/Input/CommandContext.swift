// SPDX-License-Identifier: Apache-2.0
// When and where a command runs, and how its times and amounts are written there.

import AtrestClient
import AtrestCommandLine
import AtrestDomain
import AtrestFoundation
import AtrestReplication
import Foundation

/// The time, zone and conventions of a command. Read once, so that one answer has one `now`.
public struct CommandContext: Hashable, Sendable {
  /// The device's time.
  public let now: WallTime
  /// The device's zone; `TZ` takes precedence.
  public let zone: ZoneOffsets
  /// The locale conventions.
  public var localeFormat: LocaleFormat
  /// The unit for output, and for typed numbers without one.
  public let unit: WaterUnit

  /// A context.
  ///
  /// - Parameter unit: nil for that of the locale.
  public init(
    now: WallTime, zone: ZoneOffsets, localeFormat: LocaleFormat = .plain, unit: WaterUnit? = nil
  ) {
    self.now = now
    self.zone = zone
    self.localeFormat = localeFormat
    self.unit = unit ?? localeFormat.unit
  }

  /// Reads the context of this process.
  public static func current() -> CommandContext {
    let (now, environment) = (SystemClock().now(), ProcessInfo.processInfo.environment)
    return CommandContext(
      now: now, zone: ZoneOffsets(DeviceZone.current(at: now.date, environment: environment)),
      localeFormat: LocaleFormat(environment: environment))
  }

  /// A copy with another unit; with that of the locale if there is none.
  public func measuring(in unit: WaterUnit?) -> CommandContext {
    CommandContext(now: now, zone: zone, localeFormat: localeFormat, unit: unit)
  }

  /// A copy at a later time.
  public func at(_ now: WallTime) -> CommandContext {
    CommandContext(now: now, zone: zone, localeFormat: localeFormat, unit: unit)
  }

  /// Parses a typed time, such as `22:30`, `10:30 pm`, `yesterday 22:30` or `2h ago`.
  ///
  /// - Throws: `InputProblem.notATime` or `.skippedTime`. Whether the time may lie in the future
  ///   is for `TypedRules` to check.
  public func typedTime(_ text: String) throws(InputProblem) -> WallTime {
    try Typed.time(LocaleFormat.withTwentyFourHours(text), now: now, in: zone)
  }

  /// The same of a time that may not have been typed; nil stays nil.
  public func time(_ text: String?) throws(InputProblem) -> WallTime? {
    guard let text else { return nil }
    return try typedTime(text)
  }

  /// The clock time, `22:30` or `10:30 pm`.
  public func clock(_ time: WallTime) -> String {
    localeFormat.clock(time, in: zone)
  }

  /// The time relative to now, such as `today 22:30`.
  public func words(_ time: WallTime) -> String {
    let text = TimeText.near(time, now: now, in: zone)
    // Every form ends with the clock time.
    return localeFormat.hasTwelveHours
      ? text.dropLast(TimeText.clock(time, in: zone).count) + clock(time) : text
  }

  /// An amount, `250 ml` or `8.5 fl oz`.
  public func amount(_ millilitres: Int) -> String {
    AmountText.text(millilitres: millilitres, unit: unit)
  }
}
