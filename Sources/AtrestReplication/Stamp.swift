// SPDX-License-Identifier: Apache-2.0
// When and where a register was written: the order that decides every merge.

/// The identity of one copy of an account's data. Issued by the server at pairing and never given
/// twice.
public struct ReplicaID: RawRepresentable, Hashable, Comparable, Sendable {
  /// The number on the wire.
  public let rawValue: UInt64

  /// An identity with the given number.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// No device: a replica that was never paired, or a fact whose stamp is its own signed date.
  public static let none = ReplicaID(rawValue: 0)

  /// Any fixed order will do; this one is by number.
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

  /// A reading with the given packed value.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The first reading of a millisecond. Times before 1970 count as 1970, times after `latest` as
  /// `latest`.
  public init(_ wall: WallTime) {
    let milliseconds = UInt64(max(0, wall.milliseconds))
    rawValue = min(milliseconds, HybridTime.latest.milliseconds) << 16
  }

  /// The greatest reading that a peer may send: the year 6429. The room above it cannot be
  /// exhausted by counting.
  public static let latest = HybridTime(rawValue: (1 << 63) - 1)

  /// Milliseconds since the Unix epoch, UTC.
  public var milliseconds: UInt64 { rawValue >> 16 }

  /// The same, as a wall time.
  public var wallTime: WallTime { WallTime(milliseconds: Int64(milliseconds)) }

  /// The smaller reading happened earlier, or concurrently.
  public static func < (a: HybridTime, b: HybridTime) -> Bool {
    a.rawValue < b.rawValue
  }
}

/// When and where a register was written. Totally ordered: by time, then by replica.
public struct Stamp: Hashable, Comparable, Sendable {
  /// What the writer's clock read.
  public let time: HybridTime
  /// Who wrote.
  public let replica: ReplicaID

  /// A stamp.
  public init(time: HybridTime, replica: ReplicaID) {
    self.time = time
    self.replica = replica
  }

  /// The order in which later writes win.
  public static func < (a: Stamp, b: Stamp) -> Bool {
    a.time == b.time ? a.replica < b.replica : a.time < b.time
  }
}
