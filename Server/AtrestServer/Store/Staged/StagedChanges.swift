// SPDX-License-Identifier: Apache-2.0
// What a transaction writes, as sets: an engine makes each of them with one statement or two.

import AtrestReplication
import AtrestWire

/// The writes of a transaction, with what it relied on.
///
/// Where an expectation does not hold at the commit, the transaction must fail as a conflict: it
/// is then run again on what is there by then.
package struct StagedChanges: Sendable {
  // Accounts.
  package var addedAccounts: [AccountID: AddedAccount] = [:]
  package var removedAccounts: Set<AccountID> = []
  package var feeds: [AccountID: FeedChange] = [:]
  /// Accounts whose names of commits are pruned, and how many are kept: see
  /// `AccountStore.pruneCommits`. After all other writes.
  package var prunedCommits: [AccountID: Int] = [:]

  // Records. `previous` is where a record is in the database: it must be there.
  package var records: [RecordAddress: RecordChange] = [:]

  // Devices.
  /// New ones. None of their identities may be in the database.
  package var addedDevices: [ReplicaID: DeviceEntry] = [:]
  package var revocations: [DeviceAddress: WallTime] = [:]
  package var names: [DeviceAddress: String] = [:]
  package var seen: [DeviceAddress: WallTime] = [:]
  package var progress: [DeviceAddress: DeviceProgress] = [:]
  package var outboxes: [DeviceAddress: DeviceOutbox] = [:]

  // Invitations.
  /// New ones. Their handles must be free, or among those that are removed.
  package var addedInvitations: [String: InvitationEntry] = [:]
  /// Those that were changed, as they are now.
  package var changedInvitations: [String: InvitationEntry] = [:]
  package var removedInvitations: Set<String> = []

  // Attempts. The server's own row must be locked.
  package var attempts: [[UInt8]: AttemptBucket] = [:]

  // Purchases.
  package var holders: [PurchaseKey: HolderChange] = [:]
  /// New tokens. Neither the account may have one, nor another account this one.
  package var appAccountTokens: [AccountID: [UInt8]] = [:]

  /// New events, ascending by number. The last event of each account must be the one that was read.
  package var events: [AccountID: [EventEntry]] = [:]

  package struct AddedAccount: Hashable, Sendable {
    package let name: String
    package let created: WallTime
  }

  package struct HolderChange: Hashable, Sendable {
    package var holder: StagedReads.PurchaseHolder
    /// Who must hold it in the database; nil: nobody.
    package let previous: AccountID?
  }

  package var isEmpty: Bool {
    addedAccounts.isEmpty && removedAccounts.isEmpty && feeds.isEmpty && prunedCommits.isEmpty
      && records.isEmpty && addedDevices.isEmpty && revocations.isEmpty && names.isEmpty
      && seen.isEmpty && progress.isEmpty && outboxes.isEmpty && addedInvitations.isEmpty
      && changedInvitations.isEmpty && removedInvitations.isEmpty && holders.isEmpty
      && appAccountTokens.isEmpty && events.isEmpty && attempts.isEmpty
  }
}
