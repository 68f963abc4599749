// SPDX-License-Identifier: Apache-2.0
// How long a fast lasted, and whether the history shows it.

import Foundation

extension Session {
  /// The target where a person has not chosen one, in minutes: 16 hours.
  public static let defaultTargetMinutes = 16 * 60

  /// The shortest completed fast that the history, the calendar, the forest and exports show, in
  /// seconds: 4 hours. Shorter ones are kept as records.
  public static let historySeconds: TimeInterval = 4 * 3600

  /// Milliseconds from the start to the end; nil while it is active. Never negative, and exact: all
  /// rules that compare lengths use it.
  public var durationMilliseconds: Int? {
    span.end.map { Milliseconds.whole($0.timeIntervalSince(span.start)) }
  }

  /// Seconds from the start to the end, in whole milliseconds; nil while it is active. Never
  /// negative.
  public var duration: TimeInterval? {
    durationMilliseconds.map { Double($0) / 1000 }
  }

  /// The target in milliseconds.
  var targetMilliseconds: Int {
    // Merged records hold targets in range; a value made in code might not, and must not overflow.
    min(max(targetMinutes, 0), Self.targetRange.upperBound) * Milliseconds.perMinute
  }

  /// Seconds from the start to the end, or to `now` while it is active, in whole milliseconds.
  /// Negative if it starts after `now`, which happens when another device's clock is ahead.
  public func elapsed(at now: Date) -> TimeInterval {
    Double(Milliseconds.whole((span.end ?? now).timeIntervalSince(span.start))) / 1000
  }

  /// Whether the history shows it: completed, and not shorter than `historySeconds`.
  public var isInHistory: Bool {
    guard span.outcome == .completed, let duration else { return false }
    return duration >= Self.historySeconds
  }
}
