// SPDX-License-Identifier: Apache-2.0
// Stores the server's answers: acknowledgements, refusals, records and the new cursor.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation
import GRDB

import struct AtrestReplication.Cursor
import struct AtrestReplication.Record

extension ReplicaTransaction {
  func apply(
    _ answer: ExchangeResponse, to request: ExchangeRequest, page: OutboxPage, at reading: Reading
  ) throws -> AppliedAnswer {
    // Trims the undo journal too: its copies of deleted records must not outlive those elsewhere,
    // even if the person does nothing more on this device.
    try trim()
    var applied = AppliedAnswer()
    let refused = Set(answer.refusals.map(\.index))
    guard refused.allSatisfy({ (0..<page.offers.count).contains($0) }),
      answer.superseded.allSatisfy({ $0 < page.offers.count })
    else { throw ReplicaError.invalid("an answer speaks of offers that were not made") }
    guard answer.cursor.sequence <= answer.head.sequence else {
      throw ReplicaError.invalid("an answer leads beyond the account's head")
    }
    if state.hasOvertaken(answer, to: request) {
      applied.isOvertaken = true
      return applied
    }

    state.serverOffset.learn(answer.serverTime, now: reading.now, waited: reading.waited)
    state.isServerClockDoubtful = answer.isClockDoubtful
    let judged = try judgedOffers(answer, request, page, &applied)
    // Offers are not echoed back, so an answer about another replica's outbox cannot be applied.
    if applied.isForked { return applied }
    for refusal in answer.refusals where judged.contains(refusal.index) {
      try note(refusal, on: page, refusal.index)
      if refusal.reason == .clockSkew { applied.hasClockSkew = true }
    }
    let refusals = answer.refusals.filter { judged.contains($0.index) }
    let heldCount = refusals.count { $0.reason == .massDeletion }
    if heldCount > 0 {
      applied.heldDeletions = HeldDeletions(count: heldCount, of: try liveCount() + heldCount)
    }
    applied.acknowledged = judged.count - refusals.count
    applied.refused = refusals.count { $0.reason != .massDeletion }
    applied.overQuota = refusals.count { $0.reason == .quota }

    if answer.isRestart(after: request) {
      demandReconcile(afterLoss: true)
      applied.isRestarted = true
    }
    try merge(answer.records, into: &applied)
    try acknowledge(page, judged.subtracting(refused))
    state.advance(by: answer, to: request)
    return applied
  }

  /// The indices of the offers that the server judged. If the server is at a position that is not
  /// in this replica's past, it judged none of them, whatever its numbers say.
  private func judgedOffers(
    _ answer: ExchangeResponse, _ request: ExchangeRequest, _ page: OutboxPage,
    _ applied: inout AppliedAnswer
  ) throws -> Set<Int> {
    guard let segment = request.segment, !page.offers.isEmpty else { return [] }
    guard let position = answer.takenThrough else {
      throw ReplicaError.invalid("an answer does not say what became of the offers")
    }
    guard try isInPast(position) else {
      applied.isForked = true
      return []
    }
    state.confirmedToken = position.token
    let judged = segment.numbers.indices.filter { segment.numbers[$0] <= position.number }
    applied.isUnread = judged.count < segment.numbers.count
    return Set(judged)
  }

  /// Records a refusal. The entry loses its number: what is offered next may differ from what was
  /// refused.
  private func note(_ refusal: Refusal, on page: OutboxPage, _ index: Int) throws {
    try database.cachedStatement(
      sql: """
        UPDATE outbox SET refused_reason = ?, refused_message = ?, number = NULL
        WHERE sequence = ? AND number = ?
        """
    ).execute(arguments: [
      refusal.reason.rawValue, shown(refusal.message), page.sequences[index],
      page.segment.map { Int64(clamping: $0.numbers[index]) },
    ])
    guard database.changesCount > 0 else { return }
    if Refusal.Reason.transient.contains(refusal.reason) {
      try releaseNumbers(after: page.sequences[index])
    } else {
      try skip(page.sequences[index])
    }
  }

  /// Later writes of the record lose their numbers: whoever sends them next does so after the
  /// refused one. A server that was sent them beside it has refused them, too; one that is still to
  /// get them must not judge them, because it may have been told by then that the refusal is
  /// settled.
  private func releaseNumbers(after refused: Int64) throws {
    try database.cachedStatement(
      sql: """
        UPDATE outbox SET number = NULL WHERE sequence > ?1 AND EXISTS (
          SELECT 1 FROM outbox AS earlier WHERE earlier.sequence = ?1
          AND earlier.kind = outbox.kind AND earlier.id = outbox.id)
        """
    ).execute(arguments: [refused])
    if database.changesCount > 0 { try noteNumbersWithdrawn() }
  }

  /// Detaches later unsent writes of the record from a refused one: they replace what it replaced.
  func skip(_ refused: Int64) throws {
    guard let entry = try entry(refused), let offer = entry.offer else { return }
    let skipped = offer.record.registers.filter(entry.wrote)
    // Every later entry with one of these registers, written or carried along, gets the corrected
    // one.
    var corrected: [Register: Register] = [:]
    for later in try entries(for: entry.key)
    where later.sequence > refused && later.number == nil {
      guard var changed = later.offer else { continue }
      for register in changed.record.registers {
        if later.wrote(register),
          let under = skipped.first(where: {
            $0.field == register.field && $0.stamp == register.replaced
          })
        {
          corrected[register] = Register(
            field: register.field, stamp: register.stamp, replaced: under.replaced,
            value: register.value)
        }
        if let right = corrected[register] { changed.record.set(right) }
      }
      if changed != later.offer { try rewrite(later.sequence, changed) }
    }
    guard !corrected.isEmpty, var held = try record(entry.key) else { return }
    for register in held.registers {
      if let right = corrected[register] { held.set(right) }
    }
    try put(held)
  }

  /// Removes acknowledged entries from the outbox, and only those of the page. If an entry no
  /// longer has its number, another sync of this replica settled it.
  private func acknowledge(_ page: OutboxPage, _ taken: Set<Int>) throws {
    for (index, sequence) in page.sequences.enumerated() where taken.contains(index) {
      try dequeue(sequence, number: page.segment?.numbers[index])
    }
  }

  /// The keys and hashes of all records, ascending by key.
  func hashes() throws -> [KeyRange.Item] {
    var items: [KeyRange.Item] = []
    let rows = try Row.fetchCursor(
      database, sql: "SELECT kind, id, body FROM record ORDER BY kind, id")
    while let row = try rows.next() {
      let kind = RecordKind(rawValue: try row.decode(UInt32.self, atIndex: 0))
      items.append(
        KeyRange.Item(
          key: RecordKey(kind: kind, id: try row.bytes(at: 1)).storageKey,
          hash: Fingerprint.hash(ofRecord: try row.bytes(at: 2))))
    }
    return items
  }

  /// The part of a record that the server has.
  private func withoutWaitingWrites(_ record: Record) throws -> Record {
    let waiting = try entries(for: record.key)
    var known = Record(key: record.key)
    for register in record.registers where !waiting.contains(where: { $0.wrote(register) }) {
      known.set(register)
    }
    return known
  }

  /// Queues a record before a pulled write replaces part of it. A server that lost data may have
  /// accepted the other write without knowing this one, and can note the conflict only if it sees
  /// both.
  private func offerBeforeItGoes(_ record: Record) throws {
    guard record.key.kind != .conflict, record.key.kind != .entitlement else { return }
    guard var offer = try held(record) else { return }
    offer.isRestored = true
    let isQueued = try entries(for: record.key).contains { $0.offer == offer }
    if !isQueued { try append(offer) }
  }

  /// Whether a record waits to be offered to a server that lost it.
  private func isToBeRestored(_ key: RecordKey) throws -> Bool {
    try Bool.fetchOne(
      database.cachedStatement(
        sql: "SELECT EXISTS (SELECT 1 FROM outbox WHERE kind = ? AND id = ? AND restored)"),
      arguments: [key.kind.rawValue, Data(key.id)]) ?? false
  }

  /// Whether somebody may want back what was pruned with a deletion: this replica knows the
  /// deletion to be undone, or the journal lists an action that wrote some of it.
  private func isMissed(_ pruned: [Register], from record: Record) throws -> Bool {
    if pruned.isEmpty || !record.isDeleted { return !pruned.isEmpty }
    return try pruned.contains { register in
      let action = Conflict(
        key: record.key, field: Register.deletedField, lost: register, kept: register,
        noticed: WallTime(milliseconds: 0))
      return try self.record(action.journalKey).map { !$0.isDeleted } ?? false
    }
  }

  /// Merges received records into the view.
  func merge(_ records: [[UInt8]], into applied: inout AppliedAnswer) throws {
    let tooLarge = ReplicaError.invalid("an answer makes a record too large")
    let insert = try database.cachedStatement(
      sql: """
        INSERT INTO record (kind, id, body, state, at) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO NOTHING
        """)
    for bytes in records {
      let received: Record
      do {
        received = try Record(decoding: bytes)
      } catch {
        throw ReplicaError.invalid("an answer holds a record against the rules")
      }
      // A signed fact carries its own date, which no clock gave.
      if received.key.kind != .entitlement, let time = received.latestTime {
        state.clock.observe(time)
      }
      guard received.isStorable else { throw tooLarge }
      let canonical = received.encoded
      let place = ListingPosition(of: received)
      try insert.execute(arguments: [
        received.key.kind.rawValue, Data(received.key.id), Data(canonical),
        place?.state.rawValue, place?.at,
      ])
      if database.changesCount == 0 {
        guard let stored = try body(received.key) else { continue }
        if stored == bytes {
          applied.unchanged += 1
        } else {
          let before = try decode(stored, of: received.key)
          let floor = before.floor(with: received)
          // A waiting write may revive a record that was pruned in the meantime.
          let mine = before.lifted(to: floor)
          var merged = mine
          var givesWay = false
          var pruned: [Register] = []
          merged.merge(received.lifted(to: floor)) { lost, kept in
            guard mine[lost.field] == lost else { return }
            if kept.field == lost.field { givesWay = true } else { pruned.append(lost) }
          }
          if !merged.isStorable {
            // Only what waits here makes it too large. The server refuses that, and says so: until
            // it is settled, this replica shows what the server has.
            merged = try withoutWaitingWrites(mine)
            merged.merge(received.lifted(to: floor))
            guard merged.isStorable else { throw tooLarge }
          }
          let isChanged = merged.encoded != stored
          if try state.isAfterLoss || isToBeRestored(received.key),
            try givesWay || isMissed(pruned, from: merged)
          {
            try offerBeforeItGoes(before)
          }
          if isChanged {
            try put(merged)
            changed.received.insert(received.key)
          } else {
            applied.unchanged += 1
          }
        }
      } else {
        changed.received.insert(received.key)
        if received.key.kind == .conflict, !received.isDeleted { applied.conflicts += 1 }
      }
    }
  }
}

/// Server text made safe to show: without control characters, which could steer a terminal, and at
/// most 300 scalars long.
func shown(_ text: String) -> String {
  let scalars = text.unicodeScalars.filter { !$0.steersDisplay }
  return String(String.UnicodeScalarView(scalars.prefix(300)))
}
