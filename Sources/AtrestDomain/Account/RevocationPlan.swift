// SPDX-License-Identifier: Apache-2.0
// What revoking a device takes with it, what a person is asked, and what is said afterwards: the
// same wherever a device is revoked.

import AtrestReplication

/// The revocation of one device, as a person decides about it.
///
/// A thief could let others in with the device, or have it take a new identity. These are shown
/// before anything is done, and go only if the person says so.
public struct RevocationPlan: Sendable {
  /// How a person ends what is left, where that is a command.
  public struct Commands: Sendable {
    /// Revokes the device with its companions.
    public var withCompanions: String
    /// Lists the devices.
    public var list: String

    /// Creates the commands, as a person types them.
    public init(withCompanions: String, list: String) {
      self.withCompanions = withCompanions
      self.list = list
    }
  }

  /// The device to revoke.
  public let device: Device
  /// The account's devices.
  public let family: DeviceFamily
  /// Devices with access that came in through it, and about which a person is asked.
  public let companions: [Device]

  /// - Parameter family: All devices of the account, to the caller's knowledge.
  public init(revoking device: Device, in family: DeviceFamily) {
    self.device = device
    self.family = family
    companions = family.companions(of: device.replica)
  }

  private var name: String { device.name.quotedForDisplay }

  // MARK: Before

  /// Stands above the companions.
  public var introduction: String {
    Language.text(
      "Through \(name) \(companions.count == 1 ? "this one" : "these") came in:",
      de: "Durch \(name) \(companions.count == 1 ? "kam dieses" : "kamen diese") dazu:")
  }

  /// The question about the companions. The device itself is revoked even on a no.
  public var question: String {
    Language.text(
      "End \(companions.count == 1 ? "its" : "their") access, too?",
      de: "Auch \(companions.count == 1 ? "seinen" : "ihren") Zugang beenden?")
  }

  // MARK: Afterwards

  /// What happened: which devices were revoked and which were not, a sentence or two each.
  ///
  /// - Parameters:
  ///   - ended: The server's answer.
  ///   - isForAll: Whether the companions were to be revoked, too.
  ///   - commands: Nil where the surface itself shows what is left, and ends it.
  public func outcome(
    of ended: Revocation, isForAll: Bool, commands: Commands? = nil
  ) -> [String] {
    var lines = [done(ended.revoked.filter { $0 != device.replica })]
    if !ended.remaining.isEmpty { lines.append(left(ended.remaining, commands)) }
    guard isForAll else { return lines }
    if !ended.spared.isEmpty { lines.append(spared(ended.spared)) }
    let isUnheard = ended.revoked.isEmpty && ended.spared.isEmpty
    if isUnheard, device.revoked == nil || !companions.isEmpty {
      lines.append(olderServer(commands))
    }
    return lines
  }

  private func done(_ others: [ReplicaID]) -> String {
    others.isEmpty
      ? Language.text(
        "\(name) can no longer sync. What it wrote stays in the account.",
        de: "\(name) kann nicht mehr abgleichen. Was es schrieb, bleibt im Konto.")
      : Language.text(
        "\(name) can no longer sync, nor can \(family.names(others)). What they wrote stays in the "
          + "account.",
        de:
          "\(name) kann nicht mehr abgleichen, ebenso \(family.names(others)). Was sie schrieben, "
          + "bleibt im Konto.")
  }

  private func left(_ remaining: [ReplicaID], _ commands: Commands?) -> String {
    let isOne = remaining.count == 1
    let names = family.names(remaining)
    let what = Language.text(
      "\(names) came in through it and still \(isOne ? "has" : "have") access.",
      de: "\(names) \(isOne ? "kam durch es dazu und hat" : "kamen durch es dazu und haben") noch "
        + "Zugang.")
    guard let commands else { return what }
    return what
      + Language.text(
        " `\(commands.withCompanions)` ends \(isOne ? "its" : "their") access, too.",
        de: " `\(commands.withCompanions)` beendet auch \(isOne ? "seinen" : "ihren").")
  }

  private func spared(_ spared: [ReplicaID]) -> String {
    let own = family.devices.first(where: { $0.isCurrent })?.replica
    let others = spared.filter { $0 != own }
    let also =
      others.isEmpty
      ? ""
      : Language.text(
        ", as \(others.count == 1 ? "does" : "do") \(family.names(others)), which came in through "
          + "this one",
        de: ", ebenso \(family.names(others)), durch dieses dazugekommen")
    return Language.text(
      "This device came in through it, too, and keeps its access\(also).",
      de: "Auch dieses Gerät kam durch es dazu, und behält seinen Zugang\(also).")
  }

  private func olderServer(_ commands: Commands?) -> String {
    let what = Language.text(
      "The server is of an older version and does not know who came in through it.",
      de: "Der Server ist von einer älteren Version und weiß nicht, wer durch es dazukam.")
    guard let commands else { return what }
    return what
      + Language.text(
        " `\(commands.list)` shows who has access.",
        de: " `\(commands.list)` zeigt, wer Zugang hat.")
  }
}
