// SPDX-License-Identifier: Apache-2.0
// A transaction in memory, between what was loaded for it and what it writes: for an engine across
// a network.

import AtrestReplication
import AtrestWire

/// A transaction that runs on what was loaded before, and collects what it writes.
///
///     ── lock, load ──▶ run ── needs nothing more ──▶ write, COMMIT
///                      ▲   │ lacks rows
///                      └───┴──▶ load (another trip), run again from the start
///
/// A read that is not loaded throws `StoreError.notLoaded` and is noted in `missing`. Its engine
/// loads everything that is missing at once and runs the same work again, from the start, on a new
/// transaction. So work is a function of what it reads: however many rows a request touches, the
/// number of round trips is that of the reads which depend on each other. What jobs are known to
/// read is loaded before the first run; most then run once.
///
/// A call sees what earlier calls wrote: each aggregate lays its changes over what was loaded.
///
/// Source of the idea: A. Thomson et al., "Calvin", SIGMOD 2012, section 3.2.1, reconnaissance
/// queries.
final class StagedTransaction: StoreTransaction {
  let staging: Staging
  let stagedRecords: StagedRecords
  let stagedAccounts: StagedAccounts
  let stagedDevices: StagedDevices
  let stagedInvitations: StagedInvitations
  let stagedPurchases: StagedPurchases
  let stagedEvents: StagedEvents
  let stagedAttempts: StagedAttempts

  var records: any RecordStore { stagedRecords }
  var accounts: any AccountStore { stagedAccounts }
  var devices: any DeviceStore { stagedDevices }
  var invitations: any InvitationStore { stagedInvitations }
  var purchases: any PurchaseStore { stagedPurchases }
  var events: any EventLog { stagedEvents }
  var attempts: (any AttemptStore)? { stagedAttempts }

  /// - Parameters:
  ///   - reads: What was loaded.
  ///   - locked: The accounts whose rows are locked. Nil: a snapshot, which needs no locks and
  ///     admits no writes.
  init(_ reads: StagedReads, locked: Set<AccountID>?) {
    staging = Staging(reads, locked: locked)
    stagedRecords = StagedRecords(staging)
    stagedAccounts = StagedAccounts(staging)
    stagedDevices = StagedDevices(staging)
    stagedInvitations = StagedInvitations(staging)
    stagedPurchases = StagedPurchases(staging)
    stagedEvents = StagedEvents(staging)
    stagedAttempts = StagedAttempts(staging)
  }
}

extension StagedTransaction {
  /// Those of some accounts that are on their way to another cell, or went there. What has to be
  /// loaded first is noted.
  func moving(among accounts: Set<AccountID>) -> Set<AccountID> {
    accounts.filter { account in
      do throws(StoreError) { try staging.expectLock(on: account) } catch {
        return error == .moving
      }
      return false
    }
  }
}

/// What the aggregates of a staged transaction share. Used by one thread at a time.
final class Staging {
  let reads: StagedReads
  private let locked: Set<AccountID>?
  var changes = StagedChanges()
  /// Bytes of the records that this run loaded by key or wrote.
  var recordBytes = 0
  /// What has to be loaded before the work can go on.
  private(set) var missing = StoreQueries()
  /// Accounts that the work turned out to touch, and that are not locked.
  private(set) var missingLocks: Set<AccountID> = []

  init(_ reads: StagedReads, locked: Set<AccountID>?) {
    self.reads = reads
    self.locked = locked
  }

  /// Whether the work ran on all it needs. Asked after it, whatever it made of the errors.
  var isComplete: Bool { missing.isEmpty && missingLocks.isEmpty }

  var isReadOnly: Bool { locked == nil }

  /// Whether the transaction removes the account: nothing that was loaded of it counts any more.
  func isRemoved(_ account: AccountID) -> Bool { changes.removedAccounts.contains(account) }

  /// Takes what was loaded, or notes that it is missing.
  func value<Value>(
    _ known: Value?, orMiss miss: (inout StoreQueries) -> Void
  ) throws(StoreError) -> Value {
    guard let known else {
      miss(&missing)
      throw .notLoaded
    }
    return known
  }

  /// Notes reads that are missing, and ends the run.
  func miss(_ note: (inout StoreQueries) -> Void) -> StoreError {
    note(&missing)
    return .notLoaded
  }

  /// Requires that an account's row is locked, so that nobody else changes what belongs to it, and
  /// that the account is not on its way to another cell.
  ///
  /// - Throws: `StoreError.moving` if it is, or was. It was decided under the lock, or on the
  ///   snapshot of what is read.
  func expectLock(on account: AccountID) throws(StoreError) {
    guard changes.addedAccounts[account] == nil else { return }
    if let locked, !locked.contains(account) {
      missingLocks.insert(account)
      throw .notLoaded
    }
    switch try value(reads.presences[account], orMiss: { $0.feedStates.insert(account) }) {
    case .here: return
    case .moving: throw .moving
    case .absent:
      let hasMoved = try value(reads.departures[account]) { $0.departures.insert(account) }
      if hasMoved { throw .moving }
    }
  }

  /// The accounts of which nothing may be written.
  var moving: Set<AccountID> { Set(reads.presences.filter { $0.value == .moving }.keys) }

  /// Requires a transaction that may write to the account.
  func expectWrite(to account: AccountID) throws(StoreError) {
    guard !isReadOnly else { throw .failed(reason: "a write in a transaction that reads") }
    try expectLock(on: account)
  }
}
