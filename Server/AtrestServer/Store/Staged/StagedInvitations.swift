// SPDX-License-Identifier: Apache-2.0
// Pairing codes of a staged transaction.

import AtrestReplication

final class StagedInvitations: InvitationStore {
  private let staging: Staging

  init(_ staging: Staging) {
    self.staging = staging
  }

  func add(_ invitation: InvitationEntry) throws(StoreError) -> Bool {
    try staging.expectWrite(to: invitation.account)
    guard try find(invitation.handle) == nil else { return false }
    staging.changes.addedInvitations[invitation.handle] = invitation
    return true
  }

  func find(_ handle: String) throws(StoreError) -> InvitationEntry? {
    if let added = staging.changes.addedInvitations[handle] { return added }
    if staging.changes.removedInvitations.contains(handle) { return nil }
    if let changed = staging.changes.changedInvitations[handle] { return changed }
    let known = try staging.value(staging.reads.invitations[handle]) {
      $0.invitations.insert(handle)
    }
    guard let known, !staging.isRemoved(known.account) else { return nil }
    return known
  }

  func openCount(of account: AccountID) throws(StoreError) -> Int {
    try list(of: account).count { $0.usedBy == nil }
  }

  func list(of account: AccountID) throws(StoreError) -> [InvitationEntry] {
    let added = staging.changes.addedInvitations.values.filter { $0.account == account }
    guard staging.changes.addedAccounts[account] == nil, !staging.isRemoved(account) else {
      return added
    }
    try staging.expectLock(on: account)
    let known = try staging.value(staging.reads.invitationLists[account]) {
      $0.invitationLists.insert(account)
    }
    return added
      + known.compactMap {
        staging.changes.removedInvitations.contains($0.handle)
          ? nil : staging.changes.changedInvitations[$0.handle] ?? $0
      }
  }

  func markUsed(_ handle: String, by tokenHash: [UInt8]) throws(StoreError) {
    try change(handle) { $0.usedBy = tokenHash }
  }

  func setPending(_ device: PendingDeviceEntry, of handle: String) throws(StoreError) {
    try change(handle) { $0.pending = device }
  }

  func setTriesLeft(_ count: Int, of handle: String) throws(StoreError) {
    try change(handle) { $0.triesLeft = count }
  }

  private func change(
    _ handle: String, _ change: (inout InvitationEntry) -> Void
  ) throws(StoreError) {
    guard var invitation = try find(handle) else { return }
    try staging.expectWrite(to: invitation.account)
    change(&invitation)
    if staging.changes.addedInvitations[handle] != nil {
      staging.changes.addedInvitations[handle] = invitation
    } else {
      staging.changes.changedInvitations[handle] = invitation
    }
  }

  func remove(_ handle: String) throws(StoreError) {
    guard let invitation = try find(handle) else { return }
    try staging.expectWrite(to: invitation.account)
    remove(invitation)
  }

  func remove(
    of account: AccountID, expiringOutside range: ClosedRange<WallTime>
  ) throws(StoreError) {
    try staging.expectWrite(to: account)
    for invitation in try list(of: account) where !range.contains(invitation.expires) {
      remove(invitation)
    }
  }

  func remove(of account: AccountID, madeBy inviters: [ReplicaID]) throws(StoreError) {
    try staging.expectWrite(to: account)
    for invitation in try list(of: account) {
      if let inviter = invitation.inviter, inviters.contains(inviter) { remove(invitation) }
    }
  }

  private func remove(_ invitation: InvitationEntry) {
    guard staging.changes.addedInvitations.removeValue(forKey: invitation.handle) == nil else {
      return
    }
    staging.changes.changedInvitations[invitation.handle] = nil
    staging.changes.removedInvitations.insert(invitation.handle)
  }
}
