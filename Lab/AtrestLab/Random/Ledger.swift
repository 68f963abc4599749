// SPDX-License-Identifier: Apache-2.0
// An independent model of writes and knowledge to check the replicas against. It uses no stamps.

import AtrestClient
import AtrestReplication

/// Records every write of every device, and what the device knew at that time. Independent of the
/// merge: it uses only what a device shows before and after an edit, and that a sync exchanges
/// everything.
struct Ledger {
  /// A field of a record.
  struct Slot: Hashable {
    let key: RecordKey
    let field: FieldNumber
  }

  /// A write of one field by one action on one device.
  struct Write {
    /// The writing device, and copies made of it while the write waited, because they send it too.
    var devices: Set<String>
    let value: HeldValue
    /// The earlier writes of the field that the device knew.
    let knew: Set<Int>
    /// Whether the write may be missing. Either it vanished before any other device or the server
    /// received it, or the server had it and was restored to an earlier time. In the second case
    /// devices offer it as a record they have rather than as a write. If it then meets a write that
    /// it did not know, one of the two is superseded without a journal entry.
    var isExcused = false
  }

  private typealias Knowledge = [Slot: Set<Int>]

  /// The writes per field, in order.
  private var writes: [Slot: [Write]] = [:]
  private var known: [String: Knowledge] = [:]
  private var server: Knowledge = [:]
  /// The unsent writes per device: its own, and those of the device it was copied from.
  private var waiting: [String: Knowledge] = [:]
  private var backups: [String: (known: Knowledge, waiting: Knowledge)] = [:]
  private var serverBackup: Knowledge = [:]

  /// Records an edit's writes: the changed fields, and `deleted`, which every action writes.
  mutating func note(_ device: String, from before: Holding, to after: Holding) {
    for (key, item) in after.items where before.items[key] != item {
      let old = before.items[key]
      for (field, value) in item.values {
        guard old?.values[field] != value || field == Register.deletedField else { continue }
        let slot = Slot(key: key, field: field)
        let number = writes[slot]?.count ?? 0
        let knew = known[device]?[slot] ?? []
        writes[slot, default: []].append(Write(devices: [device], value: value, knew: knew))
        known[device, default: [:]][slot, default: []].insert(number)
        waiting[device, default: [:]][slot, default: []].insert(number)
      }
    }
  }

  /// Records a complete sync.
  mutating func sync(_ device: String) {
    server.merge(known[device] ?? [:]) { $0.union($1) }
    known[device] = server
    waiting[device] = nil
  }

  mutating func copy(from: String, to: String) {
    known[to] = known[from]
    waiting[to] = waiting[from]
    for (slot, numbers) in waiting[from] ?? [:] {
      for number in numbers { writes[slot]?[number].devices.insert(to) }
    }
  }

  mutating func backUpServer() { serverBackup = server }

  /// Restores the server's backup.
  mutating func putBackServer() {
    for (slot, numbers) in server {
      for number in numbers.subtracting(serverBackup[slot] ?? []) {
        writes[slot]?[number].isExcused = true
      }
    }
    server = serverBackup
  }

  mutating func backUp(_ device: String) {
    backups[device] = (known[device] ?? [:], waiting[device] ?? [:])
  }

  /// Restores a device's backup. Writes that only the device knew are lost, as expected.
  mutating func putBack(_ device: String) {
    let before = known[device] ?? [:]
    known[device] = backups[device]?.known
    waiting[device] = backups[device]?.waiting
    for (slot, numbers) in before {
      var kept = server[slot] ?? []
      for other in Array(known.values) + backups.values.map(\.known) {
        kept.formUnion(other[slot] ?? [])
      }
      for number in numbers.subtracting(kept) { writes[slot]?[number].isExcused = true }
    }
  }

  /// Whether a value is the last write's, or one's after which all others are excused.
  private func hasLastWord(_ value: HeldValue?, _ writes: [Write]) -> Bool {
    for write in writes.reversed() {
      if write.value == value { return true }
      guard write.isExcused else { return false }
    }
    return true
  }

  private func isWriter(_ write: Write, _ entry: JournalEntry, _ writers: Writers) -> Bool {
    write.devices.contains { writers.isPossible($0, entry.conflict.lost.stamp.replica) }
  }

  /// The errors of the replicas after all have synced twice; empty if there are none.
  ///
  /// - Parameters:
  ///   - holding: Any replica's contents; whether they are identical is checked elsewhere.
  ///   - isOrdered: Whether every clock was always right, so that the last write must win.
  func problems(
    _ holding: Holding, writers: Writers, name: (RecordKey) -> String, isOrdered: Bool
  ) -> [String] {
    var problems: [String] = []
    var journal: [Slot: [(lost: HeldValue, entry: JournalEntry)]] = [:]
    for entry in holding.journal {
      for lost in entry.losses {
        let value = HeldValue(lost, of: entry.conflict.key.kind)
        journal[Slot(key: entry.conflict.key, field: lost.field), default: []]
          .append((value, entry))
      }
    }
    for (slot, writes) in writes {
      let shown = holding.items[slot.key]?.values[slot.field]
      // Pruned as intended: some time after a deletion the server drops the record's contents.
      if shown == nil, holding.items[slot.key]?.isDeleted == true { continue }
      let entries = journal[slot] ?? []
      let place = "“\(name(slot.key))” (field \(slot.field))"
      let superseded = writes.reduce(into: Set<Int>()) { $0.formUnion($1.knew) }
      func isKept(_ number: Int) -> Bool {
        let write = writes[number]
        return write.value == shown || superseded.contains(number)
          || entries.contains {
            $0.lost == write.value && isWriter(write, $0.entry, writers)
          }
      }
      for (number, write) in writes.enumerated() where !write.isExcused && !isKept(number) {
        // Two devices may have written the same value. Then there is nothing to choose, and one
        // write stands for both.
        let twin = writes.indices.contains { other in
          other != number && writes[other].value == write.value
            && !writes[other].knew.contains(number) && !write.knew.contains(other) && isKept(other)
        }
        let metPruned = writes.indices.contains { other in
          writes[other].isExcused && !writes[other].knew.contains(number)
            && !write.knew.contains(other)
        }
        if !twin, !metPruned {
          problems.append(
            "a write of \(write.devices.sorted().joined(separator: " or ")) to \(place) is neither visible, nor superseded by one that "
              + "knew it, nor in the journal")
        }
      }
      for (lost, entry) in entries {
        let isReal = writes.contains { $0.value == lost && isWriter($0, entry, writers) }
        if !isReal { problems.append("the journal holds a write to \(place) that nobody made") }
      }
      if isOrdered, !hasLastWord(shown, writes) {
        problems.append("the last write to \(place) did not win")
      }
    }
    for (key, item) in holding.items {
      for field in item.values.keys where writes[Slot(key: key, field: field)] == nil {
        problems.append("“\(name(key))” has a field \(field) that nobody wrote")
      }
    }
    return problems.sorted()
  }
}
