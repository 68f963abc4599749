// SPDX-License-Identifier: Apache-2.0
// Knows every write, what its writer knew, and its stamps. Does not know how merging works.

import AtrestReplication
import AtrestWire

/// The independent oracle of one account: a graph in which each write points at the writes that its
/// writer knew.
///
/// It answers four questions, each in its own file: which writes are covered, what a server forgot,
/// whether a journal entry is true, and whether the right write won.
struct Oracle {
  /// One register as it was written.
  struct Write {
    var key: RecordKey
    var field: FieldNumber
    var value: [UInt8]
    /// The action it belongs to: the writes of one person's one command to one record.
    var action: Int
    /// The stamp of the floor above which it was written; nil if the writer's copy had none.
    var floor: Stamp?
    /// The writes that it replaced: one, or several indistinguishable ones.
    var parents: [Int]
    /// For a write to field 1, which every action makes: the writes of other fields that its writer
    /// knew, its own included.
    var known: [Int] = []
    /// Whether it must be visible, known to the writer of a visible write, or in the journal.
    var isOwed: Bool
    /// For a write to field 1: whether the server accepted it and somebody holds it, even if the
    /// writer was not told.
    var wasTaken = false
    var device: Int
    /// The device that wrote it, or the original of that device.
    var family: Int
    /// Its first stamp, and each one that replaced it. A copied device assigns its own.
    var stamps: [Stamp]
    /// Those under which a server was seen to have it.
    var committedStamps: Set<Stamp> = []
    /// Whether a server refused it, or its device took it back: a deletion that waited for a word.
    var wasWithdrawn = false
  }

  /// A register that somebody holds, and where.
  struct Held: Hashable {
    var key: RecordKey
    var register: Register
    /// The device that holds it, or its original, if the stamp does not determine the writer.
    var family: Int?
  }

  /// The family of writes that no device made.
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
  /// All writes that ever carried a stamp, in any field.
  private var byStamp: [Stamped: [Int]] = [:]
  /// The writes of each action.
  private var actions: [[Int]] = []
  /// The records that anybody wrote, in the order of their first writes.
  private(set) var keys: [RecordKey] = []
  private var known: Set<RecordKey> = []
  var dismissed: Set<Int> = []
  /// Writes whose journal entry expired after being available for its full time.
  private(set) var served: Set<Int> = []
  var forgetting = Forgetting()
  /// Writes that were pending when their disk was copied. Two replicas offer them as their own.
  private(set) var sharedByCopies: Set<Int> = []
  /// The first record of which a new identity moved a write to a later time.
  private(set) var movedByIdentity: RecordKey?
  private var number: Int64

  /// - Parameter first: Lower bound of the generated numbers. It differs between accounts, so that
  ///   they never share a value.
  init(first: Int64 = 0) { number = first }

  /// A unique number.
  mutating func nextNumber() -> Int64 {
    number += 1
    return number
  }

  // MARK: Noting

  /// Notes an action's writes to a record. A write that is not durable yet is not owed but may
  /// appear.
  ///
  /// - Parameter family: The writing device, or its original.
  /// - Returns: The writes, to be owed once the action is durable.
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
          floor: after.floor?.stamp, parents: parents, isOwed: false, device: device,
          family: family,
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

  /// Notes that a server refused an offer.
  mutating func noteRefused(_ offer: Offer) {
    for register in offer.record.registers where offer.written.contains(register.field) {
      for id in writes(of: register, in: offer.record.key) { writes[id].wasWithdrawn = true }
    }
  }

  /// Notes that a disk was copied with these pending offers.
  mutating func noteCopied(_ waiting: [Offer]) {
    for offer in waiting {
      for register in offer.record.registers where offer.written.contains(register.field) {
        for id in writes(of: register, in: offer.record.key) {
          sharedByCopies.formUnion(actions[writes[id].action])
        }
      }
    }
  }

  /// Notes that a device restamped its pending offers. From now on both stamps identify the
  /// actions.
  ///
  /// - Parameters:
  ///   - before: The pending offers, oldest first.
  ///   - after: The same offers with other stamps. Other differences are ignored.
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

  /// The actions that wrote these registers under one stamp. A copied or unpaired device may have
  /// used the same stamp for another action. Values of fields other than field 1 distinguish them.
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

  /// A person dismissed a journal entry, so its write was seen and need not be found any more.
  mutating func dismiss(_ entry: Conflict) {
    let lost = writes(of: entry.lost, in: entry.key)
    dismissed.formUnion(lost)
    // An entry about field 1 stands for everything the action wrote.
    guard entry.field == Register.deletedField else { return }
    for id in lost { dismissed.formUnion(listed(by: id)) }
  }

  /// A person wrote to a record whose deletion waited for a word, and so took it back. Another
  /// device's edit may have beaten it by then; it never reached the server, which journals. It is
  /// not owed any more, even if what took it back is lost with the device.
  mutating func noteTakenBack(_ deletion: Register, in key: RecordKey, family: Int) {
    let ids = writes(of: deletion, in: key, heldBy: family)
    dismissed.formUnion(ids)
    for id in ids { (writes[id].isOwed, writes[id].wasWithdrawn) = (false, true) }
  }

  /// A journal entry expired: everything it stood for was available until then.
  mutating func noteEnd(of entry: Conflict) {
    for loss in entry.losses { served.formUnion(writes(of: loss)) }
    guard entry.isAction, let record = entry.record else { return }
    let held = Set(record.registers.flatMap { writes(of: $0, in: record.key) })
    for id in writes(of: entry.lost, in: entry.key) {
      served.formUnion(held.intersection(listed(by: id)))
    }
  }

  // MARK: Queries

  /// The writes that a register may be, by its stamp. The server expires a journal entry in its
  /// own name.
  func writes(of register: Register, in key: RecordKey) -> [Int] {
    let exact = stamped(register, in: key)
    if !exact.isEmpty || key.kind != .conflict { return exact }
    return byPlace[Place(key: key, field: register.field, value: register.value)] ?? []
  }

  /// The same for a register that somebody holds.
  func writes(of held: Held) -> [Int] {
    guard let family = held.family else { return writes(of: held.register, in: held.key) }
    return writes(of: held.register, in: held.key, heldBy: family)
  }

  /// The same for a register on a device. Before devices are paired, all use the same stamps, and
  /// none sees another's writes.
  private func writes(of register: Register, in key: RecordKey, heldBy family: Int) -> [Int] {
    let ids = writes(of: register, in: key)
    return register.stamp.replica == .none ? ids.filter { writes[$0].family == family } : ids
  }

  /// The writes with exactly the register's stamp.
  func stamped(_ register: Register, in key: RecordKey) -> [Int] {
    (byStamp[Stamped(key: key, stamp: register.stamp)] ?? []).filter {
      writes[$0].field == register.field && writes[$0].value == register.value
    }
  }

  /// The deletions with the stamp of a floor.
  func deletions(of key: RecordKey, at floor: Stamp) -> [Int] {
    stamped(
      Register(field: Register.deletedField, stamp: floor, value: Register.deletedValue), in: key)
  }

  func deletions(of key: RecordKey) -> [Int] {
    byPlace[Place(key: key, field: Register.deletedField, value: Register.deletedValue)] ?? []
  }

  /// The writes that restore a record.
  func revivals(of key: RecordKey) -> [Int] {
    byPlace[Place(key: key, field: Register.deletedField, value: [])] ?? []
  }

  /// Groups of writes with equal field and value.
  var repeated: [[Int]] { byPlace.values.filter { $0.count > 1 } }

  /// All writes of a write's action, itself included.
  func action(of id: Int) -> [Int] { actions[writes[id].action] }

  /// Whether an action on the record has this stamp.
  func isAction(_ stamp: Stamp, on key: RecordKey) -> Bool {
    byStamp[Stamped(key: key, stamp: stamp)] != nil
  }

  /// Describes every write of a field, for people.
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
  /// A description for people.
  var text: String {
    "\(time.milliseconds % 10_000_000_000).\(time.rawValue & 0xFFFF)@\(String(replica.rawValue, radix: 16).suffix(4))"
  }
}
