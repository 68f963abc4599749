// SPDX-License-Identifier: Apache-2.0
// A reading of a wall clock. This module never reads a clock: time is always a parameter.

/// Milliseconds since 1970-01-01T00:00:00Z, as read from some clock. Leap seconds are not counted.
public struct WallTime: Hashable, Comparable, Sendable {
  /// Milliseconds since the Unix epoch, UTC. Negative before it.
  public let milliseconds: Int64

  /// Creates a reading from milliseconds since the Unix epoch, UTC.
  public init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// 1970-01-01T00:00:00Z.
  public static let epoch = WallTime(milliseconds: 0)

  /// The times that a record can hold, in milliseconds: after 1970, before the year 6430.
  public static let recordable: Range<Int64> = 1..<(1 << 47)

  /// Orders readings, earlier first.
  public static func < (a: WallTime, b: WallTime) -> Bool {
    a.milliseconds < b.milliseconds
  }

  /// Adds milliseconds, saturating at the representable range.
  public func advanced(by milliseconds: Int64) -> WallTime {
    let (sum, overflow) = self.milliseconds.addingReportingOverflow(milliseconds)
    return WallTime(milliseconds: overflow ? (milliseconds > 0 ? .max : .min) : sum)
  }

  /// The milliseconds from another reading to this one, saturating at the representable range.
  /// Negative if the other one is later.
  public func milliseconds(since other: WallTime) -> Int64 {
    let (length, overflow) = milliseconds.subtractingReportingOverflow(other.milliseconds)
    return overflow ? (milliseconds > other.milliseconds ? .max : .min) : length
  }
}
