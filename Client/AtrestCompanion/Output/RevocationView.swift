// SPDX-License-Identifier: Apache-2.0
// Output of a revocation: the question about descendants, and the result.

import AtrestCommandLine
import AtrestDomain
import AtrestReplication
import AtrestWire
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

/// Texts about a revocation.
struct RevocationWords {
  let device: Device
  let family: DeviceFamily
  /// What people type, before the names of commands.
  let program: String

  private var name: String { device.name.quotedForTerminal }

  /// The descendants that the question is about.
  func companions(_ companions: [Device], _ context: CommandContext) -> String {
    let ids = ShortID.shortened(family.devices.map { ShortID.hex($0.replica.rawValue) })
    let list = DeviceWords.list(companions, ids: ids, family, context).text(.plain)
    return "Through \(name) \(companions.count == 1 ? "this one" : "these") came in:\n\n\(list)\n"
  }

  /// The question about descendants. The device itself is revoked even on a no.
  func question(_ count: Int) -> String {
    "End \(count == 1 ? "its" : "their") access, too?"
  }

  /// The result: which devices were revoked and which were not.
  ///
  /// - Parameter isForAll: Whether descendants were to be revoked too.
  func done(_ ended: Revocation, isForAll: Bool) -> String {
    let others = ended.revoked.filter { $0 != device.replica }
    var lines = [
      others.isEmpty
        ? "\(name) can no longer sync. What it wrote stays in the account."
        : "\(name) can no longer sync, nor can \(family.names(others)). What they wrote stays in the account."
    ]
    if !ended.remaining.isEmpty {
      let (has, their) = ended.remaining.count == 1 ? ("has", "its") : ("have", "their")
      lines.append(
        "\(family.names(ended.remaining)) came in through it and still \(has) access. "
          + "`\(program) devices revoke \(ShortID.hex(device.replica.rawValue)) --with-descendants` ends \(their) access, too."
      )
    }
    guard isForAll else { return lines.joined(separator: "\n") }
    if !ended.spared.isEmpty {
      let own = family.devices.first(where: \.isCurrent)?.replica
      let others = ended.spared.filter { $0 != own }
      let also =
        others.isEmpty
        ? ""
        : ", as \(others.count == 1 ? "does" : "do") \(family.names(others)), which came in through this one"
      lines.append("This device came in through it, too, and keeps its access\(also).")
    }
    if ended.revoked.isEmpty, device.revoked == nil {
      lines.append(
        "The server is of an older version and does not know who came in through it. `\(program) devices` shows who has access."
      )
    }
    return lines.joined(separator: "\n")
  }
}
