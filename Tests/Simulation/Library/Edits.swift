// SPDX-License-Identifier: Apache-2.0
// A person's actions on a replica: fasts, drinks, settings, and restores from the journal.

import AtrestClient
import AtrestDomain
import AtrestFoundation
import AtrestReplication
import AtrestWire
import Foundation

/// One random action of a person.
struct Edit {
  private static let settings = ["theme", TargetPreference.key, "goal"]

  /// The action's writes, which are noted but not owed yet.
  var noted: [Int] = []
  let transaction: ReplicaTransaction
  private let device: Int
  private let family: Int
  /// Whether the action can be undone. One on the journal is not: what it loses to another device's
  /// is listed nowhere.
  private let canBeUndone: Bool

  /// Performs the action in the transaction.
  init(
    _ transaction: ReplicaTransaction, _ oracle: inout Oracle, device: Int, family: Int,
    _ chance: inout Chance
  ) throws {
    self.transaction = transaction
    self.device = device
    self.family = family
    let number = oracle.nextNumber()
    // Of their own: an edit that is not undone stays the same.
    var undoChance = Chance(UInt64(bitPattern: number) &* 0x9E37_79B9_7F4A_7C15)
    let isUndo = undoChance.oneIn(10)
    canBeUndone = undoChance.oneIn(2)
    switch chance.pick(0...24) {
    case _ where isUndo: try undo(&oracle)
    case 21...24: try contend(number, &oracle, &chance)
    case 20: try purchase(number, &oracle, &chance)
    case 0...2: try fast(number, &oracle, &chance)
    case 3...5: try newWater(number, &oracle, &chance)
    case 6...7:
      try noting(RecordKey(kind: .preference, id: Array("theme".utf8)), &oracle) {
        try $0.setPreference("theme", to: "v\(number)")
      }
    case 8:
      let key = chance.choose(Self.settings) ?? "goal"
      try noting(RecordKey(kind: .preference, id: Array(key.utf8)), &oracle) {
        try $0.setPreference(key, to: "v\(number)")
      }
    case 9: try restore(&oracle, &chance)
    default: try change(number, &oracle, &chance)
    }
  }

  mutating func noting(
    _ keys: [RecordKey], isAction: Bool, oracle: inout Oracle,
    _ body: (ReplicaTransaction) throws -> Void
  ) throws {
    let before = try keys.map { try transaction.record($0) }
    let held = try keys.map { try transaction.heldDeletion(of: $0) }
    if isAction {
      try transaction.action(.edit) { try body(transaction) }
    } else {
      try body(transaction)
    }
    for (index, key) in keys.enumerated() {
      guard let new = try transaction.record(key), new != before[index] else { continue }
      noted += oracle.note(before[index], new, by: device, family: family)
      if let deletion = held[index], try transaction.heldDeletion(of: key) == nil {
        oracle.noteTakenBack(deletion, in: key, family: family)
      }
    }
  }

  private mutating func noting(
    _ key: RecordKey, _ oracle: inout Oracle, _ body: (ReplicaTransaction) throws -> Void
  ) throws {
    try noting(
      [key], isAction: canBeUndone && ![.entitlement, .conflict].contains(key.kind),
      oracle: &oracle, body)
  }

  private func date(_ number: Int64) -> WallTime {
    WallTime(milliseconds: 1_700_000_000_000 + number * 60_000)
  }

  private func uuid(_ chance: inout Chance) -> RecordUUID {
    let bytes = (0..<16).map { _ in UInt8(truncatingIfNeeded: chance.next()) }
    return RecordUUID(bytes: bytes) ?? .random()
  }

  /// Starts a fast, or ends the active one.
  private mutating func fast(
    _ number: Int64, _ oracle: inout Oracle, _ chance: inout Chance
  ) throws {
    let fasting = Fasting(try transaction.sessions())
    let session =
      fasting.active == nil
      ? try fasting.start(
        id: uuid(&chance), at: date(number), targetMinutes: Int(number % 20_000) + 1)
      : chance.oneIn(4)
        ? try fasting.abandon(at: date(number + 240)) : try fasting.complete(at: date(number + 240))
    try noting(RecordKey(kind: .session, id: session.id.bytes), &oracle) {
      try $0.save(session)
    }
  }

  private mutating func newWater(
    _ number: Int64, _ oracle: inout Oracle, _ chance: inout Chance
  ) throws {
    guard let intake = WaterEntry.Intake(at: date(number), millilitres: chance.pick(50...500))
    else { return }
    let entry = WaterEntry(id: uuid(&chance), intake: intake)
    try noting(RecordKey(kind: .water, id: entry.id.bytes), &oracle) {
      try $0.save(entry)
    }
  }

  /// Stores a signed statement about one of two purchases. Several are signed in the same
  /// millisecond and differ only in their bytes. A later one replaces an earlier one, so none is
  /// owed.
  private mutating func purchase(
    _ number: Int64, _ oracle: inout Oracle, _ chance: inout Chance
  ) throws {
    let id = "\(chance.pick(1...2))"
    let claims = #"{"transactionId":"\#(id)","signedDate":\#(1_700_000_000_000 + number / 64)}"#
    let payload = Data(claims.utf8).base64EncodedString().filter { $0 != "=" }
    let owed = noted
    try noting(RecordKey(kind: .entitlement, id: Array(id.utf8)), &oracle) {
      try $0.keep(signedTransaction: Array("head.\(payload).signature\(number)".utf8))
    }
    noted = owed
  }

  /// Edits a field of a fast that every device edits, deletes the fast, or restores it. So devices
  /// write fields of one record without knowing of each other.
  private mutating func contend(
    _ number: Int64, _ oracle: inout Oracle, _ chance: inout Chance
  ) throws {
    let known = oracle.keys.filter { $0.kind == .session }
    // A recent one, so that some are not pruned yet.
    guard let key = chance.choose(Array(known.suffix(12).prefix(2))),
      let record = try transaction.record(key)
    else { return try fast(number, &oracle, &chance) }
    if !record.isDeleted, chance.oneIn(4) {
      return try noting(key, &oracle) { try $0.delete(key) }
    }
    guard var session = try? Session(record) else { return }
    // Sometimes two actions: the second overwrites the first one's field 1 before it is pushed.
    let fields = chance.oneIn(3) ? [true, false] : [chance.oneIn(2)]
    for isTarget in fields {
      if isTarget {
        session.targetMinutes = Int(number % 20_000) + 1
      } else if let span = Session.Span(
        start: date(number), end: date(number + 480), outcome: .completed)
      {
        session.span = span
      }
      try noting(key, &oracle) { try $0.save(session) }
    }
  }

  /// Edits, deletes or restores a record, usually a recent one.
  private mutating func change(
    _ number: Int64, _ oracle: inout Oracle, _ chance: inout Chance
  ) throws {
    guard !oracle.keys.isEmpty else { return try newWater(number, &oracle, &chance) }
    let back = chance.pickSkewed(0...oracle.keys.count - 1)
    let key = oracle.keys[oracle.keys.count - 1 - back]
    guard key.kind != .entitlement else { return }
    guard let record = try transaction.record(key) else { return }
    if !record.isDeleted, chance.oneIn(4), key.kind != .conflict {
      return try noting(key, &oracle) { try $0.delete(key) }
    }
    switch key.kind {
    case .session:
      guard var session = try? Session(record) else { return }
      if chance.oneIn(3) {
        session.targetMinutes = Int(number % 20_000) + 1
      } else if let span = Session.Span(
        start: date(number), end: chance.oneIn(3) ? nil : date(number + 480),
        outcome: .active)
        ?? Session.Span(
          start: date(number), end: date(number + 480), outcome: .completed)
      {
        session.span = span
      }
      try noting(key, &oracle) { try $0.save(session) }
    case .water:
      guard var entry = try? WaterEntry(record),
        let intake = WaterEntry.Intake(at: date(number), millilitres: chance.pick(50...500))
      else { return }
      entry.intake = intake
      try noting(key, &oracle) { try $0.save(entry) }
    case .preference:
      guard let name = String(validating: key.id, as: UTF8.self) else { return }
      try noting(key, &oracle) { try $0.setPreference(name, to: "v\(number)") }
    default: return
    }
  }

  /// Restores a lost value from the journal, or deletes an entry.
  private mutating func restore(_ oracle: inout Oracle, _ chance: inout Chance) throws {
    guard let entry = chance.choose(try transaction.conflicts()) else { return }
    if chance.oneIn(3) {
      oracle.dismiss(entry.conflict)
      return try noting(entry.key, &oracle) { try $0.delete(entry.key) }
    }
    let record = try transaction.record(entry.conflict.key)
    do {
      try noting([entry.conflict.key, entry.key], isAction: false, oracle: &oracle) {
        try $0.restore(entry)
      }
    } catch ReplicaError.Code.invalid where record?.follows(entry.conflict.kept) == true {
      throw RestoringFailed(why: "it is refused", conflict: entry.conflict)
    }
    let restored = try transaction.record(entry.conflict.key)
    guard restored?.shows(entry.conflict) == true else {
      throw RestoringFailed(why: "it does not show", conflict: entry.conflict)
    }
  }
}

/// What the journal lists cannot be written back, though the record is there; or it was, and the
/// record does not show it.
private struct RestoringFailed: Error, CustomStringConvertible {
  let why: String
  let conflict: Conflict
  var description: String {
    "writing back field \(conflict.field) of kind \(conflict.key.kind.rawValue), "
      + "\(conflict.lost.text): \(why)"
  }
}

extension Record {
  /// Whether this is what restoring an entry leads to: its deletion; or its value, or all of its
  /// action, in a record that lacks nothing of what the entry holds.
  fileprivate func shows(_ entry: Conflict) -> Bool {
    let (lost, held) = (entry.lost, entry.record?.registers ?? [])
    if lost.field == Register.deletedField, lost.value == Register.deletedValue { return isDeleted }
    let own = [Register.deletedField, Register.pruneFloorField]
    let parts = held.filter { !own.contains($0.field) }
    let values =
      lost.field == Register.deletedField ? parts.filter { $0.stamp == lost.stamp } : [lost]
    return !isDeleted && values.allSatisfy { self[$0.field]?.value == $0.value }
      && parts.allSatisfy { self[$0.field] != nil }
  }

  fileprivate func follows(_ kept: Register) -> Bool {
    [self[kept.field], floor].contains { $0.map { $0.stamp >= kept.stamp } ?? false }
  }
}
