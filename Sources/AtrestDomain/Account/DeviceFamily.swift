// SPDX-License-Identifier: Apache-2.0
// Describes which devices were admitted through which others.

import AtrestReplication

/// The devices of an account, and how they came in: for people who decide about one of them.
public struct DeviceFamily: Sendable {
  /// Oldest first, as the server lists them, revoked ones included.
  public let devices: [Device]
  private let names: [ReplicaID: String]
  /// The newest renaming of each device.
  private let renamings: [ReplicaID: AccountEvent]

  /// - Parameters:
  ///   - devices: All devices of one account.
  ///   - events: Its newest events: they tell who renamed a device.
  public init(_ devices: [Device], events: [AccountEvent] = []) {
    self.devices = devices
    var names: [ReplicaID: String] = [:]
    for device in devices where names[device.replica] == nil {
      names[device.replica] = device.name
    }
    var renamings: [ReplicaID: AccountEvent] = [:]
    for event in events where event.kind == .deviceRenamed {
      if let newest = renamings[event.subject], newest.number > event.number { continue }
      renamings[event.subject] = event
    }
    (self.names, self.renamings) = (names, renamings)
  }

  /// The devices with access that a revocation may include. The asking device, and devices that
  /// descend only through it, are spared. O(devices).
  public func companions(of device: ReplicaID) -> [Device] {
    let own = devices.first(where: { $0.isCurrent })?.replica
    let descendants = Lineage(devices.lazy.map { ($0.replica, $0.origin) })
      .descendants(of: device, sparing: own)
    return devices.filter { $0.revoked == nil && descendants.contains($0.replica) }
  }

  /// A device's origin, such as `let in by “phone”`; nil if there is nothing to say.
  public func origin(of device: Device) -> String? {
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

  /// The last renaming of a device, such as `renamed 12 March by “tablet”`; nil if the events have
  /// none.
  ///
  /// - Parameter words: A time in words.
  public func renaming(of device: ReplicaID, _ words: (WallTime) -> String) -> String? {
    guard let event = renamings[device] else { return nil }
    let time = words(event.at)
    if event.actor == device {
      return Language.text("renamed itself \(time)", de: "hat sich umbenannt \(time)")
    }
    let actor =
      event.actor == .none
      ? Language.text("the server's owner", de: "wer den Server betreibt") : name(event.actor)
    return Language.text("renamed \(time) by \(actor)", de: "umbenannt \(time): \(actor)")
  }

  /// The quoted name; the id if the device is not listed.
  public func name(_ device: ReplicaID) -> String {
    names[device].map { $0.quotedForDisplay } ?? Hexadecimal.encoded(device.rawValue)
  }

  /// A list such as “phone”, “tablet” and “laptop”. A long one is truncated.
  public func names(_ devices: [ReplicaID]) -> String {
    let shown = devices.prefix(devices.count > Self.shownNames ? Self.shownNames - 1 : .max)
    let rest = devices.count - shown.count
    let parts =
      shown.map(name) + (rest > 0 ? [Language.text("\(rest) more", de: "\(rest) weitere")] : [])
    guard let last = parts.last, parts.count > 1 else { return parts.first ?? "" }
    return parts.dropLast().joined(separator: ", ") + Language.text(" and ", de: " und ") + last
  }

  private static let shownNames = 10
}
