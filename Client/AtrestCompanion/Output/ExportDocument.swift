// SPDX-License-Identifier: Apache-2.0
// The export document: one JSON object, written incrementally, with one line per event and record.

import AtrestClient
import AtrestCommandLine
import AtrestReplication
import AtrestWire
import Foundation

/// Writes everything that the server has of an account. Constant memory.
final class ExportDocument {
  /// The lists of the document, in order.
  private enum Section: String {
    case events
    case records
  }

  private let file: ExportFile
  private let own: ReplicaID
  private let words: RecordWords
  private var devices: DeviceNames
  private var section: Section?
  private var isFirst = true
  /// The counts written so far.
  private(set) var row: AccountExportRow

  /// The document's format identifier. Version 1: see docs/use/commands.md.
  static let format = "atrest-account"
  static let version = 1

  /// - Parameters:
  ///   - name: The file's name for people.
  ///   - own: This device.
  init(
    _ file: ExportFile, name: String, own: ReplicaID, now: WallTime, _ words: RecordWords
  ) throws {
    self.file = file
    self.words = words
    self.own = own
    devices = DeviceNames(own: own, names: [:])
    row = AccountExportRow(file: name, records: 0, events: 0, devices: 0)
    try file.write(
      "{\n\"format\":\"\(Self.format)\",\n\"version\":\(Self.version),\n\"exported\":\(JSON.line(now))"
    )
  }

  /// Writes a part. Parts must come in the library's reading order.
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
      for record in records {
        try add(JSON.line(ExportedRecord(record, devices, words)), to: .records)
      }
      row.records += records.count
    }
  }

  /// Closes the document and makes the file durable.
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

  /// Closes the current list and opens all up to this one.
  private func enter(_ section: Section) throws {
    guard self.section != section else { return }
    if self.section == nil, section == .records { try enter(.events) }
    if self.section != nil { try file.write("\n]") }
    try file.write(",\n\"\(section.rawValue)\":[")
    self.section = section
    isFirst = true
  }
}
