// SPDX-License-Identifier: Apache-2.0
// Gives each local write a time greater than every time this replica has seen.

/// A hybrid logical clock. The owner persists `latest` together with the writes, so the clock
/// survives a restart.
///
/// Source: Kulkarni et al., "Logical Physical Clocks", 2014. This type does not limit how far a
/// peer may lead. The server checks that once, when it accepts a write, so replicas never disagree
/// about what to accept.
public struct HybridClock: Hashable, Sendable {
  /// The greatest time given or observed.
  public private(set) var latest: HybridTime

  /// Creates a clock that continues after `latest`.
  public init(latest: HybridTime = HybridTime(rawValue: 0)) {
    self.latest = latest
  }

  /// Gives the time for a write.
  ///
  /// - Parameter wall: This device's wall clock. It may jump either way; the result always grows.
  /// - Returns: A time greater than every one given or observed before.
  /// - Complexity: O(1).
  public mutating func tick(at wall: WallTime) -> HybridTime {
    latest = max(HybridTime(rawValue: latest.rawValue + 1), HybridTime(wall))
    return latest
  }

  /// Advances past the time of a remote write, so that later local writes are ordered after it.
  ///
  /// - Precondition: `time` is at most `HybridTime.latest`; the decoder rejects greater ones.
  public mutating func observe(_ time: HybridTime) {
    precondition(time <= .latest)
    latest = max(latest, time)
  }
}
