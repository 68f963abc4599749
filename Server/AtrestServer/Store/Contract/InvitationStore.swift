// SPDX-License-Identifier: Apache-2.0
// The contract for pairing codes.

import AtrestReplication

/// Invitations, by the public part of their codes: the handle. Unknown handles are ignored.
package protocol InvitationStore: AnyObject {
  /// Adds an invitation.
  ///
  /// - Returns: False if the handle is in use; nothing happens then.
  func add(_ invitation: InvitationEntry) throws(StoreError) -> Bool

  /// The invitation with this handle, used ones included, or nil.
  func find(_ handle: String) throws(StoreError) -> InvitationEntry?

  /// The invitations of an account, used ones included, in no particular order.
  func list(of account: AccountID) throws(StoreError) -> [InvitationEntry]

  /// How many invitations of an account are unused.
  func openCount(of account: AccountID) throws(StoreError) -> Int

  /// Marks an invitation as used for a token. It stays until it expires, so that the same request
  /// can be answered again.
  func markUsed(_ handle: String, by tokenHash: [UInt8]) throws(StoreError)

  /// Binds an invitation to the device that waits with it. The caller has made sure that none does
  /// yet.
  func setPending(_ device: PendingDeviceEntry, of handle: String) throws(StoreError)

  /// Sets how many wrong tries are left.
  func setTriesLeft(_ count: Int, of handle: String) throws(StoreError)

  /// Removes an invitation.
  func remove(_ handle: String) throws(StoreError)

  /// Removes the invitations of an account that expire outside a range.
  func remove(
    of account: AccountID, expiringOutside range: ClosedRange<WallTime>
  ) throws(StoreError)

  /// Removes the invitations of an account that any of these devices made.
  func remove(of account: AccountID, madeBy inviters: [ReplicaID]) throws(StoreError)
}

/// A pairing code as a store keeps it.
package struct InvitationEntry: Hashable, Sendable {
  /// The code's public part.
  package var handle: String
  /// SHA-256 of the code's secret part, 32 bytes.
  package var secretHash: [UInt8]
  package var account: AccountID
  package var expires: WallTime
  /// Wrong tries left.
  package var triesLeft: Int
  /// The device that made it; nil: the server's owner.
  package var inviter: ReplicaID?
  /// Whether a device of the account has to let in whoever uses it.
  package var needsApproval = false
  /// SHA-256 of the token it was used for; nil: it is unused.
  package var usedBy: [UInt8]?
  /// The device that showed the right code and has to be let in; nil: there was none. It stays when
  /// the invitation was used.
  package var pending: PendingDeviceEntry?
}

/// A device that waits for approval, as a store keeps it.
package struct PendingDeviceEntry: Hashable, Sendable {
  /// Identifies it in ResolvePendingDevice. Not zero.
  package var handle: UInt64
  /// The name that it requested.
  package var name: String
  /// The digits that both the device and the approving person see.
  package var digits: String
  /// SHA-256 of its future token's secret, 32 bytes. Only the daemon that it calls can compute the
  /// secret, from the code and the nonce in the call.
  package var tokenHash: [UInt8]
  package var since: WallTime

  package init(
    handle: UInt64, name: String, digits: String, tokenHash: [UInt8], since: WallTime
  ) {
    self.handle = handle
    self.name = name
    self.digits = digits
    self.tokenHash = tokenHash
    self.since = since
  }
}
