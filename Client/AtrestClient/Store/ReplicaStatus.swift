// SPDX-License-Identifier: Apache-2.0
// A replica's status: its identity, its cursor and its waiting writes.

import AtrestReplication
import AtrestWire

/// A summary of a replica.
public struct ReplicaStatus: Hashable, Sendable {
  /// The identity that stamps its writes; `ReplicaID.none` before pairing.
  public var replica: ReplicaID
  /// The account's name; nil if unpaired.
  public var account: String?
  /// `HOST:PORT` of the server; nil if unpaired.
  public var server: String?
  /// The cursor in the account's feed; nil before the first sync.
  public var cursor: Cursor?
  /// When the last complete sync ended, by this device's clock; nil if there was none.
  public var lastSync: WallTime?
  /// How far the server's clock led this device's at the last answer, in milliseconds.
  public var serverOffsetMilliseconds: Int64
  /// Whether the server last reported that its own clock is doubtful.
  public var isServerClockDoubtful: Bool
  /// Whether the server said last that this device has no access any more.
  public var hasAccessEnded = false
  /// Writes that wait to be pushed, including refused and held ones. A deletion of what the server
  /// never had, for which a full account has no place, is not among them.
  public var pendingCount: Int
  /// Writes that the server refused.
  public var refusedCount: Int
  /// Deletions that wait for confirmation; see `SyncError.massDeletion`.
  public var heldDeletionCount: Int

  /// Whether the replica belongs to an account.
  public var isPaired: Bool { account != nil }
}

/// A write that waits in the outbox.
public struct PendingWrite: Hashable, Sendable {
  /// The record's key.
  public var key: RecordKey
  /// The written fields; empty for an acknowledged record that is offered again to a server that
  /// lost it.
  public var written: [FieldNumber]
  /// The time of the write; nil for a record that is offered again.
  public var since: WallTime?
  /// Why the server did not take it, if it was asked; or `.massDeletion` while it waits for a
  /// person's word.
  public var refusal: WriteRefusal?

  /// Why the server did not take a write.
  public struct WriteRefusal: Hashable, Sendable {
    /// For programs.
    public var reason: RefusalReason
    /// For people: one sentence of the server's.
    public var message: String
  }
}
