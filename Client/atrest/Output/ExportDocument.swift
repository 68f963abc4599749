// SPDX-License-Identifier: Apache-2.0
// The document that an export is: one JSON object, written part by part, a line for each event and
// each record.

import AtrestClient
import AtrestProtocol
import AtrestReplication
import Foundation

/// Everything that a server holds of an account. Keeps no part of it in memory.
final class ExportDocument {
  /// The lists that come one after the other.
  private enum Section: String {
    case events
    case records
  }

  private let file: ExportFile
  private let own: ReplicaID
  private var devices: DeviceNames
  private var section: Section?
  private var isFirst = true
  /// What was written so far.
  private(set) var row: AccountExportRow

  /// What the document says it is. Version 1: see docs/commands.md.
  static let format = "atrest-account"
  static let version = 1

  /// - Parameters:
  ///   - name: What people call the file.
  ///   - own: This device.
  init(_ file: ExportFile, name: String, own: ReplicaID, now: Date) throws {
    self.file = file
    self.own = own
    devices = DeviceNames(own: own, names: [:])
    row = AccountExportRow(file: name, records: 0, events: 0, devices: 0)
    try file.write(
      "{\n\"format\":\"\(Self.format)\",\n\"version\":\(Self.version),\n\"exported\":\(JSON.line(now))"
    )
  }

  /// Writes a part. They come in the order in which the library reads them.
  func add(_ part: AccountPart) throws {
    switch part {
    case .account(let account):
      try file.write(",\n\"account\":\(JSON.line(AccountRow(account)))")
    case .devices(let list):
      devices = DeviceNames(
        own: own, names: Dictionary(list.map { ($0.replica, $0.name) }) { first, _ in first })
      row.devices = list.count
      try file.write(",\n\"devices\":\(JSON.line(list.map(DeviceRow.init)))")
    case .events(let events):
      for event in events { try add(JSON.line(EventRow(event, devices.names)), to: .events) }
      row.events += events.count
    case .records(let records):
      for record in records { try add(JSON.line(ExportedRecord(record, devices)), to: .records) }
      row.records += records.count
    }
  }

  /// Nothing comes any more.
  func finish() throws {
    try enter(.records)
    try file.write("\n]\n}\n")
    try file.finish()
  }

  private func add(_ line: String, to section: Section) throws {
    try enter(section)
    try file.write(isFirst ? "\n\(line)" : ",\n\(line)")
    isFirst = false
  }

  /// Ends the list before, and begins those up to this one.
  private func enter(_ section: Section) throws {
    guard self.section != section else { return }
    if self.section == nil, section == .records { try enter(.events) }
    if self.section != nil { try file.write("\n]") }
    try file.write(",\n\"\(section.rawValue)\":[")
    self.section = section
    isFirst = true
  }
}
