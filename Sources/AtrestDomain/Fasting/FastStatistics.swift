// SPDX-License-Identifier: Apache-2.0
// Counts the fasts of the history: how many, how long in all, the longest; by month and by target.

import AtrestReplication

/// Facts about fasts that are over. Compares nothing with a target or with another time: there are
/// no averages, no shares and nothing about consecutive days.
public struct FastStatistics: Sendable {
  /// The sum over some fasts.
  public struct Sum: Hashable, Sendable {
    /// How many there are.
    public private(set) var count = 0
    /// How long they lasted together, in milliseconds; clamped.
    public private(set) var milliseconds: Int64 = 0
    /// The longest; of equally long ones the newest.
    public private(set) var longest: CalendarEntry?

    fileprivate mutating func add(_ entry: CalendarEntry) {
      count += 1
      let (sum, overflow) = milliseconds.addingReportingOverflow(entry.durationMilliseconds)
      milliseconds = overflow ? .max : sum
      if let longest, longest.durationMilliseconds >= entry.durationMilliseconds { return }
      longest = entry
    }
  }

  /// All of them.
  public private(set) var all = Sum()
  /// Those that ended in a month, latest month first. Months without a fast are absent.
  public let months: [(month: LocalMonth, sum: Sum)]
  /// Those with a target, by minutes, shortest target first.
  public let targets: [(minutes: Int, sum: Sum)]

  /// Counts entries.
  ///
  /// - Parameter entries: Newest first, as `CalendarPolicy` selects them.
  /// - Complexity: O(n), and sorts the months and targets.
  public init(_ entries: [CalendarEntry], in zone: ZoneOffsets) {
    var byMonth: [LocalMonth: Sum] = [:]
    var byTarget: [Int: Sum] = [:]
    for entry in entries {
      all.add(entry)
      byMonth[LocalMonth(entry.date, in: zone), default: Sum()].add(entry)
      byTarget[entry.session.targetMinutes, default: Sum()].add(entry)
    }
    months = byMonth.map { (month: $0.key, sum: $0.value) }.sorted { $0.month > $1.month }
    targets = byTarget.map { (minutes: $0.key, sum: $0.value) }.sorted { $0.minutes < $1.minutes }
  }
}
