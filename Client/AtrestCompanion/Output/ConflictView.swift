// SPDX-License-Identifier: Apache-2.0
// Output of conflict-journal entries: both values, their writers and times.

import AtrestClient
import AtrestCommandLine
import AtrestDomain
import AtrestReplication
import AtrestWire
import Foundation

extension JournalEntry {
  /// The entry's id for people and programs: a 16-digit hash of its long key, the same on every
  /// device.
  var displayID: String { Hexadecimal.encoded(FNV1a.hash(key.id)) }
}

/// An entry, for `--json`.
struct ConflictRow: Encodable {
  /// One of the two writes.
  struct Side: Encodable {
    var value: ValueRow
    var device: String?
    var replica: String
    var written: WallTime

    init(_ register: Register, _ kind: RecordKind, _ devices: DeviceNames, _ words: RecordWords) {
      value = words.value(of: register, in: kind) ?? .unknown
      device = devices.names[register.stamp.replica]
      replica = ShortID.hex(register.stamp.replica.rawValue)
      written = register.stamp.time.wallTime
    }
  }

  /// A field of a whole action that lost.
  struct Written: Encodable {
    var field: String
    var value: ValueRow
  }

  var id: String
  var kind: String
  var recordId: String
  var field: String
  var kept: Side
  var setAside: Side
  /// Absent unless a whole action lost.
  var wrote: [Written]?
  var noticed: WallTime

  init(_ entry: JournalEntry, _ devices: DeviceNames, _ words: RecordWords) {
    let conflict = entry.conflict
    id = entry.displayID
    kind = words.name(of: conflict.key.kind)
    recordId = words.id(of: conflict.key)
    field = words.name(of: conflict.field, in: conflict.key.kind)
    kept = Side(conflict.kept, conflict.key.kind, devices, words)
    setAside = Side(conflict.lost, conflict.key.kind, devices, words)
    if conflict.isAction {
      wrote = conflict.values.map { register in
        Written(
          field: words.name(of: register.field, in: conflict.key.kind),
          value: words.value(of: register, in: conflict.key.kind) ?? .unknown)
      }
    }
    noticed = conflict.noticed
  }
}

/// Texts about conflicts.
struct ConflictWords {
  /// What the program calls records.
  let records: RecordWords
  private let program: String
  private let context: CommandContext

  init<Program: Companion>(_ program: Program.Type, _ context: CommandContext) {
    records = program.recordWords
    self.program = program.programName
    self.context = context
  }

  /// The value of one of an entry's writes.
  func value(_ register: Register, of entry: JournalEntry) -> String {
    records.text(of: register, in: entry.conflict.key.kind, context)
  }

  /// What was set aside: all that an action wrote, if it lost whole.
  func setAside(_ entry: JournalEntry) -> String {
    let values = entry.conflict.values
    guard !values.isEmpty else { return value(entry.conflict.lost, of: entry) }
    return values.map { value($0, of: entry) }.joined(separator: ", ")
  }

  /// A short description that tells entries apart.
  func summary(_ entry: JournalEntry) -> String {
    "\(records.noun(entry.conflict.key.kind)): \(setAside(entry))"
  }

  /// A table, newest first.
  ///
  /// - Parameter found: The entries' records, deleted ones included.
  func list(
    _ entries: [JournalEntry], ids: [String: String], _ devices: DeviceNames,
    records found: [RecordKey: Record] = [:]
  ) -> Table {
    var table = Table(
      headings: Language.text("ID,WHAT,KEPT,SET ASIDE,FROM", de: "ID,WAS,BLEIBT,BEISEITE,VON"))
    for entry in entries {
      let conflict = entry.conflict
      table.add([
        ids[entry.displayID] ?? entry.displayID,
        records.noun(conflict.key, found[conflict.key], context),
        value(conflict.kept, of: entry), setAside(entry),
        devices.words(conflict.lost.stamp.replica),
      ])
    }
    return table
  }

  /// All details of an entry.
  func detail(
    _ entry: JournalEntry, id: String, _ devices: DeviceNames, record: Record? = nil
  ) -> String {
    let conflict = entry.conflict
    func side(_ value: String, _ register: Register) -> String {
      let written = context.words(register.stamp.time.wallTime)
      let device = devices.words(register.stamp.replica)
      return "\(value)\n             "
        + Language.text(
          "written on \(device), \(written)", de: "geschrieben auf \(device), \(written)")
    }
    let noun = records.noun(conflict.key, record, context).asSentence.dropLast()
    let kept = side(value(conflict.kept, of: entry), conflict.kept)
    let lost = side(setAside(entry), conflict.lost)
    return Language.text(
      """
      \(noun): changed on two devices that did not know of each other.
        record     \(records.id(of: conflict.key))
        kept       \(kept)
        set aside  \(lost)
      `\(program) conflicts restore \(id)` writes the value that was set aside back.
      """,
      de: """
        \(noun): auf zwei Geräten geändert, die nichts voneinander wussten.
          Eintrag    \(records.id(of: conflict.key))
          bleibt     \(kept)
          beiseite   \(lost)
        `\(program) conflicts restore \(id)` schreibt den beiseitegelegten Wert zurück.
        """)
  }
}
