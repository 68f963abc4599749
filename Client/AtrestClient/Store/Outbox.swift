// SPDX-License-Identifier: Apache-2.0
// The queue of writes the server has not acknowledged.

import AtrestProtocol
import AtrestReplication
import Foundation
import GRDB

import struct AtrestReplication.Record

/// An entry of the outbox.
struct OutboxEntry {
  let sequence: Int64
  let key: RecordKey
  /// nil for an acknowledged record that is to be offered again as it is.
  let offer: Offer?
  let refusal: PendingWrite.WriteRefusal?
  /// Its number in the outbox's log; nil for one that was never sent, or that the server did not
  /// take. What has a number may be on the server, and never changes.
  let number: UInt64?

  /// Whether the server would not take it, and later writes of the record go without it.
  var isRefusedForGood: Bool {
    guard let refusal, number == nil else { return false }
    return !Refusal.Reason.transient.contains(refusal.reason)
  }

  /// Whether a register is one of the writes that wait in this entry.
  func wrote(_ register: Register) -> Bool {
    guard let offer, offer.written.contains(register.field) else { return false }
    return offer.record[register.field] == register
  }
}

extension ReplicaTransaction {
  private static let columns =
    "sequence, kind, id, offer, refused_reason, refused_message, number"

  /// The waiting writes of one record, oldest first.
  func entries(for key: RecordKey) throws -> [OutboxEntry] {
    try Row.fetchAll(
      database.cachedStatement(
        sql: "SELECT \(Self.columns) FROM outbox WHERE kind = ? AND id = ? ORDER BY sequence"),
      arguments: [key.kind.rawValue, Data(key.id)]
    ).map(entry)
  }

  /// The waiting write that the store names so; nil if there is none.
  func entry(_ sequence: Int64) throws -> OutboxEntry? {
    try Row.fetchOne(
      database.cachedStatement(sql: "SELECT \(Self.columns) FROM outbox WHERE sequence = ?"),
      arguments: [sequence]
    ).map(entry)
  }

  /// Calls `body` for each waiting write, oldest first. `body` may change the outbox.
  func forEachEntry(_ body: (OutboxEntry) throws -> Void) throws {
    let sequences = try Int64.fetchAll(
      database, sql: "SELECT sequence FROM outbox ORDER BY sequence")
    for sequence in sequences {
      if let entry = try entry(sequence) { try body(entry) }
    }
  }

  private func entry(_ row: Row) throws -> OutboxEntry {
    let kind = try row.decode(UInt32.self, atIndex: 1)
    var offer: Offer?
    if let bytes = try row.optionalBytes(at: 3) { offer = try decodeOffer(bytes) }
    let reason = try row.decode(Int?.self, atIndex: 4)
    let message = try row.decode(String?.self, atIndex: 5)
    return OutboxEntry(
      sequence: try row.decode(atIndex: 0),
      key: RecordKey(kind: RecordKind(rawValue: kind), id: try row.bytes(at: 2)), offer: offer,
      refusal: reason.map {
        PendingWrite.WriteRefusal(reason: Refusal.Reason(rawValue: $0), message: message ?? "")
      }, number: try row.decode(Int64?.self, atIndex: 6).map { UInt64(clamping: $0) })
  }

  func decodeOffer(_ bytes: [UInt8]) throws(ReplicaError) -> Offer {
    do { return try Offer(decoding: bytes) } catch { throw .damaged(path: path) }
  }

  /// The entry that a write of the record takes the place of: one push for many edits. Nil where
  /// there is none.
  ///
  /// That is the record's youngest entry, if it was never sent and nothing was pulled into the
  /// record since. Otherwise it holds a write that may have lost to a pulled one, or that the
  /// server may have; it is pushed as it was written, and the new one comes after it.
  /// - Parameters:
  ///   - stored: The record before the write.
  ///   - pending: The record's entries.
  func coalescing(over stored: Record?, _ pending: [OutboxEntry]) -> OutboxEntry? {
    guard let last = pending.last, let waiting = last.offer, waiting.record == stored,
      last.number == nil || Mutation.sentEntryChanged.isActive, !waiting.isHeld
    else { return nil }
    return last
  }

  /// Queues a write.
  ///
  /// - Parameter earlier: The entry whose place it takes.
  func queue(_ offer: Offer, insteadOf earlier: OutboxEntry?) throws {
    var offer = offer
    if let earlier {
      try dequeue(earlier.sequence)
      offer.written = Set(offer.written).union(earlier.offer?.written ?? []).sorted()
    }
    try append(offer)
  }

  func append(_ offer: Offer) throws {
    try database.cachedStatement(sql: "INSERT INTO outbox (kind, id, offer) VALUES (?, ?, ?)")
      .execute(arguments: [
        offer.record.key.kind.rawValue, Data(offer.record.key.id), Data(offer.encoded),
      ])
  }

  /// Gives an entry other bytes: only one that the server has not got.
  func rewrite(_ sequence: Int64, _ offer: Offer) throws {
    try database.cachedStatement(sql: "UPDATE outbox SET offer = ? WHERE sequence = ?")
      .execute(arguments: [Data(offer.encoded), sequence])
  }

  /// Queues a record as it is held, for a server that has it otherwise or not at all, unless that
  /// waits already, or a write of it, with which it comes along. After a loss that is not enough:
  /// what comes along is not judged.
  ///
  /// - Parameter afterLoss: Whether the server may have lost it.
  func offerAgain(_ key: RecordKey, afterLoss: Bool) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO outbox (kind, id, restored)
        SELECT kind, id, ?1 FROM record AS held WHERE kind = ?2 AND id = ?3 AND NOT EXISTS (
          SELECT 1 FROM outbox WHERE kind = held.kind AND id = held.id
          AND (NOT ?1 OR offer IS NULL AND restored))
        """
    ).execute(arguments: [afterLoss, key.kind.rawValue, Data(key.id)])
  }

  /// What is held of a record beside the writes that wait: those are offered as what they are. Nil
  /// if there is nothing else.
  ///
  /// Where that is no whole record the waiting writes come along, as writes: what is judged twice
  /// is noted once.
  func held(_ record: Record) throws -> Offer? {
    let waiting = try entries(for: record.key)
    let written = record.registers.filter { register in waiting.contains { $0.wrote(register) } }
    let registers = record.registers.filter { !written.contains($0) }
    guard !registers.isEmpty else { return nil }
    if let known = Record(key: record.key, registers: registers),
      (try? known.checkKindRules()) != nil
    {
      return Offer(record: known, written: [])
    }
    let along = Offer(record: record, written: written.map(\.field))
    // A deletion that waits for a person's word does not go before it.
    let isHeld = waiting.contains { entry in
      entry.isHeldDeletion && record[Register.deletedField].map(entry.wrote) == true
    }
    return isHeld ? along.withoutDeletion() : along
  }

  /// Whether there was such an entry.
  ///
  /// - Parameter number: The number it must have; nil: any or none.
  @discardableResult
  func dequeue(_ sequence: Int64, number: UInt64? = nil) throws -> Bool {
    try database.cachedStatement(
      sql: "DELETE FROM outbox WHERE sequence = ?1 AND (?2 IS NULL OR number = ?2)"
    ).execute(arguments: [sequence, number.map { Int64(clamping: $0) }])
    return database.changesCount > 0
  }
}

extension Offer {
  /// Whether it is offered for what a server may have lost. A signed fact is new, and yet written
  /// by nobody.
  var isHeld: Bool { isRestored || (written.isEmpty && record.key.kind != .entitlement) }
}
