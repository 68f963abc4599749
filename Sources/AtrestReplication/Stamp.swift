// SPDX-License-Identifier: Apache-2.0
// The time and replica of a register's write: the order that decides every merge.

/// Identifies one replica of an account. Issued by the server at pairing and never reused.
public struct ReplicaID: RawRepresentable, Hashable, Comparable, Sendable {
  /// The number on the wire.
  public let rawValue: UInt64

  /// Creates an identifier with the given number.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// No replica: one that was never paired, or a fact that is stamped with its own signed date.
  public static let none = ReplicaID(rawValue: 0)

  /// Orders by number. Any fixed order would do.
  public static func < (a: ReplicaID, b: ReplicaID) -> Bool {
    a.rawValue < b.rawValue
  }
}

/// A reading of a hybrid logical clock: 48 bits of milliseconds above 16 bits of counter.
///
/// Source: Kulkarni et al., "Logical Physical Clocks", 2014. Packing both into one integer lets the
/// counter carry into the milliseconds when it overflows.
public struct HybridTime: RawRepresentable, Hashable, Comparable, Sendable {
  /// `milliseconds << 16 | counter`.
  public let rawValue: UInt64

  /// Creates a reading from its packed value.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The first reading of a millisecond. Clamps times before 1970 to 1970 and times after `latest`
  /// to `latest`.
  public init(_ wall: WallTime) {
    let milliseconds = UInt64(max(0, wall.milliseconds))
    rawValue = min(milliseconds, HybridTime.latest.milliseconds) << 16
  }

  /// The greatest reading that a peer may send: the year 6429. Counting cannot exhaust the range
  /// above it.
  public static let latest = HybridTime(rawValue: (1 << 63) - 1)

  /// Milliseconds since the Unix epoch, UTC.
  public var milliseconds: UInt64 { rawValue >> 16 }

  /// The milliseconds as a wall time.
  public var wallTime: WallTime { WallTime(milliseconds: Int64(milliseconds)) }

  /// Orders readings: the smaller one is earlier or concurrent.
  public static func < (a: HybridTime, b: HybridTime) -> Bool {
    a.rawValue < b.rawValue
  }
}

/// The time and replica of a write. Totally ordered: by time, then by replica.
public struct Stamp: Hashable, Comparable, Sendable {
  /// The writer's clock reading.
  public let time: HybridTime
  /// The replica that wrote.
  public let replica: ReplicaID

  /// Creates a stamp from a clock reading and a replica.
  public init(time: HybridTime, replica: ReplicaID) {
    self.time = time
    self.replica = replica
  }

  /// Orders stamps by time, then by replica. The greater one wins a merge.
  public static func < (a: Stamp, b: Stamp) -> Bool {
    a.time == b.time ? a.replica < b.replica : a.time < b.time
  }
}
