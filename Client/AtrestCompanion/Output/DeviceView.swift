// SPDX-License-Identifier: Apache-2.0
// Output of devices and pending devices.

import AtrestCommandLine
import AtrestDomain
import AtrestReplication
import AtrestWire
import Foundation

/// A device, for `--json`.
struct DeviceRow: Encodable, Equatable {
  var id: String
  var name: String
  var paired: WallTime
  var seen: WallTime?
  var revoked: WallTime?
  var current: Bool
  var inviter: String?
  var approver: String?
  var renewedFrom: String?

  init(_ device: Device) {
    id = ShortID.hex(device.replica.rawValue)
    name = device.name
    paired = device.paired
    seen = device.seen
    revoked = device.revoked
    current = device.isCurrent
    switch device.origin {
    case .owner: break
    case .invited(let inviter, let approver):
      self.inviter = ShortID.hex(inviter.rawValue)
      self.approver = approver.map { ShortID.hex($0.rawValue) }
    case .renewed(let original): renewedFrom = ShortID.hex(original.rawValue)
    }
  }
}

/// A pending device, for `--json`.
struct PendingDeviceRow: Encodable, Equatable {
  var id: String
  var name: String
  var since: WallTime
  var expires: WallTime
  var inviter: String
  var digits: String

  init(_ pendingDevice: PendingDevice) {
    id = ShortID.hex(pendingDevice.handle)
    name = pendingDevice.name
    since = pendingDevice.since
    expires = pendingDevice.expires
    inviter = ShortID.hex(pendingDevice.inviter.rawValue)
    digits = pendingDevice.digits
  }
}

/// The decision about a pending device, for `--json`.
struct DecisionRow: Encodable, Equatable {
  var id: String
  var allowed: Bool
  var name: String
}

/// Texts about devices.
struct DeviceWords {
  /// What people type, before the names of commands.
  let program: String

  /// A table of pending devices, in order of arrival.
  static func waiting(
    _ pendingDevices: [PendingDevice], ids: [String: String], _ context: CommandContext
  ) -> Table {
    var table = Table("ID", "WAITS TO JOIN", "SHOWS", "SINCE", "UNTIL")
    for pendingDevice in pendingDevices {
      let row = PendingDeviceRow(pendingDevice)
      table.add(
        ids[row.id] ?? row.id, row.name.escapedForTerminal, shown(pendingDevice.digits),
        context.words(row.since), context.words(row.expires))
    }
    return table
  }

  /// How to resolve pending devices.
  var howToDecide: String {
    "`\(program) devices allow ID` lets one in, if your device shows the same digits; `\(program) devices deny ID` sends it away."
  }

  /// Six digits grouped for comparison.
  static func shown(_ digits: String) -> String {
    "\(digits.prefix(3)) \(digits.dropFirst(3))"
  }

  /// Shown after a device was admitted.
  static func letIn(_ name: String, asked: String) -> String {
    let also =
      name == asked ? "" : " Another device is called “\(asked.escapedForTerminal)” already."
    return "\(name.quotedForTerminal) is a device of the account now.\(also)"
  }

  /// Shown after a device was rejected.
  static func sentAway(_ name: String) -> String {
    "\(name.quotedForTerminal) was not let in, and its link is used up."
  }

  /// Shown if the pending device is gone.
  static func gone(_ name: String) -> String {
    "\(name.quotedForTerminal) is not waiting any more."
  }

  /// Shown if the answer to an approval was lost and the device no longer waits.
  func unheard(_ name: String) -> String {
    "The connection was lost while \(name.quotedForTerminal) was being let in. `\(program) devices` shows whether it is; if so, and it was "
      + "not yours, `\(program) devices revoke` ends its access."
  }

  /// Shown after a rename.
  static func renamed(_ name: String, asked: String) -> String {
    let also =
      name == asked ? "" : " Another device is called “\(asked.escapedForTerminal)” already."
    return "It is called “\(name.escapedForTerminal)” now.\(also)"
  }

  /// A table of devices, oldest first.
  ///
  /// - Parameter family: All devices of the account, for the names of inviters.
  static func list(
    _ devices: [Device], ids: [String: String], _ family: DeviceFamily, _ context: CommandContext
  ) -> Table {
    var table = Table("ID", "NAME", "PAIRED", "LAST SEEN", "")
    for device in devices {
      let row = DeviceRow(device)
      let remarks = [
        row.revoked.map { "access ended \(context.words($0))" },
        row.current && row.revoked == nil ? "this device" : nil, family.origin(of: device),
      ]
      table.add(
        ids[row.id] ?? row.id, row.name.escapedForTerminal, context.words(row.paired),
        row.seen.map(context.words) ?? "not yet",
        remarks.compactMap { $0 }.joined(separator: ", "))
    }
    return table
  }
}
