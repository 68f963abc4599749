// SPDX-License-Identifier: Apache-2.0
// How a device joins an account, and who lets it in: the rules of codes, inside a transaction.

import AtrestProtocol
import AtrestReplication

/// The rules of pairing. Draws nothing and reads no clock.
enum Pairing {
  /// Codes of one account that may be open at once.
  static let openInvitations = 16
  /// Devices of one account that have access, and devices that one list shows.
  static let devices = 1000

  /// Whether an account has as many devices as it may.
  private static func isFull(_ all: [DeviceEntry]) -> Bool {
    all.count { $0.revoked == nil } >= devices
  }

  /// What a list shows of an account's devices, in their order: all that have access, and of the
  /// others those whose access ended last.
  static func listed(_ all: [DeviceEntry]) -> [DeviceEntry] {
    guard all.count > devices else { return all }
    let room = max(0, devices - all.count { $0.revoked == nil })
    let ended = all.filter { $0.revoked != nil }.sorted {
      ($0.revoked ?? $0.paired, $0.replica.rawValue) > (
        $1.revoked ?? $1.paired, $1.replica.rawValue
      )
    }
    let shown = Set(ended.prefix(room).map(\.replica))
    return all.filter { $0.revoked == nil || shown.contains($0.replica) }
  }

  enum InviteOutcome {
    case made
    case tooMany
    /// Another invitation has the handle; draw again.
    case handleTaken
  }

  /// Stores an invitation.
  ///
  /// - Parameters:
  ///   - inviter: The device that asks; nil: the server's owner.
  ///   - needsApproval: Whether a device has to let in whoever uses it.
  static func invite(
    _ code: PairingCode, to account: AccountID, by inviter: ReplicaID? = nil,
    needsApproval: Bool = false, at now: WallTime, in transaction: any StoreTransaction
  ) throws(StoreError) -> InviteOutcome {
    try transaction.removeInvitations(endingOutside: openEnds(at: now))
    guard try transaction.invitationCount(of: account) < openInvitations else { return .tooMany }
    let isMade = try transaction.addInvitation(
      InvitationEntry(
        handle: code.handle, secretHash: code.secretHash, account: account,
        expires: expiry(from: now), triesLeft: PairingCode.tries, inviter: inviter,
        needsApproval: needsApproval))
    guard isMade else { return .handleTaken }
    try transaction.addEvent(
      NewEvent(
        .codeMade, of: account, at: now, actor: inviter, detail: needsApproval ? 1 : 0))
    return .made
  }

  /// When a code made now stops working.
  static func expiry(from now: WallTime) -> WallTime {
    now.advanced(by: PairingCode.lifeMilliseconds)
  }

  /// When the codes end that work now. One that would end later than a code made now was made by a
  /// clock that was ahead and has been set right since: it would work for as long as that was
  /// ahead, and keep new ones from being made. Small steps back end none.
  static func openEnds(at now: WallTime) -> ClosedRange<WallTime> {
    now.advanced(by: 1)...expiry(from: now.advanced(by: ClockMonitor.tolerance))
  }

  enum Outcome {
    /// The device, and the token that is its own.
    case paired(DeviceEntry, Token)
    /// The device was made before, by the same request.
    case madeBefore(DeviceEntry, Token)
    /// The code is right, and a device of the account has to say yes.
    case awaitsApproval(InvitationEntry, secret: [UInt8])
    /// The code is right, and a device would have to say yes to a pending device that it cannot
    /// tell from another: without a nonce there are no digits. The code stays as it was.
    case hasNoDigits
    /// Wrong, used, too old, or tried too often. Names the account whose code it would have been,
    /// if any.
    case denied(AccountID?)
    case tooManyDevices
    /// The replica identity was given before; draw again.
    case replicaTaken
  }

  /// Tries a code. A right one is used up, or waits for approval; a wrong one costs the invitation
  /// a try.
  ///
  /// - Parameters:
  ///   - nonce: Names the request; empty: none.
  ///   - token: Drawn for the device. With a nonce, only the identity is taken from it.
  static func pair(
    _ code: PairingCode, nonce: [UInt8] = [], token: Token, name: String, at now: WallTime,
    in transaction: any StoreTransaction
  ) throws(StoreError) -> Outcome {
    guard let invitation = try transaction.invitation(handle: code.handle),
      openEnds(at: now).contains(invitation.expires), invitation.triesLeft > 0
    else { return .denied(nil) }
    let isRight = Secret.areEqual(invitation.secretHash, code.secretHash)
    let secret = nonce.isEmpty ? token.secret : Token.secret(pairing: code, nonce: nonce)
    if let usedBy = invitation.usedBy {
      // Wrong tries have nothing to guess any more.
      guard isRight, !nonce.isEmpty, Secret.areEqual(usedBy, Secret.hash(secret)),
        let known = try device(usedBy, of: invitation.account, in: transaction)
      else { return .denied(invitation.account) }
      return .madeBefore(known, Token(replica: known.replica, secret: secret))
    }
    guard isRight else {
      if invitation.triesLeft > 1 {
        try transaction.setTriesLeft(invitation.triesLeft - 1, invitation: code.handle)
      } else {
        try transaction.removeInvitation(handle: code.handle)
      }
      return .denied(invitation.account)
    }
    guard !invitation.needsApproval else {
      return nonce.isEmpty ? .hasNoDigits : .awaitsApproval(invitation, secret: secret)
    }
    return try admit(
      Token(replica: token.replica, secret: secret), name: name, by: invitation, at: now,
      in: transaction)
  }

  /// Makes the device that an invitation was for, and uses the invitation up.
  ///
  /// - Parameter approver: The device that lets it in; nil: none has to.
  private static func admit(
    _ token: Token, name: String, by invitation: InvitationEntry, approver: ReplicaID? = nil,
    at now: WallTime, in transaction: any StoreTransaction
  ) throws(StoreError) -> Outcome {
    let all = try transaction.devices(of: invitation.account)
    guard !isFull(all) else { return .tooManyDevices }
    let device = DeviceEntry(
      replica: token.replica, account: invitation.account, name: free(name, among: all),
      tokenHash: token.hash, paired: now, seen: nil, revoked: nil,
      origin: DeviceOrigin(parent: invitation.inviter, approver: approver, isRenewed: false))
    guard try transaction.addDevice(device) else { return .replicaTaken }
    try transaction.useInvitation(handle: invitation.handle, by: token.hash)
    try transaction.addEvent(
      NewEvent(
        .devicePaired, of: device.account, at: now, actor: invitation.inviter,
        subject: device.replica))
    return .paired(device, token)
  }

  /// Lets a pending device in, or sends it away. Of several decisions the first one counts:
  /// afterwards its invitation is used, or gone.
  ///
  /// - Parameters:
  ///   - token: With the pending device's secret. Nil sends it away.
  ///   - decider: The device that says so.
  static func decide(
    _ pendingDevice: PendingPairing, token: Token?, by decider: ReplicaID, at now: WallTime,
    in transaction: any StoreTransaction
  ) throws(StoreError) -> Decision {
    guard let invitation = try transaction.invitation(handle: pendingDevice.code),
      // Another code may have the handle by now.
      Secret.areEqual(invitation.secretHash, pendingDevice.secretHash),
      invitation.account == pendingDevice.account, openEnds(at: now).contains(invitation.expires),
      invitation.usedBy == nil
    else { return .nobodyWaits }
    guard let token else {
      try transaction.removeInvitation(handle: pendingDevice.code)
      try transaction.addEvent(
        NewEvent(.deviceDenied, of: pendingDevice.account, at: now, actor: decider))
      return .sentAway
    }
    let outcome = try admit(
      token, name: pendingDevice.name, by: invitation, approver: decider, at: now, in: transaction)
    switch outcome {
    case .paired(let device, let token):
      try transaction.addEvent(
        NewEvent(
          .deviceApproved, of: device.account, at: now, actor: decider, subject: device.replica))
      return .letIn(device, token)
    case .tooManyDevices: return .tooManyDevices
    default: return .replicaTaken
    }
  }

  enum Decision {
    case letIn(DeviceEntry, Token)
    case sentAway
    /// It was decided before, or the code has ended.
    case nobodyWaits
    case tooManyDevices
    /// The replica identity was given before; draw again.
    case replicaTaken
  }

  /// Gives a device of an account another name.
  ///
  /// - Returns: What it is called now; nil if the account has no such device, or it has no access
  ///   any more.
  static func rename(
    _ replica: ReplicaID, of account: AccountID, to name: String, by actor: ReplicaID,
    at now: WallTime, in transaction: any StoreTransaction
  ) throws(StoreError) -> String? {
    let all = try transaction.devices(of: account)
    guard let device = all.first(where: { $0.replica == replica }), device.revoked == nil else {
      return nil
    }
    let name = free(name, among: all.filter { $0.replica != replica })
    guard name != device.name else { return name }
    try transaction.renameDevice(replica, to: name)
    try transaction.addEvent(
      NewEvent(.deviceRenamed, of: account, at: now, actor: actor, subject: replica))
    return name
  }

  /// The device with access that has the token, or nil.
  private static func device(
    _ tokenHash: [UInt8], of account: AccountID, in transaction: any StoreTransaction
  ) throws(StoreError) -> DeviceEntry? {
    try transaction.devices(of: account).first {
      $0.revoked == nil && Secret.areEqual($0.tokenHash, tokenHash)
    }
  }

  /// The name, or that with a number: two devices of one name could not be told apart by whoever is
  /// to end the access of one.
  private static func free(_ name: String, among devices: [DeviceEntry]) -> String {
    let taken = namesTaken(devices)
    return taken.contains(name) ? Name.next(after: name, taken) : name
  }

  /// Names of devices that have access; those of others are free again.
  private static func namesTaken(_ devices: [DeviceEntry]) -> Set<String> {
    Set(devices.filter { $0.revoked == nil }.map(\.name))
  }

  /// Gives a device a second identity, for a copy of it: a device beside it in the account, with a
  /// name that tells them apart.
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
      return .denied(account)
    }
    var token = token
    if !nonce.isEmpty {
      // Tokens are stored as hashes, so none can be said again; one that follows from the request
      // can be made again.
      let secret = Token.secret(renewing: original, nonce: nonce)
      if let known = try device(Secret.hash(secret), of: account, in: transaction) {
        return .madeBefore(known, Token(replica: known.replica, secret: secret))
      }
      token = Token(replica: token.replica, secret: secret)
    }
    guard !isFull(all) else { return .tooManyDevices }
    let device = DeviceEntry(
      replica: token.replica, account: account,
      name: Name.next(after: original.name, namesTaken(all)),
      tokenHash: token.hash, paired: now, seen: nil, revoked: nil,
      origin: .renewed(from: replica))
    guard try transaction.addDevice(device) else { return .replicaTaken }
    try transaction.addEvent(
      NewEvent(
        .deviceRenewed, of: account, at: now, actor: replica, subject: device.replica))
    return .paired(device, token)
  }
}
