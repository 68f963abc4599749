// SPDX-License-Identifier: Apache-2.0
// A short local journal of user actions. Never synced.

import AtrestReplication
import AtrestWire

/// An action's effect on one record. If `after.written` is empty, the record is a fast that was
/// open beside the ones that the action wrote.
struct ActionStep {
  /// The record before; nil if there was none.
  var before: Record?
  /// The record after, and the fields written.
  var after: Offer
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
    let kept = steps.count <= UserAction.recordLimit ? steps : []
    try tables.insertAction(
      what.rawValue, at: now,
      kept.map { ActionStepRow(before: $0.before?.encoded, after: $0.after.encoded) })
    try trim(at: now)
  }

  /// The latest action, among all or of one kind; nil if none is recorded.
  func latest(_ kind: UserAction?) throws(ReplicaError) -> LoggedAction? {
    guard let row = try tables.newestAction(of: kind?.rawValue),
      let action = UserAction(rawValue: row.what)
    else { return nil }
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

  /// Removes actions that exceed the count or age limit. A clock that was set back removes nothing.
  func trim(at now: WallTime) throws(ReplicaError) {
    guard let newest = try tables.newestAction(of: nil) else { return }
    try tables.removeActions(
      before: now.advanced(by: -UserAction.retentionMilliseconds),
      orThrough: max(newest.sequence, Int64(UserAction.limit)) - Int64(UserAction.limit))
  }

  private func decode(_ bytes: [UInt8]) throws(ReplicaError) -> Offer {
    do { return try Offer(decoding: bytes) } catch { throw tables.damaged() }
  }
}
