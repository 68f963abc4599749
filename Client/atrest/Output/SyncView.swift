// SPDX-License-Identifier: Apache-2.0
// How syncing and devices are shown.

import AtrestClient
import AtrestDomain
import Foundation
import SyncProtocol

/// What a sync did, for `--json`.
struct SyncRow: Encodable, Equatable {
  var sent: Int
  var received: Int
  var refused: Int
  var superseded: Int
  var conflicts: Int
  var restarted: Bool
  var renewed: Bool
  var heldDeletions: Int

  init(_ report: SyncReport) {
    sent = report.pushed
    received = report.pulled
    refused = report.refused
    superseded = report.superseded
    conflicts = report.conflicts
    restarted = report.restarted
    renewed = report.isRenewed
    heldDeletions = report.heldDeletions?.count ?? 0
  }
}

/// Words about syncing.
enum SyncWords {
  /// Of a copy that noticed.
  static let renewed =
    "This device was a copy of another one, or was put back from a backup. It is a device of its own now; `atrest devices` names it."

  /// While the server cannot be reached.
  static let away = "The server cannot be reached; trying again. What you write is kept."

  /// `12 sent, 3 received`, or nil if nothing moved.
  static func counts(_ report: SyncReport) -> String? {
    var parts: [String] = []
    if report.pushed > 0 { parts.append("\(report.pushed) sent") }
    if report.pulled > 0 { parts.append("\(report.pulled) received") }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  /// After a sync.
  static func done(_ report: SyncReport) -> String {
    var lines = [counts(report).map { "In step: \($0)." } ?? "In step. Nothing was new."]
    if report.restarted {
      lines.append(
        "The server had lost some of what it held; this device gave back what it has of that.")
    }
    if report.isRenewed { lines.append(renewed) }
    if report.conflicts > 0 {
      let count = report.conflicts == 1 ? "One change was" : "\(report.conflicts) changes were"
      lines.append("\(count) set aside; `atrest conflicts list` shows both sides.")
    }
    return lines.joined(separator: "\n")
  }

  /// Of deletions that wait for a person's word.
  static func held(_ held: HeldDeletions) -> String {
    "\(held.count) deletions would take away most of what there is (\(held.of) records), so they wait "
      + "for your word; everything else was exchanged. If you mean it: `atrest sync --allow-mass-deletion`."
  }

  /// Of writes that the server did not take.
  static func refused(_ count: Int) -> String {
    let what = count == 1 ? "one change. It is" : "\(count) changes. They are"
    return "The server did not take \(what) kept here; `atrest status` says why and what to do."
  }
}

/// A device, for `--json`.
struct DeviceRow: Encodable, Equatable {
  var id: String
  var name: String
  var paired: Date
  var seen: Date?
  var revoked: Date?
  var current: Bool

  init(_ device: Device) {
    id = ShortID.hex(device.replica.rawValue)
    name = device.name
    paired = Date(milliseconds: device.paired.milliseconds)
    seen = device.seen.map { Date(milliseconds: $0.milliseconds) }
    revoked = device.revoked.map { Date(milliseconds: $0.milliseconds) }
    current = device.isCurrent
  }
}

/// Words about devices.
enum DeviceWords {
  /// A list, oldest first.
  static func list(_ devices: [Device], ids: [String: String], _ around: Surroundings) -> Table {
    var table = Table("ID", "NAME", "PAIRED", "LAST SEEN", "")
    for device in devices {
      let row = DeviceRow(device)
      table.add(
        ids[row.id] ?? row.id, Foreign.text(row.name), around.words(row.paired),
        row.seen.map(around.words) ?? "not yet",
        row.revoked.map { "access ended \(around.words($0))" }
          ?? (row.current ? "this device" : ""))
    }
    return table
  }
}
