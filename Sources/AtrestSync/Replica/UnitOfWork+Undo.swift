// SPDX-License-Identifier: Apache-2.0
// Undoes the latest user action, field by field.

import AtrestDomain
import AtrestReplication
import AtrestWire

extension UnitOfWork {
  /// Begins a user action: the writes that follow, until `endAction`, can be undone together.
  ///
  /// - Precondition: No other action is in progress.
  package mutating func beginAction() {
    precondition(steps == nil, "one action at a time")
    steps = []
  }

  /// Ends the user action in progress, and records it unless it wrote nothing.
  package mutating func endAction(_ what: UserAction) throws(ReplicaError) {
    let written = steps ?? []
    steps = nil
    if !written.isEmpty { try actions.append(what, at: now, written + fastsBeside(written)) }
  }

  /// Ends the user action in progress, if there is one, without recording it.
  package mutating func abandonAction() { steps = nil }

  /// Undoes the latest recorded action with ordinary new writes. Each field that nobody wrote since
  /// gets its earlier value. A record that the action created is deleted, unless somebody wrote to
  /// it since. A fast is not reopened beside a running one that was not open at the time of the
  /// action. The action is then removed, unless it `isWaiting`.
  ///
  /// - Parameter kind: Considers only actions of this kind.
  /// - Returns: The result; nil if no such action is recorded.
  package mutating func undo(_ kind: UserAction?) throws(ReplicaError) -> UndoneAction? {
    try actions.trim(at: now)
    guard let latest = try actions.latest(kind) else { return nil }
    return try undo(latest.steps, of: latest, keeping: [])
  }

  /// Whether an action about records of some kinds is recorded, and not too old.
  package func canUndo(of kinds: Set<RecordKind>) throws(ReplicaError) -> Bool {
    guard let latest = try actions.latest(about: kinds) else { return false }
    return latest.at >= now.advanced(by: -UserAction.retentionMilliseconds)
  }

  /// Undoes what the latest action that wrote to records of some kinds wrote to those, whatever
  /// the action was, in the way of `undo(_:)`. What it wrote to records of other kinds stays, and
  /// can be undone for itself.
  ///
  /// An entry of the journal of conflicts counts as a record of the kind that it lists.
  /// - Parameter kinds: The kinds of record of one app.
  /// - Returns: The result, about records of these kinds; nil if no such action is recorded.
  /// - Complexity: O(what the actions since wrote).
  package mutating func undo(of kinds: Set<RecordKind>) throws(ReplicaError) -> UndoneAction? {
    try actions.trim(at: now)
    guard let latest = try actions.latest(about: kinds) else { return nil }
    return try undo(
      latest.steps.filter { kinds.contains($0.subject) }, of: latest,
      keeping: latest.steps.filter { !kinds.contains($0.subject) })
  }

  private mutating func undo(
    _ steps: [ActionStep], of action: LoggedAction, keeping rest: [ActionStep]
  ) throws(ReplicaError) -> UndoneAction {
    var changes: [UndoneAction.Change] = []
    let beside = Set(
      steps.filter { $0.after.written.isEmpty }.map { $0.after.record.key.id })
    for step in steps.reversed() where !step.after.written.isEmpty {
      changes.insert(try undo(step, beside: beside), at: 0)
    }
    let undone = UndoneAction(action: action.action, at: action.at, changes: changes)
    if !undone.isWaiting { try actions.keep(rest, of: action) }
    if action.action == .import { try keepUndoneImport(changes) }
    return undone
  }

  /// Keeps which records were deleted by the undo of an import, and by no person before.
  private func keepUndoneImport(_ changes: [UndoneAction.Change]) throws(ReplicaError) {
    let earlier = try actions.undoneImports(at: now)
    var deleted: [Record] = []
    for change in changes where !change.restored.isEmpty {
      if let before = change.before {
        guard before.isStillDeleted(as: earlier[before.key]) else { continue }
      }
      if let record = try records.record(change.after.key), record.isDeleted {
        deleted.append(record)
      }
    }
    try actions.keepUndoneImport(deleted, at: now)
  }

  /// The records that imports brought and undos deleted, and that nothing wrote to since. To an
  /// import they are as records that were never here: no person deleted them.
  package func undoneImports() throws(ReplicaError) -> Set<RecordKey> {
    var keys: Set<RecordKey> = []
    for (key, deleted) in try actions.undoneImports(at: now) {
      if let record = try records.record(key), record.isStillDeleted(as: deleted) {
        keys.insert(key)
      }
    }
    return keys
  }

  /// - Parameter beside: The fasts that were open beside those of the action.
  private mutating func undo(
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
    guard let current = try records.record(after.key) else { return change([], written) }
    let touched = current.registers.filter { !isUntouched($0, after) }.map { $0.field }
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
    let mayLackFields = after.key.kind >= .firstOfApps
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
    return try listings.openSessions().contains {
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
    let isOwn = register.stamp.replica == tables.state.replica
    guard let left = after[register.field] else {
      // A later action that added the field to an app's record was undone: nothing is there again.
      return isOwn && register.value.isEmpty && after.key.kind >= .firstOfApps
    }
    return register.value == left.value && (register.stamp == left.stamp || isOwn)
  }

  /// If an action wrote to an open fast, the other open fasts. Stamps cannot tell later which these
  /// were, because editing, or ending and undoing, restamps them.
  private func fastsBeside(_ steps: [ActionStep]) throws(ReplicaError) -> [ActionStep] {
    guard steps.contains(where: { $0.before.map(isOpenFast) ?? false }) else { return [] }
    let written = Set(steps.map { $0.after.record.key })
    var beside: [ActionStep] = []
    for fast in try listings.openSessions() {
      let key = RecordKey(kind: .session, id: fast.id.bytes)
      guard !written.contains(key), let record = try records.record(key) else { continue }
      beside.append(ActionStep(before: record, after: Offer(record: record, written: [])))
    }
    return beside
  }
}

extension Record {
  /// Whether the record is deleted, and each of its fields is of the same write as in another copy:
  /// no device wrote to it since.
  fileprivate func isStillDeleted(as other: Record?) -> Bool {
    guard isDeleted, let other, registers.count == other.registers.count else { return false }
    return zip(registers, other.registers).allSatisfy {
      $0.field == $1.field && $0.stamp == $1.stamp
    }
  }
}

extension RecordKind {
  /// The least of the kinds that apps may bring. Those below are the protocol's.
  package static let firstOfApps = RecordKind(rawValue: 1024)
}
