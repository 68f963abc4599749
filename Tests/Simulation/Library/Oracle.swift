// SPDX-License-Identifier: Apache-2.0
// Knows every write that anybody made, what its writer saw, and the stamps it got. Does not know
// how merging works.

import AtrestProtocol
import AtrestReplication

/// The independent judge of one account: a graph of writes, each pointing at those its writer saw.
///
/// Four questions are asked of it, each in a file of its own: what is covered, what a server
/// forgot, whether an entry of the journal is true, and whether the right write won.
struct Oracle {
  /// One register as somebody wrote it.
  struct Write {
    var key: RecordKey
    var field: FieldNumber
    var value: [UInt8]
    /// The action it is part of: what one person's one command wrote to one record.
    var action: Int
    /// The writes that its writer saw in its place: one, or several that cannot be told apart.
    var parents: [Int]
    /// Of a write to field 1, which every action makes: the writes of other fields that its writer
    /// saw, its own included.
    var known: [Int] = []
    /// Whether it must still be visible, known to the writer of a visible one, or in the journal.
    var isOwed: Bool
    /// Of a write to field 1: whether the server took it, though its writer may not have been told
    /// that it was made, and somebody holds it.
    var wasTaken = false
    var device: Int
    /// The device that it is, or is a copy of.
    var family: Int
    /// As it was first given, and each that took the place of one. A copied device gives its own.
    var stamps: [Stamp]
  }

  /// A register that somebody holds, and where.
  struct Held: Hashable {
    var key: RecordKey
    var register: Register
    /// The device that holds it, or is a copy of it, where its stamp does not say whose it is.
    var family: Int?
  }

  /// Whom writes are of that no device made.
  static let foreigner = -1

  private struct Place: Hashable {
    var key: RecordKey
    var field: FieldNumber
    var value: [UInt8]
  }

  private struct Stamped: Hashable {
    var key: RecordKey
    var stamp: Stamp
  }

  var writes: [Write] = []
  private var byPlace: [Place: [Int]] = [:]
  /// All writes that ever carried a stamp, those of other fields included.
  private var byStamp: [Stamped: [Int]] = [:]
  /// The writes of each action.
  private var actions: [[Int]] = []
  /// Records that anybody wrote, in the order of their first writes.
  private(set) var keys: [RecordKey] = []
  private var known: Set<RecordKey> = []
  var dismissed: Set<Int> = []
  /// Writes that the journal stood for until its entry's time was over, and that were to be had.
  private(set) var served: Set<Int> = []
  var forgetting = Forgetting()
  /// The floors that records ever had.
  var floors: [RecordKey: Set<Stamp>] = [:]
  /// Writes that waited when their disk was copied: two replicas offer them as their own.
  private(set) var sharedByCopies: Set<Int> = []
  /// The first record of which a new identity moved a write to a later time.
  private(set) var movedByIdentity: RecordKey?
  private var number: Int64

  /// - Parameter first: Numbers are greater; different accounts have different ones, so that no
  ///   value is in both.
  init(first: Int64 = 0) { number = first }

  /// A number that no other write has.
  mutating func nextNumber() -> Int64 {
    number += 1
    return number
  }

  // MARK: Noting

  /// Notes what an action makes of a record. What is not durable yet is not owed, but may turn up.
  ///
  /// - Returns: The writes, to be owed once the action is durable.
  ///
  /// - Parameter family: The device that the writer is, or is a copy of.
  mutating func note(
    _ before: Record?, _ after: Record, by device: Int, family: Int
  ) -> [Int] {
    if known.insert(after.key).inserted { keys.append(after.key) }
    var noted: [Int] = []
    for register in after.registers {
      let replaced = before?[register.field]
      guard replaced?.stamp != register.stamp || replaced?.value != register.value else { continue }
      let id = writes.count
      let parents = replaced.map { writes(of: $0, in: after.key, heldBy: family) } ?? []
      writes.append(
        Write(
          key: after.key, field: register.field, value: register.value, action: actions.count,
          parents: parents, isOwed: false, device: device, family: family,
          stamps: [register.stamp]))
      byPlace[Place(key: after.key, field: register.field, value: register.value), default: []]
        .append(id)
      byStamp[Stamped(key: after.key, stamp: register.stamp), default: []].append(id)
      noted.append(id)
    }
    guard !noted.isEmpty else { return [] }
    actions.append(noted)
    if let action = noted.first(where: { writes[$0].field == Register.deletedField }) {
      writes[action].known = after.registers.filter { $0.field != Register.deletedField }
        .flatMap { writes(of: $0, in: after.key, heldBy: family) }
    }
    return noted
  }

  mutating func owe(_ noted: [Int]) {
    for id in noted { writes[id].isOwed = true }
  }

  /// A disk was copied on which this waited.
  mutating func noteCopied(_ waiting: [Offer]) {
    for offer in waiting {
      for register in offer.record.registers where offer.written.contains(register.field) {
        for id in writes(of: register, in: offer.record.key) {
          sharedByCopies.formUnion(actions[writes[id].action])
        }
      }
    }
  }

  /// A device stamped what waits on it again: from now on the actions go by both stamps.
  ///
  /// - Parameters:
  ///   - before: What waited, oldest first; `after` the same offers with other stamps. Anything
  ///     else changes nothing.
  mutating func noteRestamp(_ before: [Offer], _ after: [Offer], family: Int) {
    guard before.count == after.count else { return }
    for (old, new) in zip(before, after)
    where old.record.key == new.record.key && old.written == new.written {
      let pairs = old.written.compactMap { field in
        old.record[field].flatMap { was in new.record[field].map { (was, $0) } }
      }
      guard pairs.allSatisfy({ $0.value == $1.value }) else { continue }
      let stamps = Dictionary(pairs.map { ($0.stamp, $1.stamp) }) { first, _ in first }
      for (was, now) in stamps.sorted(by: { $0.key < $1.key }) where was != now {
        for action in self.actions(
          pairs.map(\.0).filter { $0.stamp == was }, of: old.record.key, family)
        {
          rename(action, from: was, to: now)
        }
      }
    }
  }

  /// The actions that wrote these registers under one stamp. A copied device, or one that is not
  /// paired yet, may have used the stamp for an action of its own; the values of other fields than
  /// field 1 tell them apart.
  private func actions(_ registers: [Register], of key: RecordKey, _ family: Int) -> [Int] {
    let telling = registers.filter { $0.field != Register.deletedField }
    return Set(
      (telling.isEmpty ? registers : telling).flatMap {
        writes(of: $0, in: key, heldBy: family)
      }.map { writes[$0].action }
    ).sorted()
  }

  private mutating func rename(_ action: Int, from old: Stamp, to new: Stamp) {
    if old.replica != new.replica, old.time < new.time {
      movedByIdentity = movedByIdentity ?? actions[action].first.map { writes[$0].key }
    }
    for id in actions[action]
    where writes[id].stamps.contains(old) && !writes[id].stamps.contains(new) {
      writes[id].stamps.append(new)
      byStamp[Stamped(key: writes[id].key, stamp: new), default: []].append(id)
    }
  }

  /// A person put an entry of the journal away: the write was seen, and need not be found any more.
  mutating func dismiss(_ entry: Conflict) {
    let lost = writes(of: entry.lost, in: entry.key)
    dismissed.formUnion(lost)
    // An entry about field 1 stands for all that the action wrote.
    guard entry.field == Register.deletedField else { return }
    for id in lost { dismissed.formUnion(listed(by: id)) }
  }

  /// A person wrote an entry back, and with it an action: what the record shows otherwise on that
  /// device was seen, and need not be found any more.
  mutating func noteRestored(_ entry: Conflict, in record: Record) {
    guard entry.field == Register.deletedField else { return }
    let held = Set(record.registers.flatMap { writes(of: $0, in: record.key) })
    for id in writes(of: entry.lost, in: entry.key) {
      dismissed.formUnion(Set(listed(by: id)).subtracting(held))
    }
  }

  /// An entry of the journal ended in its time: whatever it stood for was to be had until then.
  mutating func noteEnd(of entry: Conflict, holding record: Record) {
    guard entry.field == Register.deletedField else { return }
    let held = Set(record.registers.flatMap { writes(of: $0, in: record.key) })
    for id in writes(of: entry.lost, in: entry.key) {
      served.formUnion(held.intersection(listed(by: id)))
    }
  }

  // MARK: Finding

  /// The writes that a register may be, by its stamp. Where a pruned record was brought back, a
  /// value may carry a stamp that was not its writer's; values of other fields than field 1 are
  /// unique, and tell as much.
  func writes(of register: Register, in key: RecordKey) -> [Int] {
    let exact = stamped(register, in: key)
    // The server ends an entry of the journal in its own name.
    if !exact.isEmpty || (register.field == Register.deletedField && key.kind != .conflict) {
      return exact
    }
    return byPlace[Place(key: key, field: register.field, value: register.value)] ?? []
  }

  /// The same, as somebody holds it.
  func writes(of held: Held) -> [Int] {
    guard let family = held.family else { return writes(of: held.register, in: held.key) }
    return writes(of: held.register, in: held.key, heldBy: family)
  }

  /// The same, as a device holds it: before devices are paired all give the same stamps, and none
  /// sees another's.
  private func writes(of register: Register, in key: RecordKey, heldBy family: Int) -> [Int] {
    let ids = writes(of: register, in: key)
    return register.stamp.replica == .none ? ids.filter { writes[$0].family == family } : ids
  }

  /// The writes that carried the register's very stamp.
  func stamped(_ register: Register, in key: RecordKey) -> [Int] {
    (byStamp[Stamped(key: key, stamp: register.stamp)] ?? []).filter {
      writes[$0].field == register.field && writes[$0].value == register.value
    }
  }

  /// The deletions whose stamp a floor carries.
  func deletions(of key: RecordKey, at floor: Stamp) -> [Int] {
    stamped(
      Register(field: Register.deletedField, stamp: floor, value: Register.deletedValue), in: key)
  }

  func deletions(of key: RecordKey) -> [Int] {
    byPlace[Place(key: key, field: Register.deletedField, value: Register.deletedValue)] ?? []
  }

  /// The writes that say that a record is there.
  func revivals(of key: RecordKey) -> [Int] {
    byPlace[Place(key: key, field: Register.deletedField, value: [])] ?? []
  }

  /// Writes of one field and value that are more than one.
  var repeated: [[Int]] { byPlace.values.filter { $0.count > 1 } }

  /// All that was written in one action with a write, itself included.
  func action(of id: Int) -> [Int] { actions[writes[id].action] }

  /// Whether somebody did something to the record under this stamp.
  func isAction(_ stamp: Stamp, on key: RecordKey) -> Bool {
    byStamp[Stamped(key: key, stamp: stamp)] != nil
  }

  /// Every write of a field, for people.
  func story(of key: RecordKey, _ field: FieldNumber) -> [String] {
    writes.indices.filter { writes[$0].key == key && writes[$0].field == field }.map {
      let write = writes[$0]
      let stamps = write.stamps.map(\.text).joined(separator: ", then ")
      return "#\($0) device \(write.device) \(stamps) value \(write.value.suffix(6)) "
        + "over \(write.parents)\(write.isOwed ? "" : ", not owed")"
    }
  }
}

extension Stamp {
  /// For people.
  var text: String {
    "\(time.milliseconds % 10_000_000_000).\(time.rawValue & 0xFFFF)@\(String(replica.rawValue, radix: 16).suffix(4))"
  }
}
