// SPDX-License-Identifier: Apache-2.0
// A short local journal of user actions. Never synced.

import AtrestReplication
import AtrestWire

/// An action's effect on one record. If `after.written` is empty, the record is a fast that was
/// open beside the ones that the action wrote; or, in an action too large to be undone, a record
/// that shows a kind that it wrote to.
struct ActionStep {
  /// The record before; nil if there was none.
  var before: Record?
  /// The record after, and the fields written.
  var after: Offer

  /// The kind of record that the step is about: for a journal entry, that of the record it lists.
  /// Writing a losing value back belongs to the app whose value it is.
  var subject: RecordKind {
    let key = after.record.key
    guard key.kind == .conflict else { return key.kind }
    return (try? Conflict(before ?? after.record))?.key.kind ?? key.kind
  }

  /// The step as it is stored.
  var row: ActionStepRow {
    ActionStepRow(before: before?.encoded, after: after.encoded)
  }
}

/// An action of the journal.
struct LoggedAction {
  let sequence: Int64
  let action: UserAction
  /// By this device's clock.
  let at: WallTime
  let steps: [ActionStep]
}

/// The latest user actions on this device.
struct ActionLog<Tables: ReplicaTables> {
  private let tables: Tables
  private let records: RecordTable<Tables>

  init(_ tables: Tables) {
    self.tables = tables
    records = RecordTable(tables)
  }

  /// Adds an action.
  func append(
    _ what: UserAction, at now: WallTime, _ steps: [ActionStep]
  ) throws(ReplicaError) {
    let kept = steps.count <= UserAction.recordLimit ? steps : Self.oneOfEachKind(steps)
    try tables.insertAction(what.rawValue, at: now, kept.map { $0.row })
    try trim(at: now)
  }

  /// A step for each kind that an action wrote to, without written fields: there is nothing to
  /// undo, but it is known whose action it was.
  private static func oneOfEachKind(_ steps: [ActionStep]) -> [ActionStep] {
    var kinds: Set<RecordKind> = []
    return steps.filter { kinds.insert($0.subject).inserted }.map { step in
      ActionStep(before: step.before, after: Offer(record: step.after.record, written: []))
    }
  }

  /// The latest action, among all or of one kind; nil if none is recorded.
  func latest(_ kind: UserAction?) throws(ReplicaError) -> LoggedAction? {
    try latest(of: kind?.rawValue) { _ in true }
  }

  /// The latest action with a step about one of some kinds of record; nil if none is recorded.
  ///
  /// - Complexity: O(the steps of the actions since).
  func latest(about kinds: Set<RecordKind>) throws(ReplicaError) -> LoggedAction? {
    try latest(of: nil) { action in action.steps.contains { kinds.contains($0.subject) } }
  }

  private func latest(
    of what: Int?, where isWanted: (LoggedAction) -> Bool
  ) throws(ReplicaError) -> LoggedAction? {
    var sequence: Int64?
    while let row = try tables.newestAction(of: what, before: sequence) {
      if let action = try action(of: row), isWanted(action) { return action }
      sequence = row.sequence
    }
    return nil
  }

  /// Marks a row that is no action: the records that an import had brought, as an undo deleted
  /// them. Kept as long as actions are.
  private static var undoneImport: Int { 1000 }

  /// Keeps the records that the undo of an import deleted.
  func keepUndoneImport(_ deleted: [Record], at now: WallTime) throws(ReplicaError) {
    guard !deleted.isEmpty else { return }
    let steps = deleted.map { ActionStep(before: nil, after: Offer(record: $0, written: [])) }
    try tables.insertAction(Self.undoneImport, at: now, steps.map { $0.row })
    try trim(at: now)
  }

  /// The records that undone imports had brought, as the latest undo deleted them.
  func undoneImports(at now: WallTime) throws(ReplicaError) -> [RecordKey: Record] {
    let earliest = now.advanced(by: -UserAction.retentionMilliseconds)
    var deleted: [RecordKey: Record] = [:]
    var sequence: Int64?
    while let row = try tables.newestAction(of: Self.undoneImport, before: sequence),
      row.at >= earliest
    {
      for step in try tables.actionSteps(row.sequence) {
        let record = try decode(step.after).record
        if deleted[record.key] == nil { deleted[record.key] = record }
      }
      sequence = row.sequence
    }
    return deleted
  }

  /// The action of a row; nil for one of a newer version, and for a row that is none.
  private func action(of row: ActionRow) throws(ReplicaError) -> LoggedAction? {
    guard let action = UserAction(rawValue: row.what) else { return nil }
    var steps: [ActionStep] = []
    for step in try tables.actionSteps(row.sequence) {
      var before: Record?
      if let bytes = step.before { before = try records.decode(bytes) }
      steps.append(ActionStep(before: before, after: try decode(step.after)))
    }
    return LoggedAction(sequence: row.sequence, action: action, at: row.at, steps: steps)
  }

  /// Removes an action.
  func remove(_ action: LoggedAction) throws(ReplicaError) {
    try tables.removeAction(action.sequence)
  }

  /// Keeps some steps of an action alone; removes it if there are none.
  func keep(_ steps: [ActionStep], of action: LoggedAction) throws(ReplicaError) {
    guard !steps.isEmpty else { return try remove(action) }
    try tables.setActionSteps(action.sequence, steps.map { $0.row })
  }

  /// Removes actions that exceed the count or age limit. A clock that was set back removes nothing.
  func trim(at now: WallTime) throws(ReplicaError) {
    guard let newest = try tables.newestAction(of: nil, before: nil) else { return }
    try tables.removeActions(
      before: now.advanced(by: -UserAction.retentionMilliseconds),
      orThrough: max(newest.sequence, Int64(UserAction.limit)) - Int64(UserAction.limit))
  }

  private func decode(_ bytes: [UInt8]) throws(ReplicaError) -> Offer {
    do { return try Offer(decoding: bytes) } catch { throw tables.damaged() }
  }
}
