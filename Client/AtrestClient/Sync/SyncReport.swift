// SPDX-License-Identifier: Apache-2.0
// What a sync did, counted.

/// What a sync has done so far, or in all.
public struct SyncReport: Hashable, Sendable {
  /// Round trips whose answers were stored.
  public var exchanges = 0
  /// Writes the server took.
  public var pushed = 0
  /// Writes the server did not take; see `Replica.pending()`.
  public var refused = 0
  /// Records received.
  public var pulled = 0
  /// Records received or offered that lost to a newer write.
  public var superseded = 0
  /// Entries of the conflict journal received.
  public var conflicts = 0
  /// Whether the server had lost data, or was replaced, and was given everything this replica holds.
  public var restarted = false

  /// Nothing done.
  public init() {}
}
