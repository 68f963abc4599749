// SPDX-License-Identifier: Apache-2.0
// Decides how often wrong pairing codes may be tried on the whole server.

import Replication

/// A bucket of tries that fills up again with time. A try is taken before the code is looked at, so that tries
/// made at once count like tries in a row, and a code that was not wrong gives it back.
struct AttemptLimiter: Sendable {
  /// Wrong tries in a row.
  static let capacity = 20
  /// Milliseconds after which one more is allowed.
  static let refillMilliseconds: Int64 = 3000

  private var spent = 0
  private var since = WallTime(milliseconds: 0)

  /// Takes a try; false if none is left.
  mutating func take(at now: WallTime) -> Bool {
    refill(at: now)
    guard spent < Self.capacity else { return false }
    spent += 1
    return true
  }

  /// The code was not wrong.
  mutating func giveBack() {
    spent = max(0, spent - 1)
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
