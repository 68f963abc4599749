// SPDX-License-Identifier: Apache-2.0
// Gives each local write a time greater than everything this replica has seen.

/// A hybrid logical clock. Its owner keeps `latest` on disk, with the writes, so that it survives a
/// restart.
///
/// Source: Kulkarni et al., "Logical Physical Clocks", 2014. There is no limit here on how far a
/// peer may lead: the server judges that once, when it takes a write in, so that replicas never
/// disagree about what to accept.
public struct HybridClock: Hashable, Sendable {
  /// The greatest time given or seen.
  public private(set) var latest: HybridTime

  /// A clock that continues after `latest`.
  public init(latest: HybridTime = HybridTime(rawValue: 0)) {
    self.latest = latest
  }

  /// Gives the time for a write.
  ///
  /// - Parameter wall: This device's wall clock. It may jump either way; the result only grows.
  /// - Returns: A time greater than every one given or seen before.
  /// - Complexity: O(1).
  public mutating func tick(at wall: WallTime) -> HybridTime {
    latest = max(HybridTime(rawValue: latest.rawValue + 1), HybridTime(wall))
    return latest
  }

  /// Learns the time of somebody else's write, so that what is written next comes after it.
  ///
  /// - Parameter time: At most `HybridTime.latest`; the decoder refuses greater ones.
  public mutating func observe(_ time: HybridTime) {
    precondition(time <= .latest)
    latest = max(latest, time)
  }
}
