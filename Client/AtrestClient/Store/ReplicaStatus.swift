// SPDX-License-Identifier: Apache-2.0
// What a replica says of itself: who it is, where it stands, and what waits.

import AtrestProtocol
import AtrestReplication

/// A replica at a glance.
public struct ReplicaStatus: Hashable, Sendable {
  /// Under which identity it stamps its writes; `ReplicaID.none` before it was paired.
  public var replica: ReplicaID
  /// The account's name; nil while it is not paired.
  public var account: String?
  /// `HOST:PORT` of the server; nil while it is not paired.
  public var server: String?
  /// Where it stands in the account's feed; nil before the first sync.
  public var cursor: Cursor?
  /// When the last complete sync ended, by this device's clock; nil if there was none.
  public var lastSync: WallTime?
  /// By how much the server's clock was ahead of this device's at the last answer, in milliseconds.
  public var serverOffsetMilliseconds: Int64
  /// Whether the server said at the last answer that its own clock is doubtful.
  public var isServerClockDoubtful: Bool
  /// Writes that wait to be pushed, the refused and the held ones included.
  public var pendingCount: Int
  /// Writes that the server refused.
  public var refusedCount: Int
  /// Deletions that wait for a person's word; see `SyncError.massDeletion`.
  public var heldDeletionCount: Int

  /// Whether it belongs to an account.
  public var isPaired: Bool { account != nil }
}

/// A write that waits in the outbox.
public struct PendingWrite: Hashable, Sendable {
  /// The record it is for.
  public var key: RecordKey
  /// The fields it wrote; empty for an acknowledged record that is offered again to a server which
  /// lost it.
  public var written: [FieldNumber]
  /// When it was written; nil for a record that is offered again.
  public var since: WallTime?
  /// Why the server did not take it, if it was asked; or `.massDeletion` while it waits for a
  /// person's word.
  public var refusal: WriteRefusal?

  /// Why the server did not take a write.
  public struct WriteRefusal: Hashable, Sendable {
    /// For programs.
    public var reason: Refusal.Reason
    /// For people: one sentence of the server's.
    public var message: String
  }
}
