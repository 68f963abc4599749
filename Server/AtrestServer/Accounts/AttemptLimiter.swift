// SPDX-License-Identifier: Apache-2.0
// Decides how often wrong pairing codes may be tried on the whole server.

import Replication

/// A bucket of tries that fills up again with time. Only wrong codes take from it.
struct AttemptLimiter: Sendable {
  /// Wrong tries in a row.
  static let capacity = 20
  /// Milliseconds after which one more is allowed.
  static let refillMilliseconds: Int64 = 3000

  private var spent = 0
  private var since = WallTime(milliseconds: 0)

  /// Whether a code may be tried.
  mutating func allows(at now: WallTime) -> Bool {
    refill(at: now)
    return spent < Self.capacity
  }

  /// A code was wrong.
  mutating func failed(at now: WallTime) {
    refill(at: now)
    spent = min(spent + 1, Self.capacity)
  }

  private mutating func refill(at now: WallTime) {
    guard spent > 0, now > since else {
      // Nothing to refill, or the clock was set back: count from here.
      since = now
      return
    }
    let earned = (now.milliseconds - since.milliseconds) / Self.refillMilliseconds
    guard earned > 0 else { return }
    spent = Int(max(0, Int64(spent) - earned))
    since = WallTime(milliseconds: since.milliseconds + earned * Self.refillMilliseconds)
  }
}
