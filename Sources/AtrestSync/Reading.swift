// SPDX-License-Identifier: Apache-2.0
// When an answer arrived, by the clocks of the device.

import AtrestReplication

/// A device's clock readings when an answer was read.
package struct Reading: Hashable, Sendable {
  /// The wall clock.
  package var now: WallTime
  /// Monotonic milliseconds since the request; nil if unknown.
  package var waited: Int64?

  /// Creates a reading; `waited` is in milliseconds.
  package init(now: WallTime, waited: Int64?) {
    self.now = now
    self.waited = waited
  }
}
