// SPDX-License-Identifier: Apache-2.0
// Reads the clock of all deadlines.

import AtrestHTTP2
import Glibc

/// `CLOCK_MONOTONIC`, the clock of every deadline in this module. Unaffected by date changes.
public enum MonotonicClock {
  /// The current instant. Takes about 25 ns; on a shard prefer `Shard.now`, read once per turn.
  public static func now() -> Instant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let seconds = UInt64(clamping: time.tv_sec)
    return Instant(nanoseconds: seconds &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec))
  }
}
