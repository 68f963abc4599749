// SPDX-License-Identifier: Apache-2.0
// What a person did last on this device, so that it can be undone: a short journal that is never
// synced.

import AtrestDomain
import AtrestProtocol
import AtrestReplication
import Foundation
import GRDB

import struct AtrestReplication.Record

/// Something a person did. The numbers are stored.
public enum UserAction: Int, Hashable, Sendable, CaseIterable {
  /// Began a fast.
  case begin = 1
  /// Completed a fast.
  case end = 2
  /// Let a fast go.
  case letGo = 3
  /// Noted something drunk.
  case water = 4
  /// Corrected a fast.
  case editFast = 5
  /// Corrected something drunk.
  case editWater = 6
  /// Took a fast away.
  case deleteFast = 7
  /// Took something drunk away.
  case deleteWater = 8
  /// Chose a setting.
  case setting = 9
  /// Wrote a value back that a conflict had set aside.
  case restore = 10
  /// Brought a file in.
  case `import` = 11

  /// Actions that are remembered.
  public static let limit = 50
  /// How long an action is remembered, in milliseconds: 30 days, which is when payload of deleted
  /// records is gone elsewhere.
  public static let retentionMilliseconds: Int64 = 30 * 86_400_000
  /// Records of one action. One that writes more is done, and cannot be undone.
  public static let recordLimit = 100
}

/// What an action did to one record. Where it wrote none of its fields, the record is a fast that
/// was open beside those it wrote.
struct ActionStep {
  /// The record before; nil where there was none.
  var before: Record?
  /// The record after, and which of its fields were written.
  var after: Offer
}

/// What undoing an action did.
public struct UndoneAction: Hashable, Sendable {
  /// A record of the action.
  public struct Change: Hashable, Sendable {
    /// The record before the action; nil where it made the record.
    public let before: Record?
    /// The record as the action left it.
    public let after: Record
    /// The fields that are as they were before.
    public let restored: [FieldNumber]
    /// The fields that stay, because they were written again since, on another device or here; or
    /// because another fast goes on.
    public let kept: [FieldNumber]
    /// Whether the fast would have gone on again, and stays as it is because another one goes on.
    public let anotherGoesOn: Bool
  }

  /// What was undone.
  public let action: UserAction
  /// When it had been done, by this device's clock.
  public let at: WallTime
  /// What became of its records.
  public let changes: [Change]

  /// Whether anything is as it was before. If not, nothing was changed.
  public var isUndone: Bool { changes.contains { !$0.restored.isEmpty } }
  /// Whether nothing was changed because another fast goes on. The action then stays remembered: to
  /// undo once more must not take something else. Any other action is forgotten, or it would stand
  /// before earlier ones for ever.
  public var isWaiting: Bool { !isUndone && changes.contains(where: \.anotherGoesOn) }
}

extension ReplicaTransaction {
  /// Runs writes as one action of the person's, which `undo` can take back. Writes outside of any
  /// action are not remembered.
  ///
  /// Nothing is remembered where nothing was written.
  public func action<Result>(
    _ what: UserAction, _ body: () throws -> Result
  ) throws -> Result {
    precondition(steps == nil, "one action at a time")
    steps = []
    defer { steps = nil }
    let result = try body()
    if let steps, !steps.isEmpty { try remember(what, steps) }
    return result
  }

  /// Takes the last remembered action back, as ordinary new writes: each field that nobody wrote
  /// since becomes what it was. A record that the action made is deleted, unless somebody wrote to
  /// it since. A fast does not go on again beside one that was not open when the action was taken.
  /// The action is then forgotten, unless it `isWaiting`.
  ///
  /// - Parameter kind: Only the last one of this kind.
  /// - Returns: What became of it; nil if no such action is remembered.
  public func undo(_ kind: UserAction? = nil) throws(ReplicaError) -> UndoneAction? {
    try trim()
    guard let (sequence, action, at, taken) = try lastAction(kind) else { return nil }
    var changes: [UndoneAction.Change] = []
    let beside = Set(taken.filter(\.after.written.isEmpty).map(\.after.record.key.id))
    for step in taken.reversed() where !step.after.written.isEmpty {
      changes.insert(try undo(step, beside: beside), at: 0)
    }
    let undone = UndoneAction(action: action, at: at, changes: changes)
    guard !undone.isWaiting else { return undone }
    try storage {
      try database.execute(
        sql: "DELETE FROM action WHERE sequence = ?", arguments: [sequence])
      try database.execute(
        sql: "DELETE FROM action_step WHERE action = ?", arguments: [sequence])
    }
    return undone
  }

  // MARK: - Undoing

  /// - Parameter beside: The fasts that were open beside those of the action.
  private func undo(
    _ step: ActionStep, beside: Set<[UInt8]>
  ) throws(ReplicaError) -> UndoneAction.Change {
    let after = step.after.record
    func change(
      _ restored: [FieldNumber], _ kept: [FieldNumber], anotherGoesOn: Bool = false
    ) -> UndoneAction.Change {
      UndoneAction.Change(
        before: step.before, after: after, restored: restored, kept: kept,
        anotherGoesOn: anotherGoesOn)
    }
    let written = step.after.written
    guard let current = try record(after.key) else { return change([], written) }
    let touched = current.registers.filter { !isUntouched($0, after) }.map(\.field)
    let wasThere = step.before.map { !$0.isDeleted } ?? false

    if wasThere == false {
      // The action made it, or brought it back: it goes as a whole, or not at all.
      guard touched.isEmpty, !current.isDeleted else { return change([], written) }
      try write(after.key, [], deleted: true)
      return change(written, [])
    }
    guard let before = step.before else { return change([], written) }
    if after.isDeleted {
      guard current.isDeleted, !touched.contains(Register.deletedField) else {
        return change([], written)
      }
      guard try !wouldGoOnBesideAnother(before, since: current, except: beside) else {
        return change([], written, anotherGoesOn: true)
      }
      // Its payload may have been pruned since.
      let lost = before.registers.filter {
        current[$0.field] == nil && $0.field != Register.pruneFloorField
          && $0.field != Register.deletedField
      }
      try write(after.key, lost.map { ($0.field, $0.value) }, deleted: false)
      return change(written, [])
    }
    let fields = written.filter { $0 != Register.deletedField }
    guard !current.isDeleted else { return change([], fields) }
    var restorable = fields.filter { !touched.contains($0) && before[$0] != nil }
    var anotherGoesOn = false
    if restorable.contains(SessionField.span) {
      anotherGoesOn = try wouldGoOnBesideAnother(before, since: current, except: beside)
      if anotherGoesOn { restorable.removeAll { $0 == SessionField.span } }
    }
    if !restorable.isEmpty {
      try write(
        after.key, restorable.compactMap { field in before[field].map { (field, $0.value) } })
    }
    return change(
      restorable, fields.filter { !restorable.contains($0) }, anotherGoesOn: anotherGoesOn)
  }

  /// Whether a record was a fast that went on, is none now, and another fast goes on.
  private func wouldGoOnBesideAnother(
    _ before: Record, since current: Record, except beside: Set<[UInt8]>
  ) throws(ReplicaError) -> Bool {
    guard isOpenFast(before), !isOpenFast(current) else { return false }
    return try openSessions().contains {
      $0.id.bytes != before.key.id && !beside.contains($0.id.bytes)
    }
  }

  private func isOpenFast(_ record: Record) -> Bool {
    record.key.kind == .session && !record.isDeleted
      && (try? Session(record))?.span.outcome == .active
  }

  /// Whether a register still says what the action left, by this device's word. Its stamp may be
  /// another: this device's clock or identity was corrected, or a later action was undone.
  private func isUntouched(_ register: Register, _ after: Record) -> Bool {
    guard let left = after[register.field], register.value == left.value else { return false }
    return register.stamp == left.stamp || register.stamp.replica == state.replica
  }

  // MARK: - The journal

  private func remember(_ what: UserAction, _ written: [ActionStep]) throws(ReplicaError) {
    let steps = try written + fastsBeside(written)
    try storage {
      try database.execute(
        sql: "INSERT INTO action (what, at) VALUES (?, ?)",
        arguments: [what.rawValue, now.milliseconds])
      let sequence = database.lastInsertedRowID
      let kept = steps.count <= UserAction.recordLimit ? steps : []
      for (place, step) in kept.enumerated() {
        try database.execute(
          sql: "INSERT INTO action_step (action, place, before, after) VALUES (?, ?, ?, ?)",
          arguments: [
            sequence, place, step.before.map { Data($0.encoded) }, Data(step.after.encoded),
          ])
      }
    }
    try trim()
  }

  /// Where an action wrote to an open fast, the others that are open. Which those were cannot be
  /// told from their stamps later: they are stamped again when they are corrected, or ended and
  /// taken back.
  private func fastsBeside(_ steps: [ActionStep]) throws(ReplicaError) -> [ActionStep] {
    guard steps.contains(where: { $0.before.map(isOpenFast) ?? false }) else { return [] }
    let written = Set(steps.map(\.after.record.key))
    var beside: [ActionStep] = []
    for fast in try openSessions() {
      let key = RecordKey(kind: .session, id: fast.id.bytes)
      guard !written.contains(key), let record = try record(key) else { continue }
      beside.append(ActionStep(before: record, after: Offer(record: record, written: [])))
    }
    return beside
  }

  /// Forgets what is too old, or too long ago. A clock that was set back forgets nothing.
  func trim() throws(ReplicaError) {
    try storage {
      try database.execute(
        sql: """
          DELETE FROM action WHERE at < ?
          OR sequence <= (SELECT max(sequence) FROM action) - ?
          """,
        arguments: [now.milliseconds - UserAction.retentionMilliseconds, UserAction.limit])
      if database.changesCount > 0 {
        try database.execute(
          sql: "DELETE FROM action_step WHERE action NOT IN (SELECT sequence FROM action)")
      }
    }
  }

  private func lastAction(
    _ kind: UserAction?
  ) throws(ReplicaError) -> (Int64, UserAction, WallTime, [ActionStep])? {
    try storage {
      let row = try Row.fetchOne(
        database,
        sql: """
          SELECT sequence, what, at FROM action WHERE what = ?1 OR ?1 IS NULL
          ORDER BY sequence DESC LIMIT 1
          """, arguments: [kind?.rawValue])
      guard let row else { return nil }
      let number: Int = try row.decode(atIndex: 1)
      guard let action = UserAction(rawValue: number) else { return nil }
      let sequence: Int64 = try row.decode(atIndex: 0)
      let steps = try Row.fetchAll(
        database, sql: "SELECT before, after FROM action_step WHERE action = ? ORDER BY place",
        arguments: [sequence]
      ).map { row in
        ActionStep(
          before: try row.optionalBytes(at: 0).map { try decode($0) },
          after: try decodeOffer(row.bytes(at: 1)))
      }
      return (sequence, action, WallTime(milliseconds: try row.decode(atIndex: 2)), steps)
    }
  }
}
