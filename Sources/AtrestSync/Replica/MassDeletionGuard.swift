// SPDX-License-Identifier: Apache-2.0
// Detects that most records would be deleted, and holds those deletions until a person confirms.

import AtrestReplication
import AtrestWire

/// Which deletions to hold, and which are held already.
package struct MassDeletionDecision {
  /// The deletions to hold; nil for none.
  package var held: HeldDeletions?
  /// The outbox entries to hold.
  var entries: [Int64] = []
  /// Whether an earlier decision still holds an entry.
  var hasEarlier = false

  /// Whether nothing is held and nothing is to be held.
  package var isSettled: Bool { held == nil && !hasEarlier }
}

/// The guard of a replica's waiting deletions.
package struct MassDeletionGuard<Tables: ReplicaTables> {
  private let tables: Tables
  private let records: RecordTable<Tables>
  private let outbox: Outbox<Tables>

  /// The guard of an outbox.
  package init(_ outbox: Outbox<Tables>) {
    tables = outbox.tables
    records = outbox.records
    self.outbox = outbox
  }

  /// Looks at all waiting deletions of records that the server knows as not deleted, and at all
  /// such records. The journal is not counted.
  ///
  /// O(waiting writes); O(records) if ten or more deletions wait.
  package func decide(areAllowed: Bool) throws(ReplicaError) -> MassDeletionDecision {
    var decision = MassDeletionDecision()
    decision.hasEarlier = try tables.refusedRows().contains { $0.reason == .massDeletion }
    guard !areAllowed else { return decision }

    var deleted: Set<RecordKey> = []
    var isNew: [RecordKey: Bool] = [:]
    var entries: [Int64] = []
    try outbox.forEachEntry { entry throws(ReplicaError) in
      guard let offer = entry.offer else { return }
      let key = offer.record.key
      guard !outbox.isTaken(entry.number) else {
        isNew[key] = false
        return
      }
      guard key.kind != .conflict, offer.written.contains(Register.deletedField),
        let action = offer.record[Register.deletedField]
      else { return }
      // The oldest entry tells whether the server knows the record at all.
      if isNew[key] == nil { isNew[key] = action.replaced == nil }
      guard isNew[key] == false, offer.record.isDeleted,
        try records.record(key)?.isDeleted == true
      else { return }
      deleted.insert(key)
      // The server may already have an entry that was sent, so that one is not held.
      if entry.number == nil { entries.append(entry.sequence) }
    }
    guard MassDeletion.mayNeedWord(deletions: deleted.count) else { return decision }

    var live = deleted.count
    try records.forEachRecord { record throws(ReplicaError) in
      if record.key.kind != .conflict, !record.isDeleted, isNew[record.key] != true { live += 1 }
    }
    if MassDeletion.needsWord(deletions: deleted.count, of: live), !entries.isEmpty {
      decision.held = HeldDeletions(count: deleted.count, of: live)
      decision.entries = entries
    }
    return decision
  }

  /// Applies a decision to the outbox.
  package func hold(_ decision: MassDeletionDecision) throws(ReplicaError) {
    try outbox.clearRefusals(.massDeletion)
    for sequence in decision.entries {
      try tables.setRefusal(
        OutboxRefusal(reason: .massDeletion, message: "It waits for your word."), at: sequence)
      try outbox.skip(sequence, sparing: decision.entries)
    }
  }

  /// The entry with the deletion of a record that waits for a person's word, or nil.
  package func heldDeletion(of key: RecordKey) throws(ReplicaError) -> OutboxEntry? {
    try outbox.entries(for: key).last { $0.isHeldDeletion }
  }

  /// Withdraws a record's held deletion because the person writes to the record again. That write
  /// is the decision, whatever was pulled in between. Other writes of the same entry keep waiting.
  /// - Returns: The deletion and the `replaced` stamp for the write that takes its place; nil if
  ///   the record has no held deletion, or another action is its latest.
  func takeBack(
    of stored: Record?
  ) throws(ReplicaError) -> (deletion: Register, replaced: Stamp?)? {
    guard let stored, let entry = try heldDeletion(of: stored.key),
      let deletion = entry.offer?.record[Register.deletedField]
    else { return nil }
    let isStanding = stored[deletion.field] == deletion
    let action = try outbox.withdrawDeletion(of: entry)
    return isStanding ? (deletion, action?.stamp ?? deletion.replaced) : nil
  }
}

extension Outbox {
  /// Takes its deletion out of an entry. Other writes of the entry wait on.
  ///
  /// - Returns: The last action of those; nil if there is none, and the entry is gone.
  func withdrawDeletion(of entry: OutboxEntry) throws(ReplicaError) -> Register? {
    guard let offer = entry.offer?.withoutDeletion(),
      let action = offer.record[Register.deletedField], offer.written.contains(action.field)
    else {
      try remove(entry.sequence)
      return nil
    }
    try rewrite(entry.sequence, offer)
    try tables.setRefusal(nil, at: entry.sequence)
    return action
  }
}

extension Offer {
  /// The offer without its deletion. Field 1 reverts to the offer's previous action if it wrote
  /// one, otherwise to its acknowledged state. nil if no other write is left.
  func withoutDeletion() -> Offer? {
    guard let deletion = record[Register.deletedField] else { return self }
    var copy = self
    copy.written.removeAll { $0 == deletion.field }
    if let latest = copy.written.compactMap({ record[$0]?.stamp }).max() {
      copy.record.set(
        Register(field: deletion.field, stamp: latest, replaced: deletion.replaced, value: []))
      copy.written = (copy.written + [deletion.field]).sorted()
    } else {
      guard let acknowledged = deletion.replaced else { return nil }
      copy.record.set(Register(field: deletion.field, stamp: acknowledged, value: []))
    }
    return copy
  }
}
