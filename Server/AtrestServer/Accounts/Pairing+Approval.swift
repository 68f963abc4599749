// SPDX-License-Identifier: Apache-2.0
// The rules of approval, inside a transaction: who waits, who decides, and what became of it.

import AtrestReplication
import AtrestWire

extension Pairing {
  /// The invitations with which devices wait at `now`, in order of arrival.
  static func awaitingApproval(
    of account: AccountID, at now: WallTime, in transaction: any StoreTransaction
  ) throws(StoreError) -> [(invitation: InvitationEntry, device: PendingDeviceEntry)] {
    let ends = openEnds(at: now)
    return try transaction.invitations.list(of: account).compactMap { invitation in
      guard invitation.usedBy == nil, ends.contains(invitation.expires) else { return nil }
      return invitation.pending.map { (invitation, $0) }
    }.sorted {
      ($0.device.since, $0.invitation.handle) < ($1.device.since, $1.invitation.handle)
    }
  }

  enum Decision {
    /// It was approved. `code` is the handle of its code, as below.
    case letIn(DeviceEntry, code: String)
    case sentAway(code: String)
    /// It was decided before, or the code has expired or ended. Contains the code's handle if the
    /// code is still known.
    case nobodyWaits(code: String?)
    case tooManyDevices
    /// The replica identity is taken; draw again.
    case replicaTaken
  }

  /// Approves or rejects a pending device. The first decision counts: afterwards the invitation is
  /// used or gone.
  ///
  /// - Parameters:
  ///   - handle: See `PendingDeviceEntry.handle`.
  ///   - replica: The identity that the device gets. Nil rejects it.
  ///   - decider: The device that decides.
  static func decide(
    _ handle: UInt64, of account: AccountID, admitting replica: ReplicaID?, by decider: ReplicaID,
    at now: WallTime, in transaction: any StoreTransaction
  ) throws(StoreError) -> Decision {
    let invitations = try transaction.invitations.list(of: account)
    guard let invitation = invitations.first(where: { $0.pending?.handle == handle }),
      let device = invitation.pending
    else { return .nobodyWaits(code: nil) }
    guard invitation.usedBy == nil, openEnds(at: now).contains(invitation.expires) else {
      return .nobodyWaits(code: invitation.handle)
    }
    guard let replica else {
      try transaction.invitations.remove(invitation.handle)
      try transaction.events.append([
        NewEvent(.deviceDenied, of: account, at: now, actor: decider)
      ])
      return .sentAway(code: invitation.handle)
    }
    let admission = try admit(
      replica, tokenHash: device.tokenHash, name: device.name, by: invitation, approver: decider,
      at: now, in: transaction)
    switch admission {
    case .made(let device):
      try transaction.events.append([
        NewEvent(.deviceApproved, of: account, at: now, actor: decider, subject: device.replica)
      ])
      return .letIn(device, code: invitation.handle)
    case .tooManyDevices: return .tooManyDevices
    case .replicaTaken: return .replicaTaken
    }
  }

  /// What became of a device that waits.
  enum Verdict {
    case waits
    case letIn(PairedDevice)
    /// It was sent away, or its code has ended in another way.
    case refused
  }

  /// Looks what became of a device that waits with a code.
  ///
  /// A code that has expired is removed: nobody can let the device in after it was told so. One
  /// that let it in counts, even if it has expired since.
  static func verdict(
    on code: PairingCode, nonce: [UInt8], at now: WallTime, in transaction: any StoreTransaction
  ) throws(StoreError) -> Verdict {
    guard let invitation = try transaction.invitations.find(code.handle),
      // Another code may have the same handle by now.
      Secret.areEqual(invitation.secretHash, code.secretHash)
    else { return .refused }
    let secret = Token.secret(pairing: code, nonce: nonce)
    if let usedBy = invitation.usedBy {
      let device = try deviceAdmitted(usedBy, secret, of: invitation.account, in: transaction)
      return device.map { .letIn($0) } ?? .refused
    }
    guard let device = invitation.pending,
      Secret.areEqual(device.tokenHash, Secret.hash(secret))
    else { return .refused }
    guard openEnds(at: now).contains(invitation.expires) else {
      try transaction.invitations.remove(code.handle)
      return .refused
    }
    return .waits
  }
}
