// SPDX-License-Identifier: Apache-2.0
// Writes back what lost in a conflict.

import AtrestReplication
import AtrestWire

extension UnitOfWork {
  /// Journal entries that are not deleted and are younger than 90 days, newest first.
  package func conflicts() throws(ReplicaError) -> [Conflict] {
    let now = tables.state.serverOffset.corrected(now).milliseconds
    return try records.all(.conflict) { try? Conflict($0) }.filter {
      let (end, overflow) = $0.noticed.milliseconds
        .addingReportingOverflow(Conflict.retentionMilliseconds)
      return overflow || end > now
    }.sorted {
      $0.noticed == $1.noticed ? $0.journalKey < $1.journalKey : $0.noticed > $1.noticed
    }
  }

  /// Writes the losing value back as an ordinary new write and deletes the journal entry.
  ///
  /// If the record was pruned, the other values of the losing action are written back too.
  /// - Throws: `.invalid` if the record would still lack a required field, or has not arrived yet.
  package mutating func restore(_ conflict: Conflict) throws(ReplicaError) {
    let key = conflict.key
    let stored = try records.record(key)
    var restored = [conflict]
    // A journal entry precedes its record in the feed, and a page may end between them.
    let isHere = stored.map { $0.reaches(conflict.kept) }
    let isDeleting = conflict.lost.value == Register.deletedValue
    guard isHere ?? (!isDeleting && isWhole(nil, with: restored)) else {
      throw .invalid("The record itself has not arrived yet. Sync, then try again.")
    }
    if stored?[Register.pruneFloorField] != nil, !isWhole(stored, with: restored) {
      restored = try conflicts().filter {
        $0.key == key && $0.lost.stamp == conflict.lost.stamp
      }
      guard restored.contains(conflict), isWhole(stored, with: restored) else {
        throw .invalid(
          """
          The record was deleted, and what else it said is gone, so this alone cannot be written back. Write \
          back the entry that holds its value instead, or write it anew.
          """)
      }
    }
    let values = restored.map { $0.lost }.filter { $0.field != Register.deletedField }
    let isDeletion = values.isEmpty && conflict.lost.value == Register.deletedValue
    try write(key, values.map { ($0.field, $0.value) }, deleted: isDeletion)
    for conflict in restored { _ = try delete(conflict.journalKey) }
  }

  /// Whether a record, with the lost values of the conflicts, satisfies its kind's rules. Unknown
  /// kinds have none.
  private func isWhole(_ stored: Record?, with conflicts: [Conflict]) -> Bool {
    guard let key = conflicts.first?.key else { return true }
    var record = stored ?? Record(key: key)
    let latest = conflicts.map { $0.lost.stamp }.max()
    for conflict in conflicts {
      let lost = conflict.lost
      guard let stamp = [latest, record[lost.field]?.stamp].compactMap({ $0 }).max() else {
        continue
      }
      record.set(Register(field: lost.field, stamp: stamp, value: lost.value))
    }
    if conflicts.contains(where: { $0.lost.field != Register.deletedField }),
      let deletion = record[Register.deletedField]
    {
      record.set(Register(field: deletion.field, stamp: deletion.stamp, value: []))
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
