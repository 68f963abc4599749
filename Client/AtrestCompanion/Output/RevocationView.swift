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
    return Language.text(
      "Through \(name) \(companions.count == 1 ? "this one" : "these") came in:",
      de: "Durch \(name) \(companions.count == 1 ? "kam dieses" : "kamen diese") dazu:")
      + "\n\n\(list)\n"
  }

  /// The question about descendants. The device itself is revoked even on a no.
  func question(_ count: Int) -> String {
    Language.text(
      "End \(count == 1 ? "its" : "their") access, too?",
      de: "Auch \(count == 1 ? "seinen" : "ihren") Zugang beenden?")
  }

  /// The result: which devices were revoked and which were not.
  ///
  /// - Parameter isForAll: Whether descendants were to be revoked too.
  func done(_ ended: Revocation, isForAll: Bool) -> String {
    let others = ended.revoked.filter { $0 != device.replica }
    var lines = [
      others.isEmpty
        ? Language.text(
          "\(name) can no longer sync. What it wrote stays in the account.",
          de: "\(name) kann nicht mehr abgleichen. Was es schrieb, bleibt im Konto.")
        : Language.text(
          "\(name) can no longer sync, nor can \(family.names(others)). What they wrote stays in the account.",
          de:
            "\(name) kann nicht mehr abgleichen, ebenso \(family.names(others)). Was sie schrieben, "
            + "bleibt im Konto.")
    ]
    if !ended.remaining.isEmpty {
      let isOne = ended.remaining.count == 1
      let names = family.names(ended.remaining)
      let command =
        "`\(program) devices revoke \(ShortID.hex(device.replica.rawValue)) --with-descendants`"
      lines.append(
        Language.text(
          "\(names) came in through it and still \(isOne ? "has" : "have") access. \(command) ends "
            + "\(isOne ? "its" : "their") access, too.",
          de:
            "\(names) \(isOne ? "kam durch es dazu und hat" : "kamen durch es dazu und haben") noch "
            + "Zugang. \(command) beendet auch \(isOne ? "seinen" : "ihren")."))
    }
    guard isForAll else { return lines.joined(separator: "\n") }
    if !ended.spared.isEmpty {
      let own = family.devices.first(where: \.isCurrent)?.replica
      let others = ended.spared.filter { $0 != own }
      let also =
        others.isEmpty
        ? ""
        : Language.text(
          ", as \(others.count == 1 ? "does" : "do") \(family.names(others)), which came in through this one",
          de: ", ebenso \(family.names(others)), durch dieses dazugekommen")
      lines.append(
        Language.text(
          "This device came in through it, too, and keeps its access\(also).",
          de: "Auch dieses Gerät kam durch es dazu, und behält seinen Zugang\(also)."))
    }
    if ended.revoked.isEmpty, device.revoked == nil {
      lines.append(
        Language.text(
          "The server is of an older version and does not know who came in through it. "
            + "`\(program) devices` shows who has access.",
          de: "Der Server ist von einer älteren Version und weiß nicht, wer durch es dazukam. "
            + "`\(program) devices` zeigt, wer Zugang hat.")
      )
    }
    return lines.joined(separator: "\n")
  }
}
