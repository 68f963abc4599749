// SPDX-License-Identifier: Apache-2.0
// Lets tests write times and lengths in seconds.

import AtrestReplication

extension WallTime {
  /// The time at a number of seconds since 1970, UTC, to the nearest millisecond.
  public init(seconds: Double) {
    self.init(milliseconds: Int64((seconds * 1000).rounded()))
  }

  /// The time some seconds later, to the nearest millisecond.
  public func advanced(bySeconds seconds: Double) -> WallTime {
    advanced(by: Int64((seconds * 1000).rounded()))
  }
}
