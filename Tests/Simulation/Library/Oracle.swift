// SPDX-License-Identifier: Apache-2.0
// Knows every write that anybody made and what its writer saw, and so what must still be there. Does not know how merging works.

import Replication
import SyncProtocol

/// The independent judge: a graph of writes, each pointing at the one its writer saw and replaced.
struct Oracle {
  /// One register as somebody wrote it. Payload values are unique, so a value names its write; of deletions a stamp does.
  struct Write {
    var key: RecordKey
    var field: FieldNumber
    var value: [UInt8]
    /// The writes that its writer may have seen in its place.
    var parents: [Int]
    /// Of a write to field 1, which every action makes: the writes of other fields that its writer saw.
    var known: [Int] = []
    /// Whether it must still be visible, known to a visible one, or in the journal.
    var isOwed: Bool
    var device: Int
    /// As it was first given; it may be stamped again.
    var stamp: Stamp
  }

  /// A value in its place.
  struct Place: Hashable {
    var key: RecordKey
    var field: FieldNumber
    var value: [UInt8]
  }

  private struct Stamped: Hashable {
    var key: RecordKey
    var field: FieldNumber
    var stamp: Stamp
  }

  private(set) var writes: [Write] = []
  private var byPlace: [Place: [Int]] = [:]
  private var byStamp: [Stamped: Int] = [:]
  /// Records that anybody wrote, in the order of their first writes.
  private(set) var keys: [RecordKey] = []
  private var known: Set<RecordKey> = []
  private var dismissed: Set<Int> = []
  private var forgottenByServer: Set<Int> = []
  private var number: Int64 = 0

  /// A number that no other write has.
  mutating func nextNumber() -> Int64 {
    number += 1
    return number
  }

  // MARK: Noting

  /// Notes what an action makes of a record. What is not durable yet is not owed, but may turn up.
  ///
  /// - Returns: The writes, to be owed once the action is durable.
  mutating func note(_ before: Record?, _ after: Record, by device: Int) -> [Int] {
    if known.insert(after.key).inserted { keys.append(after.key) }
    var noted: [Int] = []
    for register in after.registers {
      let replaced = before?[register.field]
      guard replaced?.stamp != register.stamp || replaced?.value != register.value else { continue }
      noted.append(note(register, of: after.key, over: replaced, by: device))
    }
    if let action = noted.first(where: { writes[$0].field == Register.deletedField }) {
      writes[action].known = after.registers.filter { $0.field != Register.deletedField }
        .flatMap { parents($0, after.key) }
    }
    return noted
  }

  private mutating func note(
    _ register: Register, of key: RecordKey, over replaced: Register?, by device: Int
  ) -> Int {
    let id = writes.count
    writes.append(
      Write(
        key: key, field: register.field, value: register.value,
        parents: replaced.map { parents($0, key) } ?? [], isOwed: false, device: device,
        stamp: register.stamp))
    byPlace[Place(key: key, field: register.field, value: register.value), default: []].append(id)
    byStamp[Stamped(key: key, field: register.field, stamp: register.stamp)] = id
    return id
  }

  /// The writes that a register may come from. A deletion that was stamped again since may be any of its value.
  private func parents(_ register: Register, _ key: RecordKey) -> [Int] {
    if let id = byStamp[Stamped(key: key, field: register.field, stamp: register.stamp)],
      writes[id].value == register.value
    {
      return [id]
    }
    return byPlace[Place(key: key, field: register.field, value: register.value)] ?? []
  }

  mutating func owe(_ noted: [Int]) {
    for id in noted { writes[id].isOwed = true }
  }

  /// A person put an entry of the journal away: the write was seen, and need not be found any more.
  ///
  /// - Parameter record: The record it is about, as the person saw it.
  mutating func dismiss(_ entry: Conflict, of record: Record?) {
    let lost = entry.lost
    dismissed.formUnion(
      byPlace[Place(key: entry.key, field: entry.field, value: lost.value)] ?? [])
    if entry.field == Register.deletedField {
      // The entry stands for all that the action wrote, also where it was stamped again since.
      for register in record?.registers ?? [] where register.stamp == lost.stamp {
        let place = Place(key: entry.key, field: register.field, value: register.value)
        dismissed.formUnion(byPlace[place] ?? [])
      }
      dismissed.formUnion(
        writes.indices.filter { writes[$0].key == entry.key && writes[$0].stamp == lost.stamp })
    }
  }

  // MARK: Judging

  /// Whether anybody ever wrote this. The floor of a stripped record is its deletion.
  func isKnown(_ register: Register, _ key: RecordKey) -> Bool {
    guard register.field == Register.forgottenField else {
      return byPlace[Place(key: key, field: register.field, value: register.value)] != nil
    }
    return !deletions(of: key).isEmpty && register.value == Register.forgottenValue
  }

  private func deletions(of key: RecordKey) -> [Int] {
    byPlace[Place(key: key, field: Register.deletedField, value: Register.deletedValue)] ?? []
  }

  /// Which writes are covered by what is there: visible, journalled, or known to the writer of one that is covered.
  func covered(by holdings: Holdings) -> [Bool] {
    var covered = writes.map { write in
      let place = Place(key: write.key, field: write.field, value: write.value)
      return holdings.visible.contains(place) || holdings.isJournalled(place)
    }
    for id in dismissed { covered[id] = true }
    coverParents(&covered)
    coverForgotten(&covered, holdings)
    // Two deletions that did not know each other say the same: nothing is lost when one of them is. It cannot be told which of a
    // record's deletions a covered one is, so any will do.
    for (place, ids) in byPlace where ids.count > 1 || place.field == Register.deletedField {
      if ids.contains(where: { covered[$0] }) { for id in ids { covered[id] = true } }
    }
    coverParents(&covered)
    return covered
  }

  /// What the writer of a floor's deletion knew was taken out with its word; and so was what the writers of other deletions knew, if
  /// nobody took those back.
  private func coverForgotten(_ covered: inout [Bool], _ holdings: Holdings) {
    for (key, stamp) in holdings.floors {
      let named = byStamp[Stamped(key: key, field: Register.deletedField, stamp: stamp)]
      let deletions = deletions(of: key)
      let takenBack = takenBack(key)
      // One that was stamped again since may be any.
      var left = named.map { [$0] } ?? deletions.filter { covered[$0] }
      left += deletions.filter { writes[$0].isOwed && !takenBack.contains($0) }
      var seen = Set(left)
      while let id = left.popLast() {
        covered[id] = true
        for known in writes[id].known { covered[known] = true }
        for parent in writes[id].parents where seen.insert(parent).inserted { left.append(parent) }
      }
    }
  }

  /// The deletions of a record that somebody knew and wrote the record again after.
  private func takenBack(_ key: RecordKey) -> Set<Int> {
    Set(
      (byPlace[Place(key: key, field: Register.deletedField, value: [])] ?? [])
        .flatMap { writes[$0].parents })
  }

  /// Parents were noted before their children.
  private func coverParents(_ covered: inout [Bool]) {
    for id in writes.indices.reversed() where covered[id] {
      for parent in writes[id].parents { covered[parent] = true }
    }
  }

  /// The first owed write that what is there does not cover.
  func firstLost(_ holdings: Holdings) -> Write? {
    let covered = covered(by: holdings)
    return writes.indices.first { writes[$0].isOwed && !covered[$0] && !metForgotten($0) }
      .map { writes[$0] }
  }

  /// Notes what a server had, and has no more because a copy was put in its place.
  mutating func noteForgotten(before: Holdings, after: Holdings) {
    let was = covered(by: before)
    let isStill = covered(by: after)
    forgottenByServer.formUnion(writes.indices.filter { was[$0] && !isStill[$0] })
  }

  /// A write that a server forgot when it was put back comes back as something held, not as something written: it, and what it then
  /// meets, may supersede each other without an entry in the journal. docs/conflicts.md says so.
  private func metForgotten(_ id: Int) -> Bool {
    forgottenByServer.contains {
      writes[$0].key == writes[id].key && writes[$0].field == writes[id].field
    }
  }

  /// Every write of a field, for people.
  func story(of key: RecordKey, _ field: FieldNumber) -> [String] {
    writes.indices.filter { writes[$0].key == key && writes[$0].field == field }.map {
      let write = writes[$0]
      return "#\($0) device \(write.device) \(write.stamp.text) value \(write.value.suffix(6)) "
        + "over \(write.parents)\(write.isOwed ? "" : ", not owed")"
    }
  }

  /// Stops owing what was covered before a copy was lost, and is not by what is left: every holder of it is gone.
  mutating func excuse(before: Holdings, after: Holdings) {
    let was = covered(by: before)
    let isStill = covered(by: after)
    for id in writes.indices where was[id] && !isStill[id] { writes[id].isOwed = false }
  }
}

extension Stamp {
  /// For people.
  var text: String {
    "\(time.milliseconds % 10_000_000_000).\(time.rawValue & 0xFFFF)@\(String(replica.rawValue, radix: 16).suffix(4))"
  }
}

/// What some replicas hold together.
struct Holdings {
  private(set) var visible: Set<Oracle.Place> = []
  private(set) var journal: Set<Oracle.Place> = []
  /// The stamps up to which records were stripped.
  private(set) var floors: [RecordKey: Stamp] = [:]

  /// Adds a record, or a journal entry.
  mutating func add(_ record: Record) {
    if record.key.kind == .conflict, let entry = try? Conflict(record) {
      journal.insert(
        Oracle.Place(key: entry.key, field: entry.field, value: entry.lost.value))
    }
    if let floor = record[Register.forgottenField] {
      floors[record.key] = max(floors[record.key] ?? floor.stamp, floor.stamp)
    }
    for register in record.registers {
      visible.insert(
        Oracle.Place(key: record.key, field: register.field, value: register.value))
    }
  }

  /// Adds what others hold.
  mutating func add(_ other: Holdings) {
    visible.formUnion(other.visible)
    journal.formUnion(other.journal)
    floors.merge(other.floors) { max($0, $1) }
  }

  mutating func addJournal(_ places: Set<Oracle.Place>) { journal.formUnion(places) }

  func isJournalled(_ place: Oracle.Place) -> Bool { journal.contains(place) }
}
