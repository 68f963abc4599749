// SPDX-License-Identifier: Apache-2.0
// The registers that several replicas hold together.

import AtrestReplication
import AtrestWire

/// Registers that are visible, journalled, or pruned.
struct Holdings {
  private(set) var visible: Set<Oracle.Held> = []
  /// Registers in deleted records and in those that journal entries hold. Nobody sees them, and
  /// they are gone when the record or the entry is.
  private(set) var hidden: Set<Oracle.Held> = []
  /// Losing writes. Those of field 1 stand for whole actions.
  private(set) var journal: Set<Oracle.Held> = []
  /// The stamps up to which records were pruned.
  private(set) var floors: [RecordKey: Stamp] = [:]

  /// Adds a record or a journal entry.
  ///
  /// - Parameter family: The device that holds it, or the original of that device. Nil: the server.
  ///   Two unpaired devices may use the same stamp.
  mutating func add(_ record: Record, heldBy family: Int? = nil) {
    if record.key.kind == .conflict, let entry = try? Conflict(record) {
      addJournal(entry)
    }
    if let floor = record.floor {
      floors[record.key] = max(floors[record.key] ?? floor.stamp, floor.stamp)
    }
    let isHiding = record.isDeleted && record.key.kind != .conflict
    for register in record.registers {
      let held = Oracle.Held(
        key: record.key, register: register,
        family: register.stamp.replica == .none ? family : nil)
      if isHiding, register.field != Register.deletedField {
        hidden.insert(held)
      } else {
        visible.insert(held)
      }
    }
  }

  /// Adds other holdings.
  mutating func add(_ other: Holdings) {
    visible.formUnion(other.visible)
    hidden.formUnion(other.hidden)
    journal.formUnion(other.journal)
    floors.merge(other.floors) { max($0, $1) }
  }

  private mutating func addJournal(_ entry: Conflict) {
    journal.formUnion(entry.losses)
    for register in entry.record?.registers ?? [] {
      hidden.insert(Oracle.Held(key: entry.key, register: register))
    }
  }

  mutating func addJournal(_ entries: Set<Oracle.Held>) { journal.formUnion(entries) }
}

extension Conflict {
  /// The losing write, and what its action wrote.
  var losses: Set<Oracle.Held> {
    Set(([lost] + values).map { Oracle.Held(key: key, register: $0) })
  }
}
