// SPDX-License-Identifier: Apache-2.0
// A time zone as data: its offsets from UTC, and the instants at which they change.

import AtrestReplication

/// The offsets of a time zone. Whoever has a database of time zones makes it from that; nothing
/// here knows the name of a zone or its rules.
public struct ZoneOffsets: Hashable, Sendable {
  /// A change of the offset.
  public struct Transition: Hashable, Sendable {
    /// The first second of the new offset, in seconds since 1970, UTC.
    public let second: Int64
    /// The new offset in seconds, positive east of Greenwich.
    public let offset: Int

    /// Creates a change; nothing is checked.
    public init(second: Int64, offset: Int) {
      self.second = second
      self.offset = offset
    }
  }

  /// The offset before the first transition, in seconds.
  public let first: Int
  /// The changes, earliest first. The last offset holds for ever after.
  public let transitions: [Transition]

  /// The largest offset on either side, in seconds: 18 hours.
  public static let limitSeconds = 18 * 3600

  /// UTC.
  public static let utc = ZoneOffsets(first: 0, sorted: [])

  private init(first: Int, sorted: [Transition]) {
    self.first = first
    transitions = sorted
  }

  /// Creates a zone; nil if an offset exceeds `limitSeconds` or the transitions do not ascend.
  public init?(first: Int, transitions: [Transition] = []) {
    let limits = -Self.limitSeconds...Self.limitSeconds
    guard limits.contains(first), transitions.allSatisfy({ limits.contains($0.offset) }),
      zip(transitions, transitions.dropFirst()).allSatisfy({ $0.second < $1.second })
    else { return nil }
    self.init(first: first, sorted: transitions)
  }

  /// The offset at an instant, in seconds.
  ///
  /// - Complexity: O(log n) in the transitions.
  public func offset(at time: WallTime) -> Int {
    offset(atSecond: time.second)
  }

  /// The offset at a second since 1970, UTC.
  func offset(atSecond second: Int64) -> Int {
    var (low, high) = (0, transitions.count)
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle].second <= second { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? first : transitions[low - 1].offset
  }

  /// The seconds since 1970 that a local clock shows at an instant, as if it showed UTC.
  func localSecond(at time: WallTime) -> Int64 {
    time.second + Int64(offset(at: time))
  }
}

extension WallTime {
  /// Whole seconds since 1970, UTC, rounded down.
  var second: Int64 { milliseconds.floored(by: 1000) }
}

extension Int64 {
  /// The quotient rounded down; the divisor is positive.
  func floored(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
