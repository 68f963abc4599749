// SPDX-License-Identifier: Apache-2.0
// The rules for typed input, and an error with a sentence for each violation.

import AtrestReplication

/// Why typed input was not accepted. Nothing was changed.
public enum InputProblem: Error, Hashable, Sendable, CaseIterable {
  /// Not a time in any accepted form.
  case notATime
  /// A time that the clocks skip on that day because of daylight saving.
  case skippedTime
  /// Not a length of time.
  case notADuration
  /// Not an amount in any accepted form.
  case notAnAmount
  /// A number that is a thousand to some people and one to others.
  case ambiguousAmount
  /// A time after now.
  case inTheFuture
  /// A time before 1970.
  case longAgo
  /// A fast that ends before it starts.
  case endBeforeStart
  /// An end for a fast that is to stay open.
  case openWithEnd
  /// No end for a fast that is to be closed.
  case endMissing
  /// A fast of more than 14 days.
  case fastTooLong
  /// An amount of zero, or of more than 5 litres.
  case amountOutOfRange
  /// Like `amountOutOfRange`, for a person who uses ounces.
  case ouncesOutOfRange
  /// A target of zero, or of more than 7 days.
  case targetOutOfRange

  /// What happened, then what to do.
  public var userMessage: String {
    let key =
      switch self {
      case .notATime: "notATime"
      case .skippedTime: "skippedTime"
      case .notADuration: "notADuration"
      case .notAnAmount: "notAnAmount"
      case .ambiguousAmount: "ambiguousAmount"
      case .inTheFuture: "inTheFuture"
      case .longAgo: "longAgo"
      case .endBeforeStart: "endBeforeStart"
      case .openWithEnd: "openWithEnd"
      case .endMissing: "endMissing"
      case .fastTooLong: "fastTooLong"
      case .amountOutOfRange: "amountOutOfRange"
      case .ouncesOutOfRange: "ouncesOutOfRange"
      case .targetOutOfRange: "targetOutOfRange"
      }
    return Catalogue.text("problem.\(key)")
  }
}

/// The rules for typed input. Stricter than the rules for storage: records of other programs and
/// versions are still shown and synced.
public enum TypedRules {
  /// How far ahead of now a typed time may be: a minute. Clocks differ, and `22:30` may be typed
  /// seconds early.
  public static let futureSlackMilliseconds = Milliseconds.perMinute
  /// The longest fast: 14 days.
  public static let longestFastMilliseconds = 14 * Milliseconds.perDay
  /// The valid amounts of one entry in millilitres.
  public static let millilitres = 1...5_000
  /// The valid targets in minutes: up to 7 days.
  public static let targetMinutes = 1...(7 * 24 * 60)

  /// Checks the time of a past event.
  ///
  /// - Throws: `.inTheFuture` or `.longAgo`.
  public static func check(time: WallTime, now: WallTime) throws(InputProblem) {
    guard time.milliseconds(since: now) <= futureSlackMilliseconds else { throw .inTheFuture }
    guard time.milliseconds > 0 else { throw .longAgo }
  }

  /// Checks a fast's span.
  ///
  /// - Parameter end: nil for an open fast; then the time until `now` counts.
  /// - Throws: As for a time, and `.endBeforeStart` or `.fastTooLong`.
  public static func check(start: WallTime, end: WallTime?, now: WallTime) throws(InputProblem) {
    try check(time: start, now: now)
    if let end {
      try check(time: end, now: now)
      guard end >= start else { throw .endBeforeStart }
    }
    try check(from: start, to: end ?? now)
  }

  /// Checks the length of a fast.
  ///
  /// - Throws: `.fastTooLong`.
  static func check(from start: WallTime, to end: WallTime) throws(InputProblem) {
    guard end.milliseconds(since: start) <= longestFastMilliseconds else { throw .fastTooLong }
  }

  /// Checks that an ended fast is not implausibly long: one that was forgotten did not last until
  /// now.
  ///
  /// - Throws: `.fastTooLong`.
  public static func check(lengthOf session: Session) throws(InputProblem) {
    guard (session.durationMilliseconds ?? 0) <= longestFastMilliseconds else {
      throw .fastTooLong
    }
  }

  /// Checks the amount of one entry.
  ///
  /// - Parameter unit: The unit of the person who typed it, for the error.
  /// - Throws: `.amountOutOfRange`, or `.ouncesOutOfRange` for a person who uses ounces.
  public static func check(
    millilitres: Int, unit: WaterUnit = .millilitres
  ) throws(InputProblem) {
    guard Self.millilitres.contains(millilitres) else {
      switch unit {
      case .millilitres: throw .amountOutOfRange
      case .fluidOunces: throw .ouncesOutOfRange
      }
    }
  }

  /// Checks a target.
  ///
  /// - Throws: `.targetOutOfRange`.
  public static func check(targetMinutes: Int) throws(InputProblem) {
    guard Self.targetMinutes.contains(targetMinutes) else { throw .targetOutOfRange }
  }
}
