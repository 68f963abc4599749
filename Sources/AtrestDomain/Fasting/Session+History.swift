// SPDX-License-Identifier: Apache-2.0
// The length of a fast, and its eligibility for the history.

import AtrestReplication

extension Session {
  /// The default target in minutes: 16 hours.
  public static let defaultTargetMinutes = 16 * 60

  /// The shortest completed fast in history, calendar, forest and exports: 4 hours. Shorter ones
  /// are kept as records.
  public static let historyMilliseconds = 4 * Milliseconds.perHour

  /// Milliseconds from start to end; nil while active. Never negative.
  public var durationMilliseconds: Int64? {
    span.end.map { $0.milliseconds(since: span.start) }
  }

  /// The target in milliseconds, clamped to the valid range.
  var targetMilliseconds: Int64 {
    // Merged records have targets in range. A value made in code might not, and must not overflow.
    Int64(min(max(targetMinutes, 0), Self.targetRange.upperBound)) * Milliseconds.perMinute
  }

  /// Milliseconds from the start to the end, or to `now` while active. Negative if it starts after
  /// `now`, which happens if another device's clock is ahead.
  public func elapsedMilliseconds(at now: WallTime) -> Int64 {
    (span.end ?? now).milliseconds(since: span.start)
  }

  /// Whether the history shows it: completed, and at least `historyMilliseconds` long.
  public var isInHistory: Bool {
    guard span.outcome == .completed, let durationMilliseconds else { return false }
    return durationMilliseconds >= Self.historyMilliseconds
  }
}
