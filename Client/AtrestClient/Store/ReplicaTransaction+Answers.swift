// SPDX-License-Identifier: Apache-2.0
// Stores what the server answers: acknowledgements, refusals, records, and where the replica then stands.

import Foundation
import GRDB
import Replication
import SyncProtocol

import struct Replication.Record
import struct SyncProtocol.Cursor

extension ReplicaTransaction {
  func apply(
    _ answer: ExchangeResponse, to request: ExchangeRequest, page: OutboxPage, at now: WallTime
  ) throws -> AppliedAnswer {
    // Copies of what was deleted are not kept here for longer than elsewhere, even where nobody acts any more.
    try trim()
    var applied = AppliedAnswer()
    let refused = Set(answer.refusals.map(\.index))
    guard refused.allSatisfy({ (0..<page.offers.count).contains($0) }),
      answer.superseded.allSatisfy({ $0 < page.offers.count })
    else { throw ReplicaError.invalid("an answer speaks of offers that were not made") }
    guard answer.cursor.sequence <= answer.head else {
      throw ReplicaError.invalid("an answer leads beyond the account's head")
    }

    applied.isForked = answer.refusals.contains { $0.reason == .forked }
    for refusal in answer.refusals
    where refusal.reason != .forked && !PlantedBug.refusedForgotten.isPlanted {
      try note(refusal, on: page.sequences[refusal.index])
      if refusal.reason == .clockSkew { applied.hasClockSkew = true }
    }
    let heldCount = answer.refusals.count { $0.reason == .massDeletion }
    if heldCount > 0 {
      applied.heldDeletions = HeldDeletions(count: heldCount, of: try liveCount() + heldCount)
    }
    applied.acknowledged = page.offers.count - refused.count
    applied.refused =
      answer.refusals.count { $0.reason != .forked && $0.reason != .massDeletion }
    applied.overQuota = answer.refusals.count { $0.reason == .quota }
    // A server that took nothing may have left its token as it was; then this one stays among the attempts.
    if let token = request.token, applied.acknowledged > 0 { state.tokens.confirm(token.next) }

    let isRestart = answer.isRestart(after: request.cursor, seen: request.seen)
    if isRestart {
      demandReconcile(afterLoss: true)
      applied.isRestarted = true
    }
    try merge(answer.records, into: &applied)
    try acknowledge(page, except: refused)
    state.advance(
      by: answer, from: Standing(cursor: request.cursor, seen: request.seen), isRestart: isRestart)
    state.serverOffset.learn(answer.serverTime, now: now)
    return applied
  }

  private func note(_ refusal: Refusal, on sequence: Int64) throws {
    try database.cachedStatement(
      sql: "UPDATE outbox SET refused_reason = ?, refused_message = ? WHERE sequence = ?"
    ).execute(arguments: [refusal.reason.rawValue, shown(refusal.message), sequence])
  }

  /// Takes what the server took out of the outbox: what the page held, and nothing else.
  ///
  /// An entry that is not there any more was taken out by another sync, or stamped again meanwhile. In the second case the server holds a
  /// write that this replica has given up, and does not send it back: it is merged in here. In the first that changes nothing.
  private func acknowledge(_ page: OutboxPage, except refused: Set<Int>) throws {
    if PlantedBug.laterOfferForgotten.isPlanted, let last = page.sequences.last {
      try database.execute(sql: "DELETE FROM outbox WHERE sequence > ?", arguments: [last])
    }
    var givenUp: [[UInt8]] = []
    for (index, sequence) in page.sequences.enumerated() where !refused.contains(index) {
      guard try !dequeue(sequence) else { continue }
      givenUp.append(try decodeOffer(page.offers[index]).record.encoded)
    }
    var ignored = AppliedAnswer()
    try merge(givenUp, into: &ignored)
  }

  /// The keys and hashes of all records, ascending.
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

  /// Whether a record can be read back, and offered again to a server that lost it.
  private func isStorable(_ record: Record, _ encoded: [UInt8]) -> Bool {
    record.registers.count <= Record.Limits.registers
      && encoded.count <= Record.Limits.encodedBytes
  }

  /// A server that lost something may have taken in another write since, without knowing of the one held here. It can only note that
  /// conflict if it sees this one, too.
  private func offerBeforeItGoes(_ record: Record) throws {
    guard record.key.kind != .conflict, record.key.kind != .entitlement else { return }
    // Beside a write that waits, what is held may be no whole record. Then all of it is offered: what is judged twice is noted once.
    let offer = try held(record) ?? Offer(record: record, written: [])
    let isQueued = try entries(for: record.key).contains { $0.offer == offer }
    if !isQueued { try append(offer) }
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
        received = try Record(decoding: bytes).bent(at: state.serverOffset.corrected(now))
      } catch {
        throw ReplicaError.invalid("an answer holds a record against the rules")
      }
      // A signed fact carries its own date, which is nobody's clock.
      if received.key.kind != .entitlement, let time = received.latestTime {
        state.clock.observe(time)
      }
      let canonical = received.encoded
      guard isStorable(received, canonical) else { throw tooLarge }
      let place = Place(of: received)
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
          var merged = before
          var (givesWay, isForgotten) = (false, false)
          merged.merge(received) { lost, kept in
            guard before[lost.field] == lost else { return }
            if kept.field == lost.field { givesWay = true } else { isForgotten = true }
          }
          // What was forgotten with a deletion that this replica knows to be undone would be missing from the record.
          if isForgotten, !merged.isDeleted { givesWay = true }
          let encoded = merged.encoded
          let isChanged = encoded != stored
          guard !isChanged || isStorable(merged, encoded) else { throw tooLarge }
          if givesWay, state.isAfterLoss { try offerBeforeItGoes(before) }
          if isChanged { try put(merged) } else { applied.unchanged += 1 }
        }
      } else if received.key.kind == .conflict, !received.isDeleted {
        applied.conflicts += 1
      }
    }
  }
}

/// Text from the server as it may be shown: no control characters, which could steer a terminal, and no more than a line or two.
func shown(_ text: String) -> String {
  let scalars = text.unicodeScalars.filter {
    switch $0.properties.generalCategory {
    case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
  return String(String.UnicodeScalarView(scalars.prefix(300)))
}
