// SPDX-License-Identifier: Apache-2.0
// The clock for deadlines.

import AtrestHTTP2
import Glibc

/// The clock of every deadline in this module: `CLOCK_MONOTONIC`, unaffected by changes of the
/// date.
public enum MonotonicClock {
  /// The current instant. About 25 ns. On a shard, prefer `Shard.now`, which is read once per turn.
  public static func now() -> Instant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let seconds = UInt64(clamping: time.tv_sec)
    return Instant(nanoseconds: seconds &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec))
  }
}
