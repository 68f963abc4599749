// SPDX-License-Identifier: Apache-2.0
// How long a fast lasted, and whether the history shows it.

import Foundation

extension Session {
  /// The target where a person has not chosen one, in minutes: 16 hours.
  public static let defaultTargetMinutes = 16 * 60

  /// The shortest completed fast that the history, the calendar, the forest and exports show, in
  /// seconds: 4 hours. Shorter ones are kept as records.
  public static let historySeconds: TimeInterval = 4 * 3600

  /// Seconds from the start to the end; nil while it is active. Never negative.
  public var duration: TimeInterval? {
    span.end.map { $0.timeIntervalSince(span.start) }
  }

  /// Seconds from the start to the end, or to `now` while it is active. Negative if it starts after
  /// `now`, which happens when another device's clock is ahead.
  public func elapsed(at now: Date) -> TimeInterval {
    (span.end ?? now).timeIntervalSince(span.start)
  }

  /// Whether the history shows it: completed, and not shorter than `historySeconds`.
  public var isInHistory: Bool {
    guard span.outcome == .completed, let duration else { return false }
    return duration >= Self.historySeconds
  }
}
