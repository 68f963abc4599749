// SPDX-License-Identifier: Apache-2.0
// The tables `action` and `action_step`.

import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation
import GRDB

extension SQLiteTables {
  func insertAction(
    _ what: Int, at time: WallTime, _ steps: [ActionStepRow]
  ) throws(ReplicaError) {
    try execute("INSERT INTO action (what, at) VALUES (?, ?)", [what, time.milliseconds])
    try insertActionSteps(database.lastInsertedRowID, steps)
  }

  private func insertActionSteps(
    _ sequence: Int64, _ steps: [ActionStepRow]
  ) throws(ReplicaError) {
    for (place, step) in steps.enumerated() {
      try execute(
        "INSERT INTO action_step (action, place, before, after) VALUES (?, ?, ?, ?)",
        [sequence, place, step.before.map { Data($0) }, Data(step.after)])
    }
  }

  func newestAction(
    of what: Int?, before sequence: Int64?
  ) throws(ReplicaError) -> ActionRow? {
    try first(
      """
      SELECT sequence, what, at FROM action
      WHERE (what = ?1 OR ?1 IS NULL) AND (sequence < ?2 OR ?2 IS NULL)
      ORDER BY sequence DESC LIMIT 1
      """, [what, sequence]
    ) {
      ActionRow(
        sequence: try $0.integer(0), what: Int(truncatingIfNeeded: try $0.integer(1)),
        at: WallTime(milliseconds: try $0.integer(2)))
    }
  }

  func actionSteps(_ sequence: Int64) throws(ReplicaError) -> [ActionStepRow] {
    try all("SELECT before, after FROM action_step WHERE action = ? ORDER BY place", [sequence]) {
      ActionStepRow(before: try $0.optionalBytes(0), after: try $0.bytes(1))
    }
  }

  func setActionSteps(_ sequence: Int64, _ steps: [ActionStepRow]) throws(ReplicaError) {
    try execute("DELETE FROM action_step WHERE action = ?", [sequence])
    try insertActionSteps(sequence, steps)
  }

  func removeAction(_ sequence: Int64) throws(ReplicaError) {
    try execute("DELETE FROM action WHERE sequence = ?", [sequence])
    try execute("DELETE FROM action_step WHERE action = ?", [sequence])
  }

  func removeActions(before time: WallTime, orThrough sequence: Int64) throws(ReplicaError) {
    let removed = try execute(
      "DELETE FROM action WHERE at < ? OR sequence <= ?", [time.milliseconds, sequence])
    guard removed > 0 else { return }
    try execute("DELETE FROM action_step WHERE action NOT IN (SELECT sequence FROM action)")
  }
}
