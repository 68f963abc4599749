// SPDX-License-Identifier: Apache-2.0
// Writes back what lost in a conflict.

import AtrestReplication
import AtrestWire

extension UnitOfWork {
  /// Journal entries that are not deleted, newest first. The server deletes those that ended; no
  /// clock of this device has a say.
  package func conflicts() throws(ReplicaError) -> [Conflict] {
    try records.all(.conflict) { try? Conflict($0) }.sorted {
      $0.noticed == $1.noticed ? $0.journalKey < $1.journalKey : $0.noticed > $1.noticed
    }
  }

  /// Writes back what the losing action wrote, as an ordinary new write, and deletes the journal
  /// entry. If the record was pruned, everything else that it said is written back, too.
  ///
  /// - Throws: `.invalid` if the record has not arrived yet, or would lack a required field: an
  ///   entry of an older server does not hold the record.
  package mutating func restore(_ conflict: Conflict) throws(ReplicaError) {
    let stored = try records.record(conflict.key)
    // A journal entry precedes its record in the feed, and a page may end between them.
    let isHere = stored.map { $0.reaches(conflict.kept) }
    guard isHere ?? (conflict.record != nil && !conflict.isDeletion) else {
      throw .invalid("The record itself has not arrived yet. Sync, then try again.")
    }
    let values = conflict.values(restoring: stored)
    guard conflict.isDeletion || isWhole(stored, with: values, of: conflict) else {
      throw .invalid(
        """
        The record was deleted, and what else it said is gone, so this alone cannot be written back. Write it anew.
        """)
    }
    try write(conflict.key, values.map { ($0.field, $0.value) }, deleted: conflict.isDeletion)
    _ = try delete(conflict.journalKey)
  }

  /// Whether a record with these values in it satisfies its kind's rules. Unknown kinds have none.
  private func isWhole(
    _ stored: Record?, with values: [Register], of conflict: Conflict
  ) -> Bool {
    var record = stored ?? Record(key: conflict.key)
    let deletion = Register(field: Register.deletedField, stamp: conflict.lost.stamp, value: [])
    for value in values + [deletion] {
      let stamp = record[value.field]?.stamp ?? conflict.lost.stamp
      record.set(Register(field: value.field, stamp: stamp, value: value.value))
    }
    return (try? record.checkKindRules()) != nil
  }
}

extension Record {
  /// Whether the record has a register or a later one of its field.
  fileprivate func reaches(_ register: Register) -> Bool {
    [register.field, Register.pruneFloorField].contains { field in
      self[field].map { $0.stamp >= register.stamp } ?? false
    }
  }
}
