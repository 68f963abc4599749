// SPDX-License-Identifier: Apache-2.0
// The queue of writes that the server has not acknowledged.

import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation
import GRDB

import struct AtrestReplication.Record

struct OutboxEntry {
  let sequence: Int64
  let key: RecordKey
  /// nil for an acknowledged record that is to be offered again.
  let offer: Offer?
  let refusal: PendingWrite.WriteRefusal?
  /// Its number in the outbox's log; nil for one that was never sent, or that the server did not
  /// take. What has a number may be on the server, and never changes.
  let number: UInt64?

  /// Whether the server refused it permanently, so that later writes of the record do not wait for
  /// it.
  var isRefusedForGood: Bool {
    guard let refusal, number == nil else { return false }
    return !Refusal.Reason.transient.contains(refusal.reason)
  }

  /// Whether the entry's writes include a register.
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

  /// The entry with a sequence; nil if there is none.
  func entry(_ sequence: Int64) throws -> OutboxEntry? {
    try Row.fetchOne(
      database.cachedStatement(sql: "SELECT \(Self.columns) FROM outbox WHERE sequence = ?"),
      arguments: [sequence]
    ).map(entry)
  }

  /// Calls `body` for each entry, oldest first. `body` may change the outbox.
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

  /// The entry that a new write replaces, so that many edits need one push; nil if there is none.
  ///
  /// It is the record's newest entry, provided it was never sent and nothing was pulled into the
  /// record since. Any other entry may contain a write that lost to a pulled one, or that the
  /// server has. That entry is pushed unchanged and the new write is queued after it.
  /// - Parameters:
  ///   - stored: The record before the write.
  ///   - pending: The record's entries.
  func coalescing(over stored: Record?, _ pending: [OutboxEntry]) -> OutboxEntry? {
    guard let last = pending.last, let waiting = last.offer, waiting.record == stored,
      last.number == nil, !waiting.isHeld
    else { return nil }
    return last
  }

  /// Queues a write.
  ///
  /// - Parameter earlier: The entry that the write replaces.
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

  /// Replaces the bytes of an entry that the server does not have.
  func rewrite(_ sequence: Int64, _ offer: Offer) throws {
    try database.cachedStatement(sql: "UPDATE outbox SET offer = ? WHERE sequence = ?")
      .execute(arguments: [Data(offer.encoded), sequence])
  }

  /// Queues a record's current state for a server that differs or lacks it. Does nothing if the
  /// record waits already, because a waiting write carries the whole record. After a loss a waiting
  /// write does not suffice: the server does not judge the registers that merely accompany it.
  ///
  /// - Parameter afterLoss: Whether the server may have lost the record.
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

  /// The part of a record that is in no waiting write; waiting writes are offered as themselves.
  /// nil if there is no such part.
  ///
  /// If that part is not a valid record, the waiting writes are included, as writes. The journal
  /// lists a conflict once even if it is judged twice.
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
    // A held deletion is not sent before it is confirmed.
    let isHeld = waiting.contains { entry in
      entry.isHeldDeletion && record[Register.deletedField].map(entry.wrote) == true
    }
    return isHeld ? along.withoutDeletion() : along
  }

  /// Removes an entry.
  ///
  /// - Parameter number: The number that the entry must have; nil matches any.
  /// - Returns: Whether there was such an entry.
  @discardableResult
  func dequeue(_ sequence: Int64, number: UInt64? = nil) throws -> Bool {
    try database.cachedStatement(
      sql: "DELETE FROM outbox WHERE sequence = ?1 AND (?2 IS NULL OR number = ?2)"
    ).execute(arguments: [sequence, number.map { Int64(clamping: $0) }])
    return database.changesCount > 0
  }
}

extension Offer {
  /// Whether this offers a record again because the server may have lost it. A signed fact also has
  /// an empty `written`, but is new.
  var isHeld: Bool { isRestored || (written.isEmpty && record.key.kind != .entitlement) }
}
