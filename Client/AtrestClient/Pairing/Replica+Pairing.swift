// SPDX-License-Identifier: Apache-2.0
// Joins an account with a pairing link, leaves it, and invites other devices.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation

/// The account and device name after pairing.
public struct JoinedAccount: Hashable, Sendable {
  /// The account's name.
  public var account: String
  /// This device's name, which may differ from the requested one.
  public var deviceName: String
}

/// A pairing link for another device.
public struct DeviceInvitation: Hashable, Sendable {
  /// The link. Works once. Secret until used.
  public var link: PairingLink
  /// When it expires, by the server's clock.
  public var expires: WallTime
  /// Whether a device that uses it waits for approval by a device of the account.
  public var needsApproval: Bool
  /// The same for a browser; nil if none could use it there.
  public var webLink: String?
}

extension Replica {
  /// Joins the account that issued the link. Earlier writes are kept and pushed by the next sync.
  ///
  /// The request's nonce is durable before it is sent. If the answer is lost or the program ends,
  /// using the same link here again yields the same device.
  /// - Parameters:
  ///   - name: The device's name, 1 to 64 bytes.
  ///   - waiting: Called once if another device has to approve this one first, with six digits to
  ///     show. The approving device shows the same digits. The call then waits for the decision, at
  ///     most until the link expires.
  /// - Throws: `SyncError`; `.notPermitted` if the link is wrong, used or expired; `.notLetIn` if
  ///   the device was rejected while waiting.
  @discardableResult
  public func pair(
    _ link: PairingLink, name: String,
    waiting: @escaping @Sendable (_ digits: String) -> Void = { _ in }
  ) async throws(SyncError) -> JoinedAccount {
    let client = try client(of: link.server.text, token: nil)
    return try await pair(link, name: name, through: Joining(transport: client), waiting: waiting)
  }

  /// Pairs through the caller's own transport.
  @discardableResult
  package func pair(
    _ link: PairingLink, name: String, through joining: Joining,
    waiting: @escaping @Sendable (_ digits: String) -> Void = { _ in }
  ) async throws(SyncError) -> JoinedAccount {
    let name = try Replica.checked(name: name)
    // Checks that the replica is unpaired before the code is consumed, and again when the answer is
    // stored.
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

  /// Removes the pairing. Records and waiting writes stay; pairing again, with this account or
  /// another one, offers all of them there.
  ///
  /// - Throws: `ReplicaError`.
  public func unpair() throws(ReplicaError) {
    try write { $0.work.unpair() }
  }

  /// This device's token; nil while the replica is not paired.
  package func token() throws(ReplicaError) -> String? { try read { $0.state.token } }

  /// Creates a pairing link for another device. It works once, until the returned time.
  ///
  /// - Parameter withoutApproval: Whether a device with the link joins at once. Otherwise it waits
  ///   until a device of the account admits it; see `receive(_:decide:missed:)` and
  ///   `decide(_:allow:)`.
  /// - Throws: `SyncError`.
  public func invite(
    withoutApproval: Bool = false
  ) async throws(SyncError) -> DeviceInvitation {
    let (server, answer) = try await withServer { _, server, transport throws(SyncError) in
      (server, try await transport.invite(InviteRequest(withoutApproval: withoutApproval)))
    }
    do {
      let link = try PairingLink(server: ServerAddress(parsing: server), code: answer.code)
      return DeviceInvitation(
        link: link, expires: answer.expires, needsApproval: answer.needsApproval,
        webLink: answer.servesApp ? link.webText : nil)
    } catch {
      throw .badAnswer("the pairing code is malformed")
    }
  }

  /// Watches an invitation of this device until a device was admitted or rejected, or the
  /// invitation expired. Polls once a second and retries lost connections.
  ///
  /// - Parameters:
  ///   - decide: Whether to admit a pending device; nil leaves it undecided and returns.
  ///   - missed: Called if the pending device had gone when the decision arrived. It may come
  ///     again.
  /// - Throws: `SyncError`; a transient one only if the decision itself could not be sent.
  public func receive(
    _ invitation: DeviceInvitation, decide: @escaping @Sendable (PendingDevice) async -> Bool?,
    missed: @escaping @Sendable (PendingDevice) -> Void
  ) async throws(SyncError) -> InvitationOutcome {
    let (inviter, now) = try await local { replica throws(ReplicaError) in
      try replica.read { ($0.state.replica, $0.state.serverOffset.corrected(replica.clock.now())) }
    }
    let (rest, overflow) = invitation.expires.milliseconds
      .subtractingReportingOverflow(now.milliseconds)
    // No code lives longer than ten minutes, whatever the clocks say.
    let lifetime = overflow ? 0 : min(max(rest, 0), 600_000)
    return try await withServer { _, _, transport throws(SyncError) -> InvitationOutcome in
      var approvalLoop = ApprovalLoop(transport: transport, inviter: inviter)
      approvalLoop.expires = invitation.expires
      return try await approvalLoop.run(
        for: .milliseconds(lifetime), decide: decide, missed: missed)
    }
  }

  static func checked(name: String) throws(SyncError) -> String {
    guard (1...NameLimit.bytes).contains(name.utf8.count), name.isReadableName else {
      throw .replica(
        .invalid(
          "A device's name has 1 to \(NameLimit.bytes) bytes of visible text. Choose another."))
    }
    return name
  }

  /// The nonce of the request to join with a link, durable on return. It stays the same until the
  /// request is answered or another link is used.
  private func nonce(joiningWith link: String) throws(ReplicaError) -> [UInt8] {
    try write { try $0.work.nonce(joiningWith: link) }
  }

  /// Takes the identity that pairing gave and restamps all waiting writes with it.
  package func adopt(
    _ pairing: PairResponse, server: String
  ) throws(ReplicaError) {
    try write { try $0.work.adopt(pairing, server: server) }
  }
}
