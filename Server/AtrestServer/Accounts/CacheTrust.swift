// SPDX-License-Identifier: Apache-2.0
// Decides whether what a daemon remembers of a store that others write is still true.

import AtrestHTTP2
import AtrestSockets

/// The trust in what was cached of a shared store.
///
/// Daemons tell each other what they commit. Something learned while this daemon listened is true
/// until it hears otherwise. Whatever was learned before it listened, or while it is not certain
/// that it listens, may have changed. A daemon that dies between a commit and telling of it tells
/// nobody: so nothing is trusted for long.
package struct CacheTrust: Sendable {
  /// How long something is trusted that no other daemon spoke of.
  package static let lifetime: Duration = .seconds(10)

  private let listeningSince: @Sendable () -> Instant?
  let lifetime: Duration
  /// A monotonic clock.
  let now: @Sendable () -> Instant

  /// - Parameters:
  ///   - lifetime: How long something is trusted that nobody spoke of.
  ///   - listeningSince: Since when everything was heard; nil if that is not certain now. Callable
  ///     from any thread.
  package init(
    lifetime: Duration, now: @escaping @Sendable () -> Instant = MonotonicClock.now,
    listeningSince: @escaping @Sendable () -> Instant?
  ) {
    self.lifetime = lifetime
    self.now = now
    self.listeningSince = listeningSince
  }

  /// Whether something still holds that was read at an instant, or later.
  func covers(_ learned: Instant) -> Bool {
    guard let since = listeningSince(), learned >= since else { return false }
    return now() <= learned.advanced(by: lifetime)
  }
}
