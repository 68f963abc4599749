// SPDX-License-Identifier: Apache-2.0
// The rules of pairing, inside a transaction.

import AtrestDomain
import AtrestReplication
import AtrestWire

/// A device that has access, with what its call is answered.
struct PairedDevice: Sendable {
  let device: DeviceEntry
  let token: Token
  let accountName: String
}

/// The rules of pairing. Draws no random numbers and reads no clock.
enum Pairing {
  /// Maximum number of open codes per account.
  static let openInvitations = 16
  /// Maximum number of devices per account that have access, and of devices in one list.
  static let devices = 1000

  /// Whether the account has reached the maximum number of devices.
  private static func isFull(_ all: [DeviceEntry]) -> Bool {
    all.count { $0.revoked == nil } >= devices
  }

  /// The devices to list, in their original order: all that have access, and the most recently
  /// revoked ones.
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
    /// Another invitation has this handle; draw again.
    case handleTaken
  }

  /// Stores an invitation.
  ///
  /// - Parameters:
  ///   - inviter: The device that asks. Nil: the server's operator.
  ///   - needsApproval: Whether a device must approve the one that uses the code.
  static func invite(
    _ code: PairingCode, to account: AccountID, by inviter: ReplicaID? = nil,
    needsApproval: Bool = false, at now: WallTime, in transaction: any StoreTransaction
  ) throws(StoreError) -> InviteOutcome {
    try transaction.invitations.remove(of: account, expiringOutside: openEnds(at: now))
    guard try transaction.invitations.openCount(of: account) < openInvitations else {
      return .tooMany
    }
    let isMade = try transaction.invitations.add(
      InvitationEntry(
        handle: code.handle, secretHash: code.secretHash, account: account,
        expires: expiry(from: now), triesLeft: PairingCode.tries, inviter: inviter,
        needsApproval: needsApproval))
    guard isMade else { return .handleTaken }
    try transaction.events.append([
      NewEvent(
        .codeMade, of: account, at: now, actor: inviter, detail: needsApproval ? 1 : 0)
    ])
    return .made
  }

  /// The expiry of a code created at `now`.
  static func expiry(from now: WallTime) -> WallTime {
    now.advanced(by: PairingCode.lifeMilliseconds)
  }

  /// The expiry times of currently valid codes. A code that expires later than a code created now
  /// was created while the clock was ahead. It would stay valid for that long and would block new
  /// codes. A tolerance keeps small clock steps from expiring valid codes.
  static func openEnds(at now: WallTime) -> ClosedRange<WallTime> {
    now.advanced(by: 1)...expiry(from: now.advanced(by: ClockMonitor.tolerance))
  }

  enum Outcome {
    case paired(PairedDevice)
    /// The same request already created this device.
    case madeBefore(PairedDevice)
    /// The code is right, and a device of the account must approve. `isNew` is true if no device
    /// waited with this code before.
    case awaitsApproval(InvitationEntry, isNew: Bool)
    /// The code is right and requires approval, but the request has no nonce. Without a nonce there
    /// are no digits to tell this device from another one. The code stays usable.
    case hasNoDigits
    /// The code is wrong, used, expired, bound to another device, or was tried too often. Contains
    /// the account of the code's handle, if there is one.
    case denied(AccountID?)
    /// The code is wrong, and that was the last try: from now on there is no such code.
    case voided(AccountID)
    case tooManyDevices
    /// The replica identity is taken; draw again.
    case replicaTaken
    /// Too many codes were wrong lately. This one was not looked at.
    case tooManyTries

    /// Whether it counts as a wrong attempt.
    var isWrong: Bool {
      switch self {
      case .denied, .voided: true
      case .paired, .madeBefore, .awaitsApproval, .hasNoDigits, .tooManyDevices, .replicaTaken,
        .tooManyTries:
        false
      }
    }
  }

  /// Tries a code. The right code is used up, or bound to the device until it is approved. A wrong
  /// one costs the invitation a try.
  ///
  /// - Parameters:
  ///   - token: Drawn for the device. With a nonce, only its identity is used.
  ///   - handle: Drawn for a device that has to wait. One that waits already keeps its own.
  static func pair(
    _ code: PairingCode, _ request: PairRequest, token: Token, handle: UInt64, at now: WallTime,
    in transaction: any StoreTransaction
  ) throws(StoreError) -> Outcome {
    let nonce = request.nonce
    guard let invitation = try transaction.invitations.find(code.handle),
      openEnds(at: now).contains(invitation.expires), invitation.triesLeft > 0
    else { return .denied(nil) }
    let isRight = Secret.areEqual(invitation.secretHash, code.secretHash)
    let secret = nonce.isEmpty ? token.secret : Token.secret(pairing: code, nonce: nonce)
    if let usedBy = invitation.usedBy {
      // The code is used, so further guesses gain nothing and cost no tries.
      guard isRight, !nonce.isEmpty,
        let known = try deviceAdmitted(usedBy, secret, of: invitation.account, in: transaction)
      else { return .denied(invitation.account) }
      return .madeBefore(known)
    }
    guard isRight else {
      guard invitation.triesLeft > 1 else {
        try transaction.invitations.remove(code.handle)
        return .voided(invitation.account)
      }
      try transaction.invitations.setTriesLeft(invitation.triesLeft - 1, of: code.handle)
      return .denied(invitation.account)
    }
    guard !invitation.needsApproval else {
      guard !nonce.isEmpty else { return .hasNoDigits }
      let device = PendingDeviceEntry(
        handle: handle, name: request.deviceName, digits: request.digits,
        tokenHash: Secret.hash(secret), since: now)
      return try bind(invitation, to: device, in: transaction)
    }
    let admission = try admit(
      token.replica, tokenHash: Secret.hash(secret), name: request.deviceName, by: invitation,
      at: now, in: transaction)
    switch admission {
    case .made(let device): return .paired(try paired(device, secret, in: transaction))
    case .tooManyDevices: return .tooManyDevices
    case .replicaTaken: return .replicaTaken
    }
  }

  /// Binds a code to the first device that showed it. A device that calls again keeps its name and
  /// its handle.
  private static func bind(
    _ invitation: InvitationEntry, to device: PendingDeviceEntry,
    in transaction: any StoreTransaction
  ) throws(StoreError) -> Outcome {
    if let known = invitation.pending {
      guard Secret.areEqual(known.tokenHash, device.tokenHash) else {
        return .denied(invitation.account)
      }
      return .awaitsApproval(invitation, isNew: false)
    }
    try transaction.invitations.setPending(device, of: invitation.handle)
    return .awaitsApproval(invitation, isNew: true)
  }

  enum Admission {
    case made(DeviceEntry)
    case tooManyDevices
    /// The replica identity is taken; draw again.
    case replicaTaken
  }

  /// Creates the device for an invitation and uses the invitation up.
  ///
  /// - Parameter approver: The device that approved it. Nil: no approval was needed.
  static func admit(
    _ replica: ReplicaID, tokenHash: [UInt8], name: String, by invitation: InvitationEntry,
    approver: ReplicaID? = nil, at now: WallTime, in transaction: any StoreTransaction
  ) throws(StoreError) -> Admission {
    let all = try transaction.devices.list(of: invitation.account)
    guard !isFull(all) else { return .tooManyDevices }
    let device = DeviceEntry(
      replica: replica, account: invitation.account, name: free(name, among: all),
      tokenHash: tokenHash, paired: now, seen: nil, revoked: nil,
      origin: DeviceOrigin(parent: invitation.inviter, approver: approver, isRenewed: false))
    guard try transaction.devices.add(device) else { return .replicaTaken }
    try transaction.invitations.markUsed(invitation.handle, by: tokenHash)
    try transaction.events.append([
      NewEvent(
        .devicePaired, of: device.account, at: now, actor: invitation.inviter,
        subject: device.replica)
    ])
    return .made(device)
  }

  /// Renames a device of the account.
  ///
  /// - Returns: The new name, possibly with a number. Nil if the account has no such device or the
  ///   device was revoked.
  static func rename(
    _ replica: ReplicaID, of account: AccountID, to name: String, by actor: ReplicaID,
    at now: WallTime, in transaction: any StoreTransaction
  ) throws(StoreError) -> String? {
    let all = try transaction.devices.list(of: account)
    guard let device = all.first(where: { $0.replica == replica }), device.revoked == nil else {
      return nil
    }
    let name = free(name, among: all.filter { $0.replica != replica })
    guard name != device.name else { return name }
    try transaction.devices.rename(device.address, to: name)
    try transaction.events.append([
      NewEvent(.deviceRenamed, of: account, at: now, actor: actor, subject: replica)
    ])
    return name
  }

  /// The device that a code admitted, if it has this secret and access.
  ///
  /// - Parameter usedBy: See `InvitationEntry.usedBy`.
  static func deviceAdmitted(
    _ usedBy: [UInt8], _ secret: [UInt8], of account: AccountID,
    in transaction: any StoreTransaction
  ) throws(StoreError) -> PairedDevice? {
    guard Secret.areEqual(usedBy, Secret.hash(secret)),
      let known = try device(usedBy, of: account, in: transaction)
    else { return nil }
    return try paired(known, secret, in: transaction)
  }

  /// A device with what its call is answered.
  private static func paired(
    _ device: DeviceEntry, _ secret: [UInt8], in transaction: any StoreTransaction
  ) throws(StoreError) -> PairedDevice {
    // Memory may not have the account, where daemons share a store.
    let account = try transaction.accounts.find(device.account)
    return PairedDevice(
      device: device, token: Token(replica: device.replica, secret: secret),
      accountName: account?.name ?? "")
  }

  /// The device that has this token and access, or nil.
  private static func device(
    _ tokenHash: [UInt8], of account: AccountID, in transaction: any StoreTransaction
  ) throws(StoreError) -> DeviceEntry? {
    try transaction.devices.list(of: account).first {
      $0.revoked == nil && Secret.areEqual($0.tokenHash, tokenHash)
    }
  }

  /// The name, with a number if it is taken. Devices with equal names could not be told apart when
  /// one is to be revoked.
  private static func free(_ name: String, among devices: [DeviceEntry]) -> String {
    let taken = namesTaken(devices)
    return taken.contains(name) ? Name.next(after: name, taken) : name
  }

  /// The names of devices that have access. Revoked devices free their names.
  private static func namesTaken(_ devices: [DeviceEntry]) -> Set<String> {
    Set(devices.filter { $0.revoked == nil }.map(\.name))
  }

  /// Issues an additional identity to a device that is a copy: a second device in the account with
  /// its own name.
  ///
  /// - Parameters:
  ///   - nonce: Makes the request idempotent. Empty: none.
  ///   - token: Drawn for the device. With a nonce, only its identity is used.
  /// - Returns: `denied` if the device has no access.
  static func renew(
    _ replica: ReplicaID, of account: AccountID, nonce: [UInt8], token: Token, at now: WallTime,
    in transaction: any StoreTransaction
  ) throws(StoreError) -> Outcome {
    let all = try transaction.devices.list(of: account)
    guard let original = all.first(where: { $0.replica == replica }), original.revoked == nil else {
      return .denied(account)
    }
    var token = token
    if !nonce.isEmpty {
      // Tokens are stored as hashes and cannot be returned again. A token derived from the request
      // can be computed again.
      let secret = Token.secret(renewing: original, nonce: nonce)
      if let known = try device(Secret.hash(secret), of: account, in: transaction) {
        return .madeBefore(try paired(known, secret, in: transaction))
      }
      token = Token(replica: token.replica, secret: secret)
    }
    guard !isFull(all) else { return .tooManyDevices }
    let device = DeviceEntry(
      replica: token.replica, account: account,
      name: Name.next(after: original.name, namesTaken(all)),
      tokenHash: token.hash, paired: now, seen: nil, revoked: nil,
      origin: .renewed(from: replica))
    guard try transaction.devices.add(device) else { return .replicaTaken }
    try transaction.events.append([
      NewEvent(
        .deviceRenewed, of: account, at: now, actor: replica, subject: device.replica)
    ])
    return .paired(try paired(device, token.secret, in: transaction))
  }
}
