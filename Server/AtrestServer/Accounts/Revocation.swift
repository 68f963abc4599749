// SPDX-License-Identifier: Apache-2.0
// Ending the access of a device, and of its descendants: the rules, inside a transaction.

import AtrestProtocol
import AtrestReplication

extension Batch {
  /// Ends a device's access and its codes and writes that down, and on request the same for all of
  /// its descendants that have access.
  ///
  /// Descendants are looked for in the transaction and among the account's own devices: one that
  /// joined in the same commit goes, too, and no damaged row reaches into another account.
  /// O(devices of the account), and three statements for each access that ends.
  ///
  /// - Parameters:
  ///   - account: The device's.
  ///   - actor: The device that asks, which is spared where it descends from the other; nil: the
  ///     server's owner.
  /// - Returns: What ended and what did not, in the order of `devices(of:)`; nil if the account has
  ///   no such device.
  func revoke(
    _ request: RevokeDeviceRequest, of account: AccountID, by actor: ReplicaID?, at now: WallTime
  ) throws(StoreError) -> RevokeDeviceResponse? {
    let device = request.replica
    let all = try transaction.devices(of: account)
    guard all.contains(where: { $0.replica == device }) else { return nil }
    let lineage = Lineage(all.lazy.map { ($0.replica, $0.origin) })
    let descendants = lineage.descendants(of: device)
    let reached = lineage.descendants(of: device, sparing: actor)
    var answer = RevokeDeviceResponse()
    for replica in all.filter({ $0.revoked == nil }).map(\.replica) {
      if replica == device || (request.withDescendants && reached.contains(replica)) {
        try end(replica, of: account, by: actor, at: now)
        answer.revoked.append(replica)
      } else if reached.contains(replica) {
        answer.remaining.append(replica)
      } else if descendants.contains(replica) {
        answer.spared.append(replica)
      }
    }
    return answer
  }

  private func end(
    _ replica: ReplicaID, of account: AccountID, by actor: ReplicaID?, at now: WallTime
  ) throws(StoreError) {
    try revoke(replica, at: now)
    // Whoever sends a device away does not expect it to have left the door open.
    try transaction.removeInvitations(madeBy: replica)
    try transaction.addEvent(
      NewEvent(.deviceRevoked, of: account, at: now, actor: actor, subject: replica))
  }
}
