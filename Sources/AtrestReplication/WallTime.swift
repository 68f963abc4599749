// SPDX-License-Identifier: Apache-2.0
// A reading of a wall clock. Nothing in this module reads one: time is always a parameter.

/// Milliseconds since 1970-01-01T00:00:00Z, as some clock told them.
public struct WallTime: Hashable, Comparable, Sendable {
  /// Milliseconds since the Unix epoch, UTC. Negative before it.
  public let milliseconds: Int64

  /// A point in time.
  public init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// The earlier of two points is the smaller.
  public static func < (a: WallTime, b: WallTime) -> Bool {
    a.milliseconds < b.milliseconds
  }

  /// So many milliseconds later; the first or last time there is if that is beyond it.
  package func advanced(by milliseconds: Int64) -> WallTime {
    let (sum, overflow) = self.milliseconds.addingReportingOverflow(milliseconds)
    return WallTime(milliseconds: overflow ? (milliseconds > 0 ? .max : .min) : sum)
  }
}
