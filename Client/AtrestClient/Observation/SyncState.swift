// SPDX-License-Identifier: Apache-2.0
// What a replica's syncs are doing.

import AtrestSync

/// What the syncs of a replica in this program are doing, for an app to show.
public enum SyncState: Hashable, Sendable {
  /// None has run since the replica was opened.
  case idle
  /// One is under way, and has done this much.
  case syncing(SyncReport)
  /// The last one did this. Everything was exchanged, but for writes that it lists as refused or
  /// held.
  case upToDate(SyncReport)
  /// The last one failed. What was written waits; a watch tries again by itself if the error is
  /// transient.
  case failed(SyncError)
}
