// SPDX-License-Identifier: Apache-2.0
// The queue of writes that the server has not acknowledged.

import AtrestReplication
import AtrestWire

/// The outbox of a replica. Files beside this one have its log (`Outbox+Log`), the pages that are
/// sent (`Outbox+Pages`) and what refusals do (`Outbox+Refusals`).
package struct Outbox<Tables: ReplicaTables> {
  /// The store.
  let tables: Tables
  /// The merged view of what is offered.
  let records: RecordTable<Tables>
  /// Random numbers, not zero.
  let nonce: () -> UInt64

  /// The outbox of a store.
  ///
  /// - Parameter nonce: Unpredictable nonzero numbers.
  package init(_ tables: Tables, nonce: @escaping () -> UInt64) {
    self.tables = tables
    records = RecordTable(tables)
    self.nonce = nonce
  }

  // MARK: Reading

  /// The waiting writes of one record that the server has not taken, oldest first.
  func untaken(for key: RecordKey) throws(ReplicaError) -> [OutboxEntry] {
    try entries(for: key).filter { !isTaken($0.number) }
  }

  /// The entries of one record, oldest first.
  package func entries(for key: RecordKey) throws(ReplicaError) -> [OutboxEntry] {
    var entries: [OutboxEntry] = []
    for row in try tables.outboxRows(of: key) { entries.append(try entry(row)) }
    return entries
  }

  /// Calls `visit` for each entry, oldest first. `visit` changes none.
  package func forEachEntry(
    _ visit: (OutboxEntry) throws(ReplicaError) -> Void
  ) throws(ReplicaError) {
    try tables.forEachOutboxRow { row throws(ReplicaError) in try visit(entry(row)) }
  }

  /// The entry with a sequence; nil if there is none.
  func entry(_ sequence: Int64) throws(ReplicaError) -> OutboxEntry? {
    guard let row = try tables.outboxRow(sequence) else { return nil }
    return try entry(row)
  }

  private func entry(_ row: OutboxRow) throws(ReplicaError) -> OutboxEntry {
    var offer: Offer?
    if let bytes = row.offer {
      do { offer = try Offer(decoding: bytes) } catch { throw tables.damaged() }
    }
    return OutboxEntry(
      sequence: row.sequence, key: row.key, offer: offer, refusal: row.refusal, number: row.number)
  }

  // MARK: Queueing

  /// The entry that a new write replaces, so that many edits need one push; nil if there is none.
  ///
  /// It is the record's newest entry, provided it was never sent and nothing was pulled into the
  /// record since. Any other entry may contain a write that lost to a pulled one, or that the
  /// server has. That entry is pushed unchanged and the new write is queued after it. So is one
  /// that was refused for its stamp: an earlier request may still bring it to a server that was put
  /// back. One that was refused for another reason is replaced: that is how a person mends it. And
  /// a record that was sent again may contain the entry's writes: see `acknowledgedPart(of:)`.
  /// - Parameters:
  ///   - stored: The record before the write.
  ///   - pending: The record's entries.
  func coalescing(over stored: Record?, _ pending: [OutboxEntry]) -> OutboxEntry? {
    guard let last = pending.last, let waiting = last.offer, waiting.record == stored,
      last.number == nil, last.refusal?.reason != .clockSkew, !waiting.isHeld
    else { return nil }
    let wasSentAlong = pending.dropLast().contains { earlier in
      waiting.record.registers.contains { last.wrote($0) && earlier.wrote($0) }
    }
    if wasSentAlong { return nil }
    return last
  }

  /// Queues a write.
  ///
  /// - Parameter earlier: The entry that the write replaces.
  func queue(_ offer: Offer, insteadOf earlier: OutboxEntry?) throws(ReplicaError) {
    var offer = offer
    if let earlier {
      try remove(earlier.sequence)
      offer.written = Set(offer.written).union(earlier.offer?.written ?? []).sorted()
    }
    try append(offer)
  }

  /// Queues a write behind all others.
  package func append(_ offer: Offer) throws(ReplicaError) {
    try tables.appendOutbox(offer.record.key, offer.encoded, isRestoring: false)
  }

  /// Replaces the bytes of an entry that the server does not have.
  func rewrite(_ sequence: Int64, _ offer: Offer) throws(ReplicaError) {
    try tables.setOffer(offer.encoded, at: sequence)
  }

  /// Removes an entry.
  package func remove(_ sequence: Int64) throws(ReplicaError) {
    try tables.removeOutboxRow(sequence)
  }

  // MARK: Offering again

  /// Queues a record's current state for a server that differs or lacks it. Does nothing if the
  /// record waits already, because a waiting write carries the whole record. After a loss a waiting
  /// write does not suffice: the server does not judge the registers that merely accompany it.
  ///
  /// - Parameter afterLoss: Whether the server may have lost the record.
  package func offerAgain(_ key: RecordKey, afterLoss: Bool) throws(ReplicaError) {
    guard try tables.recordBody(key) != nil else { return }
    let waits = try tables.outboxRows(of: key).contains {
      !afterLoss && !isTaken($0.number) || $0.isRestoring && $0.offer == nil
    }
    if !waits { try tables.appendOutbox(key, nil, isRestoring: afterLoss) }
  }

  /// Queues a record before a pulled write replaces part of it. A server that lost data may have
  /// accepted the other write without knowing this one, and can note the conflict only if it sees
  /// both.
  func offerBeforeItGoes(_ record: Record) throws(ReplicaError) {
    guard record.key.kind != .conflict, record.key.kind != .entitlement else { return }
    guard var offer = try acknowledgedPart(of: record) else { return }
    offer.isRestored = true
    let isQueued = try entries(for: record.key).contains { $0.offer == offer }
    if !isQueued { try append(offer) }
  }

  /// Offers a write that the server refused for now as restored, if it is the record's first
  /// waiting one: what it replaced was taken, and may have been the account's greatest stamp, which
  /// is left nowhere else. A later write may replace one that was never taken.
  func offerAsRestored(_ refused: OutboxEntry) throws(ReplicaError) {
    guard refused.number == nil, var offer = refused.offer, !offer.isRestored else { return }
    let first = try untaken(for: refused.key).first { $0.offer?.written.isEmpty == false }
    guard first?.sequence == refused.sequence else { return }
    offer.isRestored = true
    try rewrite(refused.sequence, offer)
  }

  /// Whether a record waits to be offered to a server that lost it.
  func isToBeRestored(_ key: RecordKey) throws(ReplicaError) -> Bool {
    try tables.outboxRows(of: key).contains { $0.isRestoring }
  }

  /// The part of a record that is in no waiting write; waiting writes are offered as themselves.
  /// nil if there is no such part.
  ///
  /// If that part is not a valid record, the waiting writes are included, as writes. The journal
  /// lists a conflict once even if it is judged twice.
  func acknowledgedPart(of record: Record) throws(ReplicaError) -> Offer? {
    let waiting = try untaken(for: record.key)
    let written = record.registers.filter { register in waiting.contains { $0.wrote(register) } }
    let registers = record.registers.filter { !written.contains($0) }
    guard !registers.isEmpty else { return nil }
    if let known = Record(key: record.key, registers: registers),
      (try? known.checkKindRules()) != nil
    {
      return Offer(record: known, written: [])
    }
    return Offer(record: record, written: written.map { $0.field })
  }
}
