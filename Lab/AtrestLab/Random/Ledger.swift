// SPDX-License-Identifier: Apache-2.0
// An independent account of who wrote what and who knew of it, to judge the replicas by. It knows no stamps.

import AtrestClient
import Replication

/// Remembers each write of each device, and what the device knew when it wrote. Uses nothing of how the replicas decide:
/// only what a device shows before and after an edit, and that a sync exchanges everything.
struct Ledger {
  /// One field written by one action on one device.
  struct Write: Sendable {
    let device: String
    let key: RecordKey
    let field: FieldNumber
    let value: FieldValue
  }

  private(set) var writes: [Write] = []
  /// For each write, the writes of its field that its device knew.
  private var knew: [Set<Int>] = []
  private var known: [String: Set<Int>] = [:]
  private var server: Set<Int> = []
  private var backups: [String: Set<Int>] = [:]

  /// Notes what an edit wrote: the fields that changed, and `deleted`, which every action on a record writes.
  mutating func note(_ device: String, from before: Holding, to after: Holding) {
    for (key, item) in after.items where before.items[key] != item {
      let old = before.items[key]
      for (field, value) in item.values {
        guard old?.values[field] != value || field == Register.deletedField else { continue }
        let number = writes.count
        let fellow = known[device, default: []].filter {
          writes[$0].key == key && writes[$0].field == field
        }
        writes.append(Write(device: device, key: key, field: field, value: value))
        knew.append(fellow)
        known[device, default: []].insert(number)
      }
    }
  }

  /// Notes a complete sync.
  mutating func sync(_ device: String) {
    server.formUnion(known[device, default: []])
    known[device] = server
  }

  mutating func copy(from: String, to: String) { known[to] = known[from] }
  mutating func backUp(_ device: String) { backups[device] = known[device] }
  mutating func putBack(_ device: String) { known[device] = backups[device] }

  /// What the replicas got wrong, when all have synced twice; empty if nothing.
  ///
  /// - Parameters:
  ///   - holding: What any of them holds: they must be identical, which is judged elsewhere.
  ///   - isOrdered: Whether every clock was right all the time, so that the write made last must win.
  func problems(
    _ holding: Holding, writers: [ReplicaID: String], name: (RecordKey) -> String, isOrdered: Bool
  ) -> [String] {
    var problems: [String] = []
    let superseded = knew.reduce(into: Set<Int>()) { $0.formUnion($1) }
    var journal: [RecordKey: [JournalEntry]] = [:]
    for entry in holding.journal { journal[entry.conflict.key, default: []].append(entry) }
    var last: [RecordKey: [FieldNumber: Int]] = [:]
    for (number, write) in writes.enumerated() {
      last[write.key, default: [:]][write.field] = number
      if holding.items[write.key]?.values[write.field] == write.value { continue }
      if superseded.contains(number) { continue }
      let isJournalled = (journal[write.key] ?? []).contains {
        $0.conflict.field == write.field && $0.lost == write.value
          && writers[$0.conflict.lost.stamp.replica] == write.device
      }
      if !isJournalled {
        problems.append(
          "a write of \(write.device) to “\(name(write.key))” (field \(write.field)) is neither "
            + "visible, nor superseded by one that knew it, nor in the journal")
      }
    }
    for entry in holding.journal {
      let isReal = writes.contains {
        $0.key == entry.conflict.key && $0.field == entry.conflict.field && $0.value == entry.lost
          && $0.device == writers[entry.conflict.lost.stamp.replica]
      }
      if !isReal {
        problems.append("the journal holds a write to “\(name(entry.conflict.key))” nobody made")
      }
    }
    for (key, item) in holding.items {
      for (field, value) in item.values {
        guard let number = last[key]?[field] else {
          problems.append("“\(name(key))” has a field \(field) that nobody wrote")
          continue
        }
        if isOrdered, writes[number].value != value {
          problems.append("the last write to “\(name(key))” (field \(field)) did not win")
        }
      }
    }
    return problems.sorted()
  }
}
