// SPDX-License-Identifier: Apache-2.0
// What some replicas hold together.

import AtrestProtocol
import AtrestReplication

/// Registers that are visible, journalled, or pruned.
struct Holdings {
  private(set) var visible: Set<Oracle.Held> = []
  /// What stands in a deleted record: nobody sees it, and the record's end takes it along.
  private(set) var hidden: Set<Oracle.Held> = []
  /// Losing writes; those of field 1 stand for whole actions.
  private(set) var journal: Set<Oracle.Held> = []
  /// The stamps up to which records were pruned.
  private(set) var floors: [RecordKey: Stamp] = [:]

  /// Adds a record, or a journal entry.
  ///
  /// - Parameter family: The device that holds it, or is a copy of it; nil: the server. Two devices
  ///   that are not paired may give one stamp.
  mutating func add(_ record: Record, heldBy family: Int? = nil) {
    if record.key.kind == .conflict, let entry = try? Conflict(record) {
      journal.insert(Oracle.Held(key: entry.key, register: entry.lost))
    }
    if let floor = record[Register.pruneFloorField] {
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

  /// Adds what others hold.
  mutating func add(_ other: Holdings) {
    visible.formUnion(other.visible)
    hidden.formUnion(other.hidden)
    journal.formUnion(other.journal)
    floors.merge(other.floors) { max($0, $1) }
  }

  mutating func addJournal(_ entries: Set<Oracle.Held>) { journal.formUnion(entries) }
}
