// SPDX-License-Identifier: Apache-2.0
// The counts of what a sync did.

/// What a sync has done, so far or in total.
public struct SyncReport: Hashable, Sendable {
  /// Round trips whose answers were stored, comparisons included.
  public var exchanges = 0
  /// Writes that the server accepted.
  public var pushed = 0
  /// Writes that the server refused; see `Replica.pending()`.
  public var refused = 0
  /// Refused writes whose reason is the account's quota. They wait.
  public var overQuota = 0
  /// Records received.
  public var pulled = 0
  /// Records received or offered that lost to a newer write.
  public var superseded = 0
  /// Conflict-journal entries received.
  public var conflicts = 0
  /// Whether the server, with which this replica had synced before, had lost data and received
  /// what it lacked from this replica.
  public var restarted = false
  /// Whether this replica was a copy, or was restored from one, and now has a new identity.
  public var isRenewed = false
  /// Deletions that wait for confirmation; nil for none.
  public var heldDeletions: HeldDeletions?

  /// Creates an empty report.
  public init() {}
}
