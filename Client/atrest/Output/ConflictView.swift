// SPDX-License-Identifier: Apache-2.0
// Output of conflict-journal entries: both values, their writers and times.

import AtrestClient
import AtrestCommandLine
import AtrestCompanion
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
struct ConflictRow: Encodable, Equatable {
  /// A value by its parts; all are absent if this build cannot decode it.
  struct Value: Encodable, Equatable {
    var deleted: Bool?
    var start: WallTime?
    var end: WallTime?
    var outcome: String?
    var targetMinutes: Int?
    var at: WallTime?
    var millilitres: Int?
    var text: String?

    init(_ value: FieldValue) {
      switch value {
      case .deleted(let flag): deleted = flag
      case .span(let span):
        start = span.start
        end = span.end
        outcome = span.outcome.word
      case .targetMinutes(let minutes): targetMinutes = minutes
      case .intake(let intake):
        at = intake.at
        millilitres = intake.millilitres
      case .text(let value): text = value
      case .unknown: break
      }
    }
  }

  /// One of the two writes.
  struct Side: Encodable, Equatable {
    var value: Value
    var device: String?
    var replica: String
    var written: WallTime

    init(_ register: Register, _ value: FieldValue, _ devices: DeviceNames) {
      self.value = Value(value)
      device = devices.names[register.stamp.replica]
      replica = ShortID.hex(register.stamp.replica.rawValue)
      written = register.stamp.time.wallTime
    }
  }

  var id: String
  var kind: String
  var recordId: String
  var field: String
  var kept: Side
  var setAside: Side
  var noticed: WallTime

  init(_ entry: JournalEntry, _ devices: DeviceNames) {
    let conflict = entry.conflict
    id = entry.displayID
    kind = RecordWords.name(of: conflict.key.kind)
    recordId = RecordWords.id(of: conflict.key)
    field = RecordWords.name(of: conflict.field, in: conflict.key.kind)
    kept = Side(conflict.kept, entry.kept, devices)
    setAside = Side(conflict.lost, entry.lost, devices)
    noticed = conflict.noticed
  }
}

/// Texts about conflicts.
enum ConflictWords {
  /// A write's value.
  static func value(_ value: FieldValue, _ context: CommandContext) -> String {
    switch value {
    case .deleted(true): return "deleted"
    case .deleted(false): return "not deleted"
    case .span(let span):
      let words = SessionWords.span(span, context)
      return span.outcome == .active ? "going on \(words)" : "\(words), \(span.outcome.word)"
    case .targetMinutes(let minutes): return "target \(DurationText.text(minutes: minutes))"
    case .intake(let intake): return WaterWords.intake(intake, context)
    case .text(let text): return "“\(text.escapedForTerminal)”"
    case .unknown: return "a value that this version cannot read"
    }
  }

  /// A short description that tells entries apart.
  static func summary(_ entry: JournalEntry, _ context: CommandContext) -> String {
    "\(RecordWords.noun(entry.conflict.key.kind)): \(value(entry.lost, context))"
  }

  /// A table, newest first.
  ///
  /// - Parameter records: The entries' records, deleted ones included.
  static func list(
    _ entries: [JournalEntry], ids: [String: String], _ devices: DeviceNames,
    _ context: CommandContext, records: [RecordKey: Record] = [:]
  ) -> Table {
    var table = Table("ID", "WHAT", "KEPT", "SET ASIDE", "FROM")
    for entry in entries {
      table.add(
        ids[entry.displayID] ?? entry.displayID,
        RecordWords.noun(entry.conflict.key, records[entry.conflict.key], context),
        value(entry.kept, context), value(entry.lost, context),
        devices.words(entry.conflict.lost.stamp.replica))
    }
    return table
  }

  /// All details of an entry.
  static func detail(
    _ entry: JournalEntry, id: String, _ devices: DeviceNames, _ context: CommandContext,
    record: Record? = nil
  ) -> String {
    let conflict = entry.conflict
    func side(_ register: Register, _ value: FieldValue) -> String {
      let written = register.stamp.time.wallTime
      return "\(self.value(value, context))\n"
        + "             written on \(devices.words(register.stamp.replica)), \(context.words(written))"
    }
    let noun = RecordWords.noun(conflict.key, record, context)
    return """
      \(noun.asSentence.dropLast()): changed on two devices that did not know of each other.
        record     \(RecordWords.id(of: conflict.key))
        kept       \(side(conflict.kept, entry.kept))
        set aside  \(side(conflict.lost, entry.lost))
      `atrest conflicts restore \(id)` writes the value that was set aside back.
      """
  }
}
