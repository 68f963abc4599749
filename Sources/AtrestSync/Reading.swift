// SPDX-License-Identifier: Apache-2.0
// When an answer arrived, by the clocks of the device.

import AtrestReplication

/// A device's clock readings when an answer was read.
public struct Reading: Hashable, Sendable {
  /// The wall clock.
  public var now: WallTime
  /// Monotonic milliseconds since the request; nil if unknown.
  public var waited: Int64?

  /// Creates a reading; `waited` is in milliseconds.
  public init(now: WallTime, waited: Int64?) {
    self.now = now
    self.waited = waited
  }
}
