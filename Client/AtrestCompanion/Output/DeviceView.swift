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
    var table = Table(
      headings: Language.text(
        "ID,WAITS TO JOIN,SHOWS,SINCE,UNTIL", de: "ID,MÖCHTE DAZU,ZEIGT,SEIT,BIS"))
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
    Language.text(
      "`\(program) devices allow ID` lets one in, if your device shows the same digits; `\(program) devices deny ID` sends it away.",
      de: "`\(program) devices allow ID` lässt eines ein, wenn dein Gerät dieselben Ziffern zeigt; "
        + "`\(program) devices deny ID` weist es ab.")
  }

  /// Six digits grouped for comparison.
  static func shown(_ digits: String) -> String {
    "\(digits.prefix(3)) \(digits.dropFirst(3))"
  }

  /// Nobody is pending.
  static var nobodyWaits: String {
    Language.text("Nobody waits to join.", de: "Niemand wartet darauf, dazuzukommen.")
  }

  /// Says why a device got another name than the one that was asked for; empty if it did not.
  static func taken(_ asked: String, by name: String) -> String {
    guard name != asked else { return "" }
    let asked = asked.escapedForTerminal
    return Language.text(
      " Another device is called “\(asked)” already.",
      de: " Ein anderes Gerät heißt schon „\(asked)“.")
  }

  /// Shown after a device was admitted.
  static func letIn(_ name: String, asked: String) -> String {
    let quoted = name.quotedForTerminal
    return Language.text(
      "\(quoted) is a device of the account now.", de: "\(quoted) ist jetzt ein Gerät des Kontos.")
      + taken(asked, by: name)
  }

  /// Shown after a device was rejected.
  static func sentAway(_ name: String) -> String {
    let name = name.quotedForTerminal
    return Language.text(
      "\(name) was not let in, and its link is used up.",
      de: "\(name) wurde nicht eingelassen, und der Link ist verbraucht.")
  }

  /// Shown if the pending device is gone.
  static func gone(_ name: String) -> String {
    let name = name.quotedForTerminal
    return Language.text("\(name) is not waiting any more.", de: "\(name) wartet nicht mehr.")
  }

  /// Shown if the answer to an approval was lost and the device no longer waits.
  func unheard(_ name: String) -> String {
    let name = name.quotedForTerminal
    return Language.text(
      "The connection was lost while \(name) was being let in. `\(program) devices` shows whether it "
        + "is; if so, and it was not yours, `\(program) devices revoke` ends its access.",
      de:
        "Die Verbindung brach ab, als \(name) eingelassen wurde. `\(program) devices` zeigt, ob es "
        + "drin ist; wenn ja, und es ist nicht deins, beendet `\(program) devices revoke` seinen Zugang."
    )
  }

  /// Shown after a rename.
  static func renamed(_ name: String, asked: String) -> String {
    let new = name.escapedForTerminal
    return Language.text("It is called “\(new)” now.", de: "Es heißt jetzt „\(new)“.")
      + taken(asked, by: name)
  }

  /// A table of devices, oldest first.
  ///
  /// - Parameter family: All devices of the account, for the names of those that admitted or
  ///   renamed one.
  static func list(
    _ devices: [Device], ids: [String: String], _ family: DeviceFamily, _ context: CommandContext
  ) -> Table {
    var table = Table(
      headings: Language.text(
        "ID,NAME,PAIRED,LAST SEEN,", de: "ID,NAME,VERBUNDEN,ZULETZT GESEHEN,"))
    for device in devices {
      let row = DeviceRow(device)
      let remarks = [
        row.revoked.map {
          let ended = context.words($0)
          return Language.text("access ended \(ended)", de: "Zugang beendet \(ended)")
        },
        row.current && row.revoked == nil
          ? Language.text("this device", de: "dieses Gerät") : nil,
        family.origin(of: device), family.renaming(of: device.replica, context.words),
      ]
      table.add(
        ids[row.id] ?? row.id, row.name.escapedForTerminal, context.words(row.paired),
        row.seen.map(context.words) ?? Language.text("not yet", de: "noch nicht"),
        remarks.compactMap { $0 }.joined(separator: ", "))
    }
    return table
  }
}
