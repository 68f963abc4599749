// SPDX-License-Identifier: Apache-2.0
// The length of a fast, and its eligibility for the history.

import Foundation

extension Session {
  /// The default target in minutes: 16 hours.
  public static let defaultTargetMinutes = 16 * 60

  /// The shortest completed fast in history, calendar, forest and exports, in seconds: 4 hours.
  /// Shorter ones are kept as records.
  public static let historySeconds: TimeInterval = 4 * 3600

  /// Milliseconds from start to end; nil while active. Never negative, and exact: every comparison
  /// of lengths uses it.
  public var durationMilliseconds: Int? {
    span.end.map { Milliseconds.whole($0.timeIntervalSince(span.start)) }
  }

  /// Seconds from start to end, rounded to whole milliseconds; nil while active. Never negative.
  public var duration: TimeInterval? {
    durationMilliseconds.map { Double($0) / 1000 }
  }

  /// The target in milliseconds, clamped to the valid range.
  var targetMilliseconds: Int {
    // Merged records have targets in range. A value made in code might not, and must not overflow.
    min(max(targetMinutes, 0), Self.targetRange.upperBound) * Milliseconds.perMinute
  }

  /// Seconds from the start to the end, or to `now` while active, rounded to whole milliseconds.
  /// Negative if it starts after `now`, which happens if another device's clock is ahead.
  public func elapsed(at now: Date) -> TimeInterval {
    Double(Milliseconds.whole((span.end ?? now).timeIntervalSince(span.start))) / 1000
  }

  /// Whether the history shows it: completed, and at least `historySeconds` long.
  public var isInHistory: Bool {
    guard span.outcome == .completed, let duration else { return false }
    return duration >= Self.historySeconds
  }
}
