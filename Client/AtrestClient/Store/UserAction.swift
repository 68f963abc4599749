// SPDX-License-Identifier: Apache-2.0
// A short local journal of user actions for undo. Never synced.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation
import GRDB

import struct AtrestReplication.Record

/// A user action. The raw values are stored.
public enum UserAction: Int, Hashable, Sendable, CaseIterable {
  /// Started a fast.
  case begin = 1
  /// Completed a fast.
  case end = 2
  /// Abandoned a fast.
  case letGo = 3
  /// Recorded a drink.
  case water = 4
  /// Edited a fast.
  case editFast = 5
  /// Edited a drink.
  case editWater = 6
  /// Deleted a fast.
  case deleteFast = 7
  /// Deleted a drink.
  case deleteWater = 8
  /// Changed a setting.
  case setting = 9
  /// Restored the losing value of a conflict.
  case restore = 10
  /// Imported a file.
  case `import` = 11
  /// Wrote records of an app's own kinds.
  case edit = 12

  /// The most actions kept.
  public static let limit = 50
  /// How long an action is kept: 30 days, in milliseconds. By then the payload of deleted records
  /// is pruned elsewhere.
  public static let retentionMilliseconds: Int64 = 30 * 86_400_000
  /// The most records of one action. A larger action takes effect but cannot be undone.
  public static let recordLimit = 100
}

/// An action's effect on one record. If `after.written` is empty, the record is a fast that was
/// open beside the ones that the action wrote.
struct ActionStep {
  /// The record before; nil if there was none.
  var before: Record?
  /// The record after, and the fields written.
  var after: Offer
}

/// The result of an undo.
public struct UndoneAction: Hashable, Sendable {
  /// A record that the action wrote.
  public struct Change: Hashable, Sendable {
    /// The record before the action; nil if the action created it.
    public let before: Record?
    /// The record right after the action.
    public let after: Record
    /// The fields restored to their earlier values.
    public let restored: [FieldNumber]
    /// The fields left alone because they were written again since, here or on another device, or
    /// because another fast is running.
    public let kept: [FieldNumber]
    /// Whether a fast was not reopened because another one is running.
    public let anotherGoesOn: Bool
  }

  /// The undone action.
  public let action: UserAction
  /// The time of the action, by this device's clock.
  public let at: WallTime
  /// The effect on each of its records.
  public let changes: [Change]

  /// Whether anything was restored. If not, nothing was changed.
  public var isUndone: Bool { changes.contains { !$0.restored.isEmpty } }
  /// Whether nothing was changed because another fast is running. The action then stays in the
  /// journal, so that a second undo does not take an earlier one. Any other action is removed, or
  /// it would block earlier ones for ever.
  public var isWaiting: Bool { !isUndone && changes.contains(where: \.anotherGoesOn) }
}

extension ReplicaTransaction {
  /// Runs writes as one user action that `undo` can revert. Writes outside of an action cannot be
  /// undone.
  ///
  /// An action that writes nothing is not recorded.
  /// - Precondition: No other action is in progress.
  /// - Throws: What `body` throws; `ReplicaError` if the replica fails.
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

  /// Undoes the latest recorded action with ordinary new writes. Each field that nobody wrote since
  /// gets its earlier value. A record that the action created is deleted, unless somebody wrote to
  /// it since. A fast is not reopened beside a running one that was not open at the time of the
  /// action. The action is then removed, unless it `isWaiting`.
  ///
  /// - Parameter kind: Considers only actions of this kind.
  /// - Returns: The result; nil if no such action is recorded.
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

  // MARK: - Undo

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
      // The action created or revived the record, so it is deleted as a whole or not at all.
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
      // The payload may have been pruned since.
      let lost = before.registers.filter {
        current[$0.field] == nil && $0.field != Register.pruneFloorField
          && $0.field != Register.deletedField
      }
      try write(after.key, lost.map { ($0.field, $0.value) }, deleted: false)
      return change(written, [])
    }
    let fields = written.filter { $0 != Register.deletedField }
    guard !current.isDeleted else { return change([], fields) }
    // A field of an app's kind may be new: nothing is what it was before. Those of our kinds come
    // together.
    let mayLackFields = RecordKind.apps.contains(after.key.kind)
    var restorable = fields.filter {
      !touched.contains($0) && (before[$0] != nil || mayLackFields)
    }
    var anotherGoesOn = false
    if restorable.contains(SessionField.span) {
      anotherGoesOn = try wouldGoOnBesideAnother(before, since: current, except: beside)
      if anotherGoesOn { restorable.removeAll { $0 == SessionField.span } }
    }
    if !restorable.isEmpty {
      try write(after.key, restorable.map { ($0, before[$0]?.value ?? []) })
    }
    return change(
      restorable, fields.filter { !restorable.contains($0) }, anotherGoesOn: anotherGoesOn)
  }

  /// Whether a record was a running fast, is none now, and another fast is running.
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

  /// Whether a register still has the value that the action left, written by this device. The stamp
  /// may differ: the device's clock or identity was corrected, or a later action was undone.
  private func isUntouched(_ register: Register, _ after: Record) -> Bool {
    guard let left = after[register.field], register.value == left.value else { return false }
    return register.stamp == left.stamp || register.stamp.replica == state.replica
  }

  // MARK: - Journal

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

  /// If an action wrote to an open fast, the other open fasts. Stamps cannot tell later which these
  /// were, because editing, or ending and undoing, restamps them.
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

  /// Removes actions that exceed the count or age limit. A clock that was set back removes nothing.
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
