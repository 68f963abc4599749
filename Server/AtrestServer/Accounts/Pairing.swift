// SPDX-License-Identifier: Apache-2.0
// How a device joins an account: the rules of codes, inside a transaction.

import Replication

/// The rules of pairing. Draws nothing and reads no clock.
enum Pairing {
  /// Codes of one account that may be open at once.
  static let openInvitations = 16
  /// Devices of one account, those revoked included: what one list can show.
  static let devices = 1000

  enum InviteOutcome {
    case made
    case tooMany
    /// Another invitation has the handle; draw again.
    case handleTaken
  }

  /// Stores an invitation.
  static func invite(
    _ code: PairingCode, to account: AccountID, at now: WallTime,
    in transaction: any StoreTransaction
  ) throws(StoreError) -> InviteOutcome {
    try transaction.removeInvitations(expiredAt: now)
    guard try transaction.invitationCount(of: account) < openInvitations else { return .tooMany }
    let isMade = try transaction.addInvitation(
      InvitationEntry(
        handle: code.handle, secretHash: code.secretHash, account: account,
        expires: expiry(from: now), triesLeft: PairingCode.tries))
    return isMade ? .made : .handleTaken
  }

  /// When a code made now stops working.
  static func expiry(from now: WallTime) -> WallTime {
    WallTime(milliseconds: now.milliseconds + PairingCode.lifeMilliseconds)
  }

  enum Outcome {
    /// The device, and the token that is its own.
    case paired(DeviceEntry, Token)
    /// The device was made before, by a request that had the same nonce.
    case renewedBefore(DeviceEntry, Token)
    /// Wrong, used, too old, or tried too often.
    case denied
    case tooManyDevices
    /// The replica identity was given before; draw again.
    case replicaTaken
  }

  /// Tries a code. A right one is used up; a wrong one costs the invitation a try.
  static func pair(
    _ code: PairingCode, token: Token, name: String, at now: WallTime,
    in transaction: any StoreTransaction
  ) throws(StoreError) -> Outcome {
    guard let invitation = try transaction.invitation(handle: code.handle),
      invitation.expires > now, invitation.triesLeft > 0
    else { return .denied }
    guard Secret.areEqual(invitation.secretHash, code.secretHash) else {
      if invitation.triesLeft > 1 {
        try transaction.setTriesLeft(invitation.triesLeft - 1, invitation: code.handle)
      } else {
        try transaction.removeInvitation(handle: code.handle)
      }
      return .denied
    }
    let all = try transaction.devices(of: invitation.account)
    guard all.count < devices else { return .tooManyDevices }
    // Two devices of one name could not be told apart by whoever is to end the access of one.
    let taken = namesTaken(all)
    let device = DeviceEntry(
      replica: token.replica, account: invitation.account,
      name: taken.contains(name) ? Name.next(after: name, taken) : name, tokenHash: token.hash,
      paired: now, seen: nil, revoked: nil)
    guard try transaction.addDevice(device) else { return .replicaTaken }
    try transaction.removeInvitation(handle: code.handle)
    return .paired(device, token)
  }

  /// Names of devices that have access; those of others are free again.
  private static func namesTaken(_ devices: [DeviceEntry]) -> Set<String> {
    Set(devices.filter { $0.revoked == nil }.map(\.name))
  }

  /// Gives a device a second identity, for a copy of it: a device beside it in the account, with a name that tells them apart.
  ///
  /// - Parameters:
  ///   - nonce: Names the request; empty: none.
  ///   - token: Drawn for the device. With a nonce, only the identity is taken from it.
  /// - Returns: `denied` if the device has no access.
  static func renew(
    _ replica: ReplicaID, of account: AccountID, nonce: [UInt8], token: Token, at now: WallTime,
    in transaction: any StoreTransaction
  ) throws(StoreError) -> Outcome {
    let all = try transaction.devices(of: account)
    guard let original = all.first(where: { $0.replica == replica }), original.revoked == nil else {
      return .denied
    }
    var token = token
    if !nonce.isEmpty {
      // Tokens are stored as hashes, so none can be said again; one that follows from the request can be made again.
      let secret = Token.secret(renewing: original, nonce: nonce)
      let hash = Secret.hash(secret)
      if let known = all.first(where: {
        $0.revoked == nil && Secret.areEqual($0.tokenHash, hash)
      }) {
        return .renewedBefore(known, Token(replica: known.replica, secret: secret))
      }
      token = Token(replica: token.replica, secret: secret)
    }
    guard all.count < devices else { return .tooManyDevices }
    let device = DeviceEntry(
      replica: token.replica, account: account,
      name: Name.next(after: original.name, namesTaken(all)),
      tokenHash: token.hash, paired: now, seen: nil, revoked: nil)
    guard try transaction.addDevice(device) else { return .replicaTaken }
    return .paired(device, token)
  }
}
