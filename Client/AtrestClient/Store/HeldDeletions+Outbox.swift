// SPDX-License-Identifier: Apache-2.0
// Detects that most records would be deleted, and holds those deletions until a person confirms.

import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation
import GRDB

import struct AtrestReplication.Record

/// Which deletions to hold, and which are held already.
struct MassDeletionDecision {
  /// The deletions to hold; nil for none.
  var held: HeldDeletions?
  /// The outbox entries to hold.
  var entries: [Int64] = []
  /// Whether an earlier decision still holds an entry.
  var hasEarlier = false

  /// Whether nothing is held and nothing is to be held.
  var isSettled: Bool { held == nil && !hasEarlier }
}

extension ReplicaTransaction {
  /// Looks at all waiting deletions of records that the server knows as not deleted, and at all
  /// such records. The journal is not counted.
  ///
  /// O(waiting writes); O(records) if ten or more deletions wait.
  func massDeletion(areAllowed: Bool) throws -> MassDeletionDecision {
    var decision = MassDeletionDecision()
    decision.hasEarlier =
      try Bool.fetchOne(
        database, sql: "SELECT EXISTS (SELECT 1 FROM outbox WHERE refused_reason = ?)",
        arguments: [Refusal.Reason.massDeletion.rawValue]) ?? false
    guard !areAllowed else { return decision }

    var deleted: Set<RecordKey> = []
    var isNew: [RecordKey: Bool] = [:]
    let rows = try Row.fetchCursor(
      database,
      sql: "SELECT sequence, offer, number FROM outbox WHERE offer IS NOT NULL ORDER BY sequence")
    while let row = try rows.next() {
      let offer = try decodeOffer(row.bytes(at: 1))
      let key = offer.record.key
      guard key.kind != .conflict, offer.written.contains(Register.deletedField),
        let action = offer.record[Register.deletedField]
      else { continue }
      // The oldest entry tells whether the server knows the record at all.
      if isNew[key] == nil { isNew[key] = action.replaced == nil }
      guard isNew[key] == false, offer.record.isDeleted, try record(key)?.isDeleted == true else {
        continue
      }
      deleted.insert(key)
      // The server may already have an entry that was sent, so that one is not held.
      if try row.decode(Int64?.self, atIndex: 2) == nil {
        decision.entries.append(try row.decode(atIndex: 0))
      }
    }
    guard MassDeletion.mayNeedWord(deletions: deleted.count) else {
      decision.entries = []
      return decision
    }

    var live = deleted.count
    try forEachRecord { record in
      if record.key.kind != .conflict, !record.isDeleted, isNew[record.key] != true { live += 1 }
    }
    if MassDeletion.needsWord(deletions: deleted.count, of: live), !decision.entries.isEmpty {
      decision.held = HeldDeletions(count: deleted.count, of: live)
    } else {
      decision.entries = []
    }
    return decision
  }

  /// The number of live records, journal entries excluded.
  func liveCount() throws -> Int {
    var live = 0
    try forEachRecord { if $0.key.kind != .conflict, !$0.isDeleted { live += 1 } }
    return live
  }

  /// Applies a decision to the outbox.
  func hold(_ decision: MassDeletionDecision) throws {
    let reason = Refusal.Reason.massDeletion.rawValue
    try database.execute(
      sql: """
        UPDATE outbox SET refused_reason = NULL, refused_message = NULL WHERE refused_reason = ?
        """, arguments: [reason])
    let statement = try database.cachedStatement(
      sql: "UPDATE outbox SET refused_reason = ?, refused_message = ? WHERE sequence = ?")
    for sequence in decision.entries {
      try statement.execute(arguments: [reason, "It waits for your word.", sequence])
      try skip(sequence)
    }
  }

  /// Withdraws a record's held deletion because the person writes to the record again. That write
  /// is the decision, whatever was pulled in between. Other writes of the same entry keep waiting.
  /// - Returns: The deletion and the `replaced` stamp for the write that takes its place; nil if
  ///   the record has no held deletion.
  func takeBackHeldDeletion(of stored: Record?) throws -> (deletion: Register, replaced: Stamp?)? {
    guard let stored,
      let entry = try entries(for: stored.key).last(where: \.isHeldDeletion),
      let waiting = entry.offer, let deletion = waiting.record[Register.deletedField]
    else { return nil }
    let isStanding = stored[deletion.field] == deletion
    guard let offer = waiting.withoutDeletion(), let action = offer.record[deletion.field],
      offer.written.contains(action.field)
    else {
      try dequeue(entry.sequence)
      return isStanding ? (deletion, deletion.replaced) : nil
    }
    try rewrite(entry.sequence, offer)
    try database.cachedStatement(
      sql: "UPDATE outbox SET refused_reason = NULL, refused_message = NULL WHERE sequence = ?"
    ).execute(arguments: [entry.sequence])
    return isStanding ? (deletion, action.stamp) : nil
  }
}

extension OutboxEntry {
  /// Whether the entry deletes its record, was never sent, and waits for confirmation.
  var isHeldDeletion: Bool {
    guard number == nil, refusal?.reason == .massDeletion, let offer else { return false }
    return offer.record.isDeleted && offer.written.contains(Register.deletedField)
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
