// SPDX-License-Identifier: Apache-2.0
// Describes which devices were admitted through which others.

import AtrestCommandLine
import AtrestDomain
import AtrestReplication
import AtrestWire

/// The account's devices, for the dialogue before a revocation.
struct DeviceFamily {
  /// Oldest first, as the server lists them.
  let devices: [Device]
  private let names: [ReplicaID: String]

  init(_ devices: [Device]) {
    self.devices = devices
    names = Dictionary(devices.map { ($0.replica, $0.name) }) { first, _ in first }
  }

  /// The active descendants that a revocation may include. This device, and devices that descend
  /// only through it, are spared.
  func companions(of device: Device) -> [Device] {
    let own = devices.first(where: \.isCurrent)?.replica
    let descendants = Lineage(devices.lazy.map { ($0.replica, $0.origin) })
      .descendants(of: device.replica, sparing: own)
    return devices.filter { $0.revoked == nil && descendants.contains($0.replica) }
  }

  /// A device's origin, such as `let in by “phone”`; nil if there is nothing to say.
  func origin(of device: Device) -> String? {
    switch device.origin {
    case .owner: nil
    case .renewed(let original):
      Language.text(
        "renewed from \(name(original))", de: "hervorgegangen aus \(name(original))")
    case .invited(let inviter, let approver?) where approver != inviter:
      Language.text(
        "let in by \(name(approver)), with a link of \(name(inviter))",
        de: "eingelassen von \(name(approver)), mit einem Link von \(name(inviter))")
    case .invited(let inviter, _):
      Language.text("let in by \(name(inviter))", de: "eingelassen von \(name(inviter))")
    }
  }

  /// The quoted name; the id if the device is not listed.
  func name(_ device: ReplicaID) -> String {
    names[device].map(\.quotedForTerminal) ?? ShortID.hex(device.rawValue)
  }

  /// A list such as “phone”, “tablet” and “laptop”. A long one is truncated.
  func names(_ devices: [ReplicaID]) -> String {
    let shown = devices.prefix(devices.count > Self.shownNames ? Self.shownNames - 1 : .max)
    let rest = devices.count - shown.count
    let parts =
      shown.map(name) + (rest > 0 ? [Language.text("\(rest) more", de: "\(rest) weitere")] : [])
    guard let last = parts.last, parts.count > 1 else { return parts.first ?? "" }
    return parts.dropLast().joined(separator: ", ") + Language.text(" and ", de: " und ") + last
  }

  private static let shownNames = 10
}
