// SPDX-License-Identifier: Apache-2.0
// The lengths of time from which the others are counted, in whole milliseconds.

/// Lengths of time in milliseconds. 64 bits wide everywhere: where an `Int` has 32, it holds 25
/// days.
public enum Milliseconds {
  /// A minute.
  public static let perMinute: Int64 = 60_000
  /// An hour.
  public static let perHour: Int64 = 3_600_000
  /// A day of 24 hours.
  public static let perDay: Int64 = 86_400_000
}
