// SPDX-License-Identifier: Apache-2.0
// The queue of writes the server has not acknowledged.

import Foundation
import GRDB
import Replication
import SyncProtocol

import struct Replication.Record

/// An entry of the outbox.
struct OutboxEntry {
  let sequence: Int64
  let key: RecordKey
  /// nil for an acknowledged record that is to be offered again as it is.
  let offer: Offer?
  let refusal: PendingWrite.Refusal?
  /// The times of earlier writes whose place this one took. They may have been sent, and the answer lost.
  let replaced: ClosedRange<HybridTime>?

  /// Whether a register is one of the writes that wait in this entry.
  func wrote(_ register: Register) -> Bool {
    guard let offer, offer.written.contains(register.field) else { return false }
    return offer.record[register.field] == register
  }
}

extension ReplicaTransaction {
  private static let columns =
    "sequence, kind, id, offer, refused_reason, refused_message, lowest, highest"

  /// The waiting writes of one record, oldest first.
  func entries(for key: RecordKey) throws -> [OutboxEntry] {
    try Row.fetchAll(
      database.cachedStatement(
        sql: "SELECT \(Self.columns) FROM outbox WHERE kind = ? AND id = ? ORDER BY sequence"),
      arguments: [key.kind.rawValue, Data(key.id)]
    ).map(entry)
  }

  /// Calls `body` for each waiting write, oldest first. `body` may change the outbox.
  func forEachEntry(_ body: (OutboxEntry) throws -> Void) throws {
    let sequences = try Int64.fetchAll(
      database, sql: "SELECT sequence FROM outbox ORDER BY sequence")
    for sequence in sequences {
      let row = try Row.fetchOne(
        database.cachedStatement(sql: "SELECT \(Self.columns) FROM outbox WHERE sequence = ?"),
        arguments: [sequence])
      if let row { try body(entry(row)) }
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
        PendingWrite.Refusal(reason: Refusal.Reason(rawValue: $0), message: message ?? "")
      }, replaced: try times(row.decode(atIndex: 6), row.decode(atIndex: 7)))
  }

  private func times(_ lowest: Int64?, _ highest: Int64?) throws -> ClosedRange<HybridTime>? {
    guard let lowest, let highest else { return nil }
    let low = HybridTime(rawValue: UInt64(bitPattern: lowest))
    let high = HybridTime(rawValue: UInt64(bitPattern: highest))
    guard low <= high, high <= .latest else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
    return low...high
  }

  func decodeOffer(_ bytes: [UInt8]) throws(ReplicaError) -> Offer {
    do { return try Offer(decoding: bytes) } catch { throw .damaged(path: path) }
  }

  /// Queues a write.
  ///
  /// It takes the place of the record's youngest entry if nothing was pulled into the record since: one push for many edits.
  /// Otherwise that entry holds a write that may have lost to a pulled one; it is pushed as it was written, so that the
  /// server can see and journal it, and this one comes after it.
  /// - Parameters:
  ///   - stored: The record before this write.
  ///   - pending: The record's entries.
  func queue(_ offer: Offer, over stored: Record?, pending: [OutboxEntry]) throws {
    var offer = offer
    var replaced: ClosedRange<HybridTime>?
    if let last = pending.last, let waiting = last.offer, waiting.record == stored,
      !waiting.isHeld
    {
      try dequeue(last.sequence)
      offer.written = Set(offer.written).union(waiting.written).sorted()
      replaced = last.replaced
      if let time = waiting.record.registers.filter(last.wrote).map(\.stamp.time).max() {
        replaced = min(replaced?.lowerBound ?? time, time)...max(replaced?.upperBound ?? time, time)
      }
    }
    try append(offer, replaced: replaced)
  }

  func append(_ offer: Offer, replaced: ClosedRange<HybridTime>? = nil) throws {
    try database.cachedStatement(
      sql: "INSERT INTO outbox (kind, id, offer, lowest, highest) VALUES (?, ?, ?, ?, ?)"
    ).execute(arguments: [
      offer.record.key.kind.rawValue, Data(offer.record.key.id), Data(offer.encoded),
      replaced.map { Int64(bitPattern: $0.lowerBound.rawValue) },
      replaced.map { Int64(bitPattern: $0.upperBound.rawValue) },
    ])
  }

  /// Queues a record as it is held.
  func appendHeld(_ key: RecordKey) throws {
    try database.cachedStatement(sql: "INSERT INTO outbox (kind, id) VALUES (?, ?)")
      .execute(arguments: [key.kind.rawValue, Data(key.id)])
  }

  /// Queues a record as it is held, for a server that has it otherwise or not at all, unless a write of it waits already.
  func offerAgain(_ key: RecordKey) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO outbox (kind, id)
        SELECT kind, id FROM record AS held WHERE kind = ? AND id = ? AND NOT EXISTS (
          SELECT 1 FROM outbox WHERE kind = held.kind AND id = held.id)
        """
    ).execute(arguments: [key.kind.rawValue, Data(key.id)])
  }

  /// What is held of a record beside the writes that wait: those are offered as what they are. nil if that is no whole record.
  func held(_ record: Record) throws -> Offer? {
    let waiting = try entries(for: record.key)
    let registers = record.registers.filter { register in
      !waiting.contains { $0.wrote(register) }
    }
    guard registers.count < record.registers.count else {
      return Offer(record: record, written: [])
    }
    guard !registers.isEmpty, let known = Record(key: record.key, registers: registers),
      (try? known.checkKindRules()) != nil
    else { return nil }
    return Offer(record: known, written: [])
  }

  /// Whether there was such an entry.
  @discardableResult
  func dequeue(_ sequence: Int64) throws -> Bool {
    try database.cachedStatement(sql: "DELETE FROM outbox WHERE sequence = ?")
      .execute(arguments: [sequence])
    return database.changesCount > 0
  }

  /// The youngest entry's number; 0 if there is none.
  func lastSequence() throws -> Int64 {
    try Int64.fetchOne(database, sql: "SELECT max(sequence) FROM outbox") ?? 0
  }

  /// The oldest entries above a sequence that fit a page.
  func page(after sequence: Int64, refused: Bool) throws -> OutboxPage {
    var page = OutboxPage()
    var bytes = 0
    let rows = try Row.fetchCursor(
      database.cachedStatement(
        sql: """
          SELECT sequence, kind, id, offer FROM outbox
          WHERE sequence > ? AND (refused_reason IS NOT NULL) = ? AND refused_reason IS NOT ?
          ORDER BY sequence LIMIT ?
          """),
      arguments: [sequence, refused, Refusal.Reason.massDeletion.rawValue, Page.records])
    while let row = try rows.next() {
      let offer: [UInt8]
      if let bytes = try row.optionalBytes(at: 3) {
        offer = bytes
      } else {
        let kind = try row.decode(UInt32.self, atIndex: 1)
        let key = RecordKey(kind: RecordKind(rawValue: kind), id: try row.bytes(at: 2))
        guard let record = try record(key) else { throw ReplicaError.damaged(path: path) }
        offer = try (held(record) ?? Offer(record: record, written: [])).encoded
      }
      bytes += offer.count
      if bytes > Page.recordBytes, !page.offers.isEmpty { break }
      page.sequences.append(try row.decode(atIndex: 0))
      page.offers.append(offer)
    }
    return page
  }
}

extension Offer {
  /// Whether it holds nothing new, but what a server may have lost. A signed fact is new, and yet written by nobody.
  var isHeld: Bool { written.isEmpty && record.key.kind != .entitlement }
}
