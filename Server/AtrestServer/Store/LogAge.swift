// SPDX-License-Identifier: Apache-2.0
// When a store's log is to be emptied. Pure.

/// Counts the minutes in which a log was written to.
struct LogAge {
  /// Minutes without a write after which a moment counts as quiet.
  static let quietMinutes = 2
  /// Minutes after which a log is emptied though it is written to: a day, but for a margin.
  static let longestMinutes = 23 * 60

  /// Nil: nothing was written since it was emptied.
  private var minutes: Int?
  private var minutesSinceWrite = 0

  mutating func wrote() {
    if minutes == nil { minutes = 0 }
    minutesSinceWrite = 0
  }

  /// Counts a minute.
  /// - Returns: Whether the log is to be emptied now.
  mutating func isDue() -> Bool {
    guard let age = minutes else { return false }
    minutes = age + 1
    minutesSinceWrite += 1
    return minutesSinceWrite >= Self.quietMinutes || age + 1 >= Self.longestMinutes
  }

  mutating func emptied() { minutes = nil }
}
