// SPDX-License-Identifier: Apache-2.0
// Through which devices others came in, in words.

import AtrestCommandLine
import AtrestProtocol
import AtrestReplication

/// The devices of an account as a person is told of them when one is to go.
struct DeviceFamily {
  /// Oldest first, as the server lists them.
  let devices: [Device]
  private let names: [ReplicaID: String]

  init(_ devices: [Device]) {
    self.devices = devices
    names = Dictionary(devices.map { ($0.replica, $0.name) }) { first, _ in first }
  }

  /// The descendants that have access and go with a device if the server is asked to. This device
  /// is spared, with those that descend through it only.
  func companions(of device: Device) -> [Device] {
    let own = devices.first(where: \.isCurrent)?.replica
    let descendants = Lineage(devices.lazy.map { ($0.replica, $0.origin) })
      .descendants(of: device.replica, sparing: own)
    return devices.filter { $0.revoked == nil && descendants.contains($0.replica) }
  }

  /// "let in by “phone”"; nil where there is nothing to say.
  func origin(of device: Device) -> String? {
    switch device.origin {
    case .owner: nil
    case .renewed(let original): "renewed from \(name(original))"
    case .invited(let inviter, let approver?) where approver != inviter:
      "let in by \(name(approver)), with a link of \(name(inviter))"
    case .invited(let inviter, _): "let in by \(name(inviter))"
    }
  }

  /// In quotation marks; a device that is not listed has its id instead.
  func name(_ device: ReplicaID) -> String {
    names[device].map(\.quotedForTerminal) ?? ShortID.hex(device.rawValue)
  }

  /// “phone”, “tablet” and “laptop”. Of many the first are named.
  func names(_ devices: [ReplicaID]) -> String {
    let shown = devices.prefix(devices.count > Self.shownNames ? Self.shownNames - 1 : .max)
    let rest = devices.count - shown.count
    let parts = shown.map(name) + (rest > 0 ? ["\(rest) more"] : [])
    guard let last = parts.last, parts.count > 1 else { return parts.first ?? "" }
    return parts.dropLast().joined(separator: ", ") + " and " + last
  }

  private static let shownNames = 10
}
