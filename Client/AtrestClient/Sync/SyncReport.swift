// SPDX-License-Identifier: Apache-2.0
// What a sync did, counted.

/// What a sync has done so far, or in all.
public struct SyncReport: Hashable, Sendable {
  /// Round trips, comparisons included, whose answers were stored.
  public var exchanges = 0
  /// Writes the server took.
  public var pushed = 0
  /// Writes the server did not take; see `Replica.pending()`.
  public var refused = 0
  /// How many of those, because the account is full. They wait.
  public var overQuota = 0
  /// Records received.
  public var pulled = 0
  /// Records received or offered that lost to a newer write.
  public var superseded = 0
  /// Entries of the conflict journal received.
  public var conflicts = 0
  /// Whether the server had lost data, or was replaced, and was given what it lacks of what this
  /// replica holds.
  public var restarted = false
  /// Whether this replica was a copy, or was put back from one, and has a new identity now.
  public var isRenewed = false
  /// Deletions that wait for a person's word; nil for none.
  public var heldDeletions: HeldDeletions?

  /// Nothing done.
  public init() {}
}
