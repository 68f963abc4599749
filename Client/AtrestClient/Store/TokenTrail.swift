// SPDX-License-Identifier: Apache-2.0
// Which sync tokens the server may hold: what tells a replica from a copy of it.

import SyncProtocol

/// The sync token that the server confirmed last, and those it was sent since. Pure.
struct TokenTrail: Hashable {
  /// Confirmed last; nil before the first.
  var held: UInt64?
  /// Sent since, or about to be, oldest first.
  var attempts: [UInt64] = []

  /// Attempts kept. A replica that hears no answer this often goes on with the newest one: forgetting any of them could make it
  /// look like a copy.
  static let attemptLimit = 32

  /// Begins a run of requests that offer something.
  ///
  /// - Parameter fresh: Random, not zero.
  /// - Returns: What all of them show. The trail must be durable before it is sent.
  mutating func begin(_ fresh: UInt64) -> SyncToken {
    let known = (held.map { [$0] } ?? []) + attempts
    if attempts.count >= TokenTrail.attemptLimit, let newest = attempts.last {
      return SyncToken(held: known, next: newest)
    }
    attempts.append(fresh)
    return SyncToken(held: known, next: fresh)
  }

  /// Whether nobody drew or confirmed another token since this one was drawn.
  func isNewest(_ next: UInt64) -> Bool { (attempts.last ?? held) == next }

  /// The server took offers that came with `next`.
  ///
  /// What was sent before it cannot be what the server holds any more. What was sent after it, by another process, can; and an
  /// answer that comes late, for a token that another one has followed, says nothing new.
  mutating func confirm(_ next: UInt64) {
    guard let index = attempts.firstIndex(of: next) else { return }
    held = next
    attempts.removeFirst(index + 1)
  }
}
