// SPDX-License-Identifier: Apache-2.0
// Output of a revocation, for programs and on a terminal.

import AtrestCommandLine
import AtrestDomain
import AtrestReplication
import Foundation

/// A revoked device and its descendants, for `--json`.
struct RevocationRow: Encodable {
  private let device: DeviceRow
  private let others: Others

  private struct Others: Encodable {
    var alsoRevoked, remaining, spared: [String]
  }

  init(_ device: Device, _ ended: Revocation) {
    func ids(_ devices: [ReplicaID]) -> [String] { devices.map { ShortID.hex($0.rawValue) } }
    self.device = DeviceRow(device)
    others = Others(
      alsoRevoked: ids(ended.revoked.filter { $0 != device.replica }),
      remaining: ids(ended.remaining), spared: ids(ended.spared))
  }

  func encode(to encoder: any Encoder) throws {
    try device.encode(to: encoder)
    try others.encode(to: encoder)
  }
}

extension RevocationPlan {
  /// The companions under their introduction, as a table.
  func companionTable(_ context: CommandContext) -> String {
    let ids = ShortID.shortened(family.devices.map { ShortID.hex($0.replica.rawValue) })
    let list = DeviceWords.list(companions, ids: ids, family, context).text(.plain)
    return "\(introduction)\n\n\(list)\n"
  }
}
