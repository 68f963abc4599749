// SPDX-License-Identifier: Apache-2.0
// Revokes a device and its descendants, inside a transaction.

import AtrestDomain
import AtrestReplication
import AtrestWire

/// What a revocation did.
struct Revocation: Sendable {
  let answer: DevicesRevokeResponse
  /// The devices that others may still believe to have access: those that it ended, and those that
  /// a request before it ended whose answer was lost, and that nobody told of.
  let ended: [ReplicaID]

  /// How long ago such a request can have been, in milliseconds: no call lasts as long, and no
  /// daemon trusts what it read before.
  static let repeatedWithin: Int64 = 600_000
}

extension Batch {
  /// Revokes a device: ends its access, voids its codes, and adds an event. On request, does the
  /// same for its descendants that have access.
  ///
  /// Descendants are searched in the transaction and among the account's own devices. So a device
  /// that joined in the same commit is included, and a corrupt row cannot reach into another
  /// account. O(devices of the account).
  ///
  /// - Parameters:
  ///   - account: The device's account.
  ///   - actor: The device that asks. It is exempt as a descendant. Nil: the server's operator.
  /// - Returns: The affected devices in the order of `devices.list(of:)`. Nil if the account has no
  ///   such device.
  func revoke(
    _ request: DevicesRevokeRequest, of account: AccountID, by actor: ReplicaID?, at now: WallTime
  ) throws(StoreError) -> Revocation? {
    let device = request.replica
    let all = try transaction.devices.list(of: account)
    guard all.contains(where: { $0.replica == device }) else { return nil }
    let lineage = Lineage(all.lazy.map { ($0.replica, $0.origin) })
    let descendants = lineage.descendants(of: device)
    let reached = lineage.descendants(of: device, sparing: actor)
    var answer = DevicesRevokeResponse()
    for replica in all.filter({ $0.revoked == nil }).map(\.replica) {
      if replica == device || (request.withDescendants && reached.contains(replica)) {
        answer.revoked.append(replica)
      } else if reached.contains(replica) {
        answer.remaining.append(replica)
      } else if descendants.contains(replica) {
        answer.spared.append(replica)
      }
    }
    try revoke(answer.revoked, of: account, at: now)
    // A revoked device must leave no open invitation behind.
    try transaction.invitations.remove(of: account, madeBy: answer.revoked)
    try transaction.events.append(
      answer.revoked.map {
        NewEvent(.deviceRevoked, of: account, at: now, actor: actor, subject: $0)
      })
    let recently = now.milliseconds - Revocation.repeatedWithin
    let before = all.filter { other in
      guard let revoked = other.revoked, revoked.milliseconds > recently else { return false }
      return other.replica == device || (request.withDescendants && reached.contains(other.replica))
    }
    return Revocation(answer: answer, ended: answer.revoked + before.map(\.replica))
  }
}
