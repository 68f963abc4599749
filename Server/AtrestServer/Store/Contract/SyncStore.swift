// SPDX-License-Identifier: Apache-2.0
// Durable storage: transactions over six aggregates. One suite of tests holds every engine to it.

import AtrestReplication

/// Durable storage of accounts, their devices, and their records.
///
/// One thread uses it at a time.
package protocol SyncStore: AnyObject {
  /// Runs `body` in a transaction: atomic, isolated, durable on return.
  ///
  /// `body` must not keep the transaction. It may run for milliseconds: nothing else is written
  /// meanwhile. An engine across a network may run it several times, each time from the start, and
  /// only the last run counts: it is a function of what it reads.
  ///
  /// - Throws: What `body` throws, or `StoreError`; the transaction is then rolled back. After
  ///   `StoreError.commitUnknown` it may have been committed, and the process has to end.
  /// - Complexity: One `fsync` if `body` wrote something, none otherwise.
  func transaction<R>(
    _ body: (any StoreTransaction) throws(StoreError) -> R
  ) throws(StoreError) -> R

  /// Whether the files may still hold the bytes of an account that was removed. Survives restarts.
  var owesErasure: Bool { get }

  /// Rewrites the files without what was removed. Not inside a transaction.
  ///
  /// - Throws: `StoreError`; erasure is then still owed. `full`, if there is no room for a second
  ///   copy.
  /// - Complexity: O(bytes of the store), and as much room meanwhile.
  func erase() throws(StoreError)

  /// Notes beside the files what was removed and could not be noted then.
  ///
  /// - Returns: Whether nothing is left to note.
  func noteWithdrawn() -> Bool

  /// Has the log, where there is one, hold nothing that the files hold. Not inside a transaction.
  ///
  /// - Returns: Whether it could be done now.
  func emptyLog() throws(StoreError) -> Bool

  /// Begins an online copy, in a file that does not exist yet. One at a time: another is aborted.
  ///
  /// Steps alternate with transactions. The copy includes what these commit.
  func beginBackup(to path: String) throws(StoreError) -> any StoreBackup

  /// Closes the store. Later transactions throw `StoreError.closed`. Idempotent.
  func close()
}

/// A copy of a store in progress. Released unfinished, it leaves an unusable file.
package protocol StoreBackup: AnyObject {
  /// Copies about a megabyte.
  ///
  /// - Returns: Whether the copy is complete and its file closed. The file is not synced.
  func step() throws(StoreError) -> Bool
}

/// A connection that reads a store beside the one that writes. One thread uses it at a time.
package protocol StoreReader: AnyObject {
  /// Runs `body` on a snapshot: everything committed before the call, nothing committed later.
  ///
  /// `body` must not write, nor keep the transaction.
  func read<R>(
    _ body: (any StoreTransaction) throws(StoreError) -> R
  ) throws(StoreError) -> R

  /// Closes the reader; the store is closed later. Later reads throw `StoreError.closed`.
  /// Idempotent.
  func close()
}

/// One open transaction, by aggregate.
///
/// A call sees what earlier calls of the transaction wrote, and nothing uncommitted of others.
/// After an error the transaction can only be rolled back. Closures that calls are given must not
/// use the transaction.
///
/// Calls take sets: an engine across a network answers each with one statement, whatever the number
/// of rows.
package protocol StoreTransaction: AnyObject {
  /// Records, and the feed of each account.
  var records: any RecordStore { get }
  /// Accounts, and the state of their feeds.
  var accounts: any AccountStore { get }
  /// Devices, their progress, and their outboxes.
  var devices: any DeviceStore { get }
  /// Pairing codes.
  var invitations: any InvitationStore { get }
  /// Which account holds which purchase.
  var purchases: any PurchaseStore { get }
  /// The audit log.
  var events: any EventLog { get }
  /// Wrong pairing codes. Nil where one daemon alone uses the store: it counts in memory.
  var attempts: (any AttemptStore)? { get }

  /// Keeps the store's clock, with whatever the transaction writes. A database has its own.
  func note(_ mark: RetentionClock.Mark)
}

extension StoreTransaction {
  package var attempts: (any AttemptStore)? { nil }
  package func note(_ mark: RetentionClock.Mark) {}
}
