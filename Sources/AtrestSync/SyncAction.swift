// SPDX-License-Identifier: Apache-2.0
// What the machines of a sync and their owner tell each other.

import AtrestReplication
import AtrestWire

/// What the owner of a sync does next.
///
/// `perform`, `send` and `backOff` are each followed by one event. A transaction and a call may be
/// under way at the same time, never two of a kind.
package enum SyncAction: Hashable, Sendable {
  /// Run one transaction, then tell `stored` or `storeFailed`.
  case perform(StoreRequest)
  /// Make a call under this credential, nil for the transport's own; then tell `answered` or
  /// `callFailed`.
  case send(SyncRequest, as: String?)
  /// Wait before the next attempt; then tell `waited`.
  case backOff(BackOff)
  /// Show the totals so far.
  case report(SyncReport)
  /// The sync is over. Cancel what is under way.
  case finish(Result<SyncReport, SyncError>)
}

/// What happened to a sync.
package enum SyncEvent: Hashable, Sendable {
  /// A transaction is durable.
  case stored(StoreReply)
  /// A transaction failed and changed nothing.
  case storeFailed(ReplicaError)
  /// A whole answer arrived.
  case answered(SyncAnswer, at: Reading)
  /// A call failed. Whether the server heard it is unknown.
  case callFailed(SyncError)
  /// A pause is over.
  case waited
  /// The owner gives up. What was stored stays stored.
  case cancelled
}

/// The bounds of one sync.
package struct SyncBounds: Hashable, Sendable {
  /// Attempts per call, the first included.
  package var attempts = 5
  /// The most repeats in one sync after the server left offers unjudged or an answer could not be
  /// stored. Concurrent syncs of one replica cause both, by moving each other's positions.
  package var repeats = 50
  /// The most new identities taken in one sync.
  package var renewals = 3
  /// The most restarts of the feed accepted in one sync before the server counts as broken.
  package var restarts = 3

  /// A comparison splits a range only if both sides hold more records in it. At least 2.
  package var smallRange = KeyRange.smallCount

  /// The usual bounds.
  package init(attempts: Int = 5) { self.attempts = attempts }
}

/// What the steps of one sync share.
struct SyncRun: Hashable {
  let bounds: SyncBounds
  let allowsMassDeletion: Bool
  var report = SyncReport()
  /// Refused writes that get other stamps before the sync ends.
  var tooFarAhead = 0
  /// The credential of its requests.
  var credential: String?
  private var hasRetriedDeletions = false
  private var repeats = 0
  private var renewals = 0
  private var restarts = 0

  init(bounds: SyncBounds, allowsMassDeletion: Bool) {
    self.bounds = bounds
    self.allowsMassDeletion = allowsMassDeletion
  }

  /// Backs off before the server is asked again, so that other syncs of this replica can proceed.
  /// - Returns: The pause; nil if there is none.
  /// - Throws: `.unreachable` if there were too many repeats.
  mutating func repeated() throws(SyncError) -> SyncAction? {
    repeats += 1
    guard repeats <= bounds.repeats else {
      throw .unreachable("other syncs of this replica are under way")
    }
    return repeats > 1 ? .backOff(BackOff(failures: repeats)) : nil
  }

  /// Whether to offer deletions again that the server refused although the person confirmed them:
  /// true once in a sync.
  mutating func retriesConfirmedDeletions() -> Bool {
    defer { hasRetriedDeletions = true }
    return allowsMassDeletion && !hasRetriedDeletions
  }

  /// Offers were judged, so that asking again is no repeat.
  mutating func advanced() { repeats = 0 }

  mutating func renewed() throws(SyncError) {
    renewals += 1
    guard renewals <= bounds.renewals else {
      throw .badAnswer("it takes a new device for a copy of another")
    }
  }

  mutating func restarted(isLoss: Bool) throws(SyncError) {
    if isLoss { report.restarted = true }
    restarts += 1
    guard restarts <= bounds.restarts else {
      throw .badAnswer("the feed starts over again and again")
    }
  }
}

extension SyncError {
  /// A failure to store an answer: a broken rule is the server's fault.
  package init(storing error: ReplicaError) {
    if case .invalid(let rule) = error.reason {
      self = .badAnswer(rule)
    } else {
      self = .replica(error)
    }
  }
}
