// SPDX-License-Identifier: Apache-2.0
// What storing an answer changed.

/// The result of storing an answer.
package struct AppliedAnswer: Hashable, Sendable {
  /// Offers removed from the outbox.
  package var acknowledged = 0
  /// Offers that stay because the server refused them.
  package var refused = 0
  /// Refused offers whose reason is the account's quota.
  package var overQuota = 0
  /// Refused offers whose reason is that their stamps lead the server's clock too far.
  package var tooFarAhead = 0
  /// Whether the server is at an outbox position that this replica never reached: this replica is a
  /// copy, and the other one went on. Nothing is recorded on the offers.
  package var isForked = false
  /// Whether the server is at an older position and left some offers unjudged. They must be offered
  /// again.
  package var isUnread = false
  /// Whether another sync of this replica learned another head since the request was made. Nothing
  /// was stored; the server must be asked again.
  package var isOvertaken = false
  /// Offers refused because they would delete most records; nil for none.
  package var heldDeletions: HeldDeletions?
  /// Received records that changed nothing here.
  package var unchanged = 0
  /// Received conflict-journal records.
  package var conflicts = 0
  /// Whether the server does not know this replica's position, so that a reconcile is due.
  package var isRestarted = false
  /// Whether it once did: then it has lost something. A server with which this replica has never
  /// synced has lost nothing.
  package var isLoss = false

  /// Creates an empty result.
  package init() {}
}

/// Deletions that wait for confirmation because together they would delete most records.
public struct HeldDeletions: Hashable, Sendable {
  /// The number of records that they would delete.
  public var count: Int
  /// The number of live records that the server knows.
  public var of: Int

  /// Creates the pair of counts.
  public init(count: Int, of: Int) {
    self.count = count
    self.of = of
  }
}
