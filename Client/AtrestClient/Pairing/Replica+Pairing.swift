// SPDX-License-Identifier: Apache-2.0
// Joining an account with a pairing link, leaving it, and inviting others.

import AtrestProtocol
import AtrestReplication
import Foundation

/// What a device has become part of.
public struct JoinedAccount: Hashable, Sendable {
  /// The account's name.
  public var account: String
  /// What this device is called, which need not be what was asked for.
  public var deviceName: String
}

/// A pairing link for another device.
public struct DeviceInvitation: Hashable, Sendable {
  /// Works once. Secret until used.
  public var link: PairingLink
  /// When it stops working, by the server's clock.
  public var expires: WallTime
  /// Whether whoever uses it waits until a device of the account lets it in.
  public var needsApproval: Bool
}

extension Replica {
  /// Joins the account that made the link. Writes made before are kept, and pushed by the next
  /// sync.
  ///
  /// The request has a name that is kept before it is sent: if the answer is lost, or the program
  /// ends, the same link gives the same device when it is used here again.
  /// - Parameters:
  ///   - name: What people call this device, 1 to 64 bytes.
  ///   - waiting: Called once if another device has to let this one in first, with six digits to
  ///     show: that device shows them, too. It then takes as long as that takes, at most the link's
  ///     time.
  /// - Throws: `SyncError`; `.notPermitted` for a link that is wrong, used or old; `.notLetIn` if
  ///   it was waiting.
  @discardableResult
  public func pair(
    _ link: PairingLink, name: String,
    waiting: @escaping @Sendable (_ digits: String) -> Void = { _ in }
  ) async throws(SyncError) -> JoinedAccount {
    try await withTransport(server: link.server.text, token: nil) { transport throws(SyncError) in
      try await pair(link, name: name, through: Joining(transport: transport), waiting: waiting)
    }
  }

  /// The same by a way of the caller's own.
  @discardableResult
  package func pair(
    _ link: PairingLink, name: String, through joining: Joining,
    waiting: @escaping @Sendable (_ digits: String) -> Void = { _ in }
  ) async throws(SyncError) -> JoinedAccount {
    let name = try Replica.checked(name: name)
    // Whether it is paired is asked before the code is used up, and again when its fruit is stored.
    let nonce = try await local { replica throws(ReplicaError) in
      try replica.nonce(joiningWith: link.text)
    }
    let request = PairRequest(code: link.code, deviceName: name, nonce: nonce)
    let answer = try await joining.join(request) { waiting(request.digits) }
    do {
      try await offload { () throws(ReplicaError) in
        try self.adopt(answer, server: link.server.text)
      }
    } catch {
      throw SyncError(storing: error)
    }
    let called = shown(answer.deviceName)
    return JoinedAccount(
      account: shown(answer.accountName), deviceName: called.isEmpty ? name : called)
  }

  /// Forgets the server. Records and waiting writes stay; pairing again, with this account or
  /// another, offers all of them there.
  public func unpair() throws(ReplicaError) {
    try write { transaction in
      transaction.state.account = nil
      transaction.state.server = nil
      transaction.state.token = nil
      transaction.state.leave()
    }
  }

  /// This device's token; nil while the replica is not paired.
  package func token() throws(ReplicaError) -> String? { try read { $0.state.token } }

  /// Makes a pairing link for another device. It works once, until the returned time.
  ///
  /// - Parameter withoutApproval: Whoever has the link joins at once. Otherwise it waits until a
  ///   device of the account lets it in; see `receive(_:decide:missed:)` and `decide(_:allow:)`.
  public func invite(
    withoutApproval: Bool = false
  ) async throws(SyncError) -> DeviceInvitation {
    let (server, answer) = try await withServer { _, server, transport throws(SyncError) in
      (server, try await transport.invite(InviteRequest(withoutApproval: withoutApproval)))
    }
    do {
      return DeviceInvitation(
        link: try PairingLink(server: ServerAddress(parsing: server), code: answer.code),
        expires: answer.expires, needsApproval: answer.needsApproval)
    } catch {
      throw .badAnswer("the pairing code is malformed")
    }
  }

  /// Stays by an invitation of this device's until somebody came with it and was let in or sent
  /// away, or its time is over. Looks each second; a lost connection is waited out.
  ///
  /// - Parameters:
  ///   - decide: Whether to let a pending device in; nil leaves it undecided and ends this.
  ///   - missed: Called if the pending device had gone when the decision came. It may come again.
  public func receive(
    _ invitation: DeviceInvitation, decide: @escaping @Sendable (PendingDevice) async -> Bool?,
    missed: @escaping @Sendable (PendingDevice) -> Void
  ) async throws(SyncError) -> InvitationOutcome {
    let (inviter, now) = try await local { replica throws(ReplicaError) in
      try replica.read { ($0.state.replica, $0.state.serverOffset.corrected(replica.clock.now())) }
    }
    let (rest, overflow) = invitation.expires.milliseconds
      .subtractingReportingOverflow(now.milliseconds)
    // No code lives longer, whatever the clocks say.
    let lifetime = overflow ? 0 : min(max(rest, 0), 600_000)
    return try await withServer { _, _, transport throws(SyncError) -> InvitationOutcome in
      var approvalLoop = ApprovalLoop(transport: transport, inviter: inviter)
      approvalLoop.expires = invitation.expires
      return try await approvalLoop.run(
        for: .milliseconds(lifetime), decide: decide, missed: missed)
    }
  }

  static func checked(name: String) throws(SyncError) -> String {
    guard (1...NameLimit.bytes).contains(name.utf8.count), shown(name) == name else {
      throw .replica(
        .invalid("A device's name has 1 to \(NameLimit.bytes) bytes of text. Choose another."))
    }
    return name
  }

  /// The name of the request to join with a link: the same until it is answered, or another link is
  /// used. It is durable.
  private func nonce(joiningWith link: String) throws(ReplicaError) -> [UInt8] {
    try write { transaction in
      try transaction.requireUnpaired()
      if let pending = transaction.state.joining, pending.link == link { return pending.nonce }
      let nonce = transaction.longNonce()
      transaction.state.joining = PendingJoin(link: link, nonce: nonce)
      return nonce
    }
  }

  /// Becomes a device of an account: takes its identity, and stamps with it everything that waits.
  package func adopt(
    _ pairing: PairResponse, server: String
  ) throws(ReplicaError) {
    try write { transaction in
      try transaction.requireUnpaired()
      let wasPairedBefore = transaction.state.replica != .none
      transaction.state.serverOffset.learn(
        pairing.serverTime, now: transaction.now)
      if wasPairedBefore {
        try transaction.restamp(as: pairing.replica)
      } else {
        try transaction.restamp(aheadOf: pairing.serverTime, as: pairing.replica)
      }
      try transaction.restartLog()
      transaction.state.leave()
      transaction.state.server = server
      transaction.state.joining = nil
      try transaction.take(pairing)
    }
  }
}
