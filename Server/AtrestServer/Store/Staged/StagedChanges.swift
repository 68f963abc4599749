// SPDX-License-Identifier: Apache-2.0
// What a transaction writes, as sets: an engine makes each of them with one statement or two.

import AtrestReplication
import AtrestWire

/// The writes of a transaction, with what it relied on.
///
/// Where an expectation does not hold at the commit, the transaction must fail as a conflict: it
/// is then run again on what is there by then.
struct StagedChanges: Sendable {
  // Accounts.
  var addedAccounts: [AccountID: AddedAccount] = [:]
  var removedAccounts: Set<AccountID> = []
  var feeds: [AccountID: FeedChange] = [:]
  /// Accounts whose names of commits are pruned, and how many are kept: see
  /// `AccountStore.pruneCommits`. After all other writes.
  var prunedCommits: [AccountID: Int] = [:]

  // Records. `previous` is where a record is in the database: it must be there.
  var records: [RecordAddress: RecordChange] = [:]

  // Devices.
  /// New ones. None of their identities may be in the database.
  var addedDevices: [ReplicaID: DeviceEntry] = [:]
  var revocations: [DeviceAddress: WallTime] = [:]
  var names: [DeviceAddress: String] = [:]
  var seen: [DeviceAddress: WallTime] = [:]
  var progress: [DeviceAddress: DeviceProgress] = [:]
  var outboxes: [DeviceAddress: DeviceOutbox] = [:]

  // Invitations.
  /// New ones. Their handles must be free, or among those that are removed.
  var addedInvitations: [String: InvitationEntry] = [:]
  /// Those that were changed, as they are now.
  var changedInvitations: [String: InvitationEntry] = [:]
  var removedInvitations: Set<String> = []

  // Attempts. The server's own row must be locked.
  var attempts: [[UInt8]: AttemptBucket] = [:]

  // Purchases.
  var holders: [PurchaseKey: HolderChange] = [:]
  /// New tokens. Neither the account may have one, nor another account this one.
  var appAccountTokens: [AccountID: [UInt8]] = [:]

  /// New events, ascending by number. The last event of each account must be the one that was read.
  var events: [AccountID: [EventEntry]] = [:]

  struct AddedAccount: Hashable, Sendable {
    let name: String
    let created: WallTime
  }

  struct HolderChange: Hashable, Sendable {
    var holder: StagedReads.PurchaseHolder
    /// Who must hold it in the database; nil: nobody.
    let previous: AccountID?
  }

  var isEmpty: Bool {
    addedAccounts.isEmpty && removedAccounts.isEmpty && feeds.isEmpty && prunedCommits.isEmpty
      && records.isEmpty && addedDevices.isEmpty && revocations.isEmpty && names.isEmpty
      && seen.isEmpty && progress.isEmpty && outboxes.isEmpty && addedInvitations.isEmpty
      && changedInvitations.isEmpty && removedInvitations.isEmpty && holders.isEmpty
      && appAccountTokens.isEmpty && events.isEmpty && attempts.isEmpty
  }
}
