// SPDX-License-Identifier: Apache-2.0
// Which knowledge of a shared store is from before something was heard. Pure.

import AtrestHTTP2
import AtrestReplication

/// What was heard of lately, cached or not.
///
/// A read that began before something was heard of may have seen the store as it was before. It may
/// also end after it. So whatever is learned is compared with what was heard since its read began,
/// and not with what was cached when the news came.
struct Doubts: Sendable {
  /// What is in doubt.
  enum Subject: Hashable, Sendable {
    case head(AccountID)
    /// All devices of an account: it may have been removed.
    case devices(AccountID)
    case device(ReplicaID)
  }

  /// Subjects that are remembered. Beyond it, everything is in doubt once.
  static let limit = 65_536

  /// Doubts older than this are dropped: a read that began before them is trusted by nobody.
  private let lifetime: Duration
  private var young: [Subject: Instant] = [:]
  private var old: [Subject: Instant] = [:]
  /// When the first of the young ones was noted.
  private var began = Instant(nanoseconds: 0)
  /// Everything that was read before it is in doubt.
  private var floor = Instant(nanoseconds: 0)

  init(lifetime: Duration) {
    self.lifetime = lifetime
  }

  /// Puts in doubt what was read until now. Amortised O(1).
  mutating func note(_ subject: Subject, at now: Instant) {
    if young.isEmpty || now > began.advanced(by: lifetime) {
      (old, young, began) = (young, [:], now)
    }
    young[subject] = now
    if young.count > Self.limit { (old, young, floor) = ([:], [:], now) }
  }

  /// Whether what was read from an instant on may be from before something that was heard.
  func concern(_ subjects: Subject..., readAt instant: Instant, now: Instant) -> Bool {
    if instant <= floor || now > instant.advanced(by: lifetime) { return true }
    return subjects.contains { subject in
      (young[subject] ?? old[subject]).map { instant <= $0 } ?? false
    }
  }
}
