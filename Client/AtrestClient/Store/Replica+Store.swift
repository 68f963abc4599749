// SPDX-License-Identifier: Apache-2.0
// The replica as the sync engine sees it: pages out of the outbox, answers in, one transaction each.

import Foundation
import GRDB
import Replication
import SyncProtocol

import struct Replication.Record
import struct SyncProtocol.Cursor

extension Replica: ReplicaStore {
  /// See `ReplicaStore`.
  public func cursor() async throws(ReplicaError) -> Cursor? {
    try await offload { () throws(ReplicaError) in try self.read { $0.state.cursor } }
  }

  /// See `ReplicaStore`.
  public func outboxPage(
    after sequence: Int64, refused: Bool
  ) async throws(ReplicaError) -> OutboxPage {
    try await offload { () throws(ReplicaError) in
      try self.read { try $0.page(after: sequence, refused: refused) }
    }
  }

  /// See `ReplicaStore`.
  public func lastRefused() async throws(ReplicaError) -> Int64 {
    try await offload { () throws(ReplicaError) in
      try self.read {
        try Int64.fetchOne(
          $0.database, sql: "SELECT max(sequence) FROM outbox WHERE refused_reason IS NOT NULL")
          ?? 0
      }
    }
  }

  /// See `ReplicaStore`.
  public func hasWaitingWrites() async throws(ReplicaError) -> Bool {
    try await offload { () throws(ReplicaError) in
      try self.read {
        try Bool.fetchOne(
          $0.database, sql: "SELECT EXISTS (SELECT 1 FROM outbox WHERE refused_reason IS NULL)")
          ?? false
      }
    }
  }

  /// See `ReplicaStore`.
  public func apply(
    _ answer: ExchangeResponse, request: Cursor?, page: OutboxPage, at now: WallTime
  ) async throws(ReplicaError) -> AppliedAnswer {
    try await offload { () throws(ReplicaError) in
      try self.write { try $0.apply(answer, request: request, page: page, at: now) }
    }
  }

  /// See `ReplicaStore`.
  public func apply(
    _ event: WatchEvent, at now: WallTime
  ) async throws(ReplicaError) -> AppliedAnswer? {
    try await offload { () throws(ReplicaError) in
      try self.write { transaction in
        guard transaction.state.cursor == event.after else { return nil }
        var applied = AppliedAnswer()
        try transaction.merge(event.records, into: &applied)
        transaction.state.cursor = event.cursor
        transaction.state.observe(server: event.serverTime, at: now)
        return applied
      }
    }
  }

  /// See `ReplicaStore`.
  public func restamp(at now: WallTime) async throws(ReplicaError) {
    try await offload { () throws(ReplicaError) in
      try self.write { transaction in
        let (server, overflow) = now.milliseconds
          .addingReportingOverflow(transaction.state.serverOffset)
        guard !overflow else { return }
        let time = HybridTime(WallTime(milliseconds: server))
        try transaction.restamp(
          as: transaction.state.replica, server: WallTime(milliseconds: server)
        ) { $0.time > time }
        // A write that now carries an earlier stamp may lose to one it had won against here, which this replica then no longer
        // holds. Reading the feed again from its start brings it back.
        transaction.state.cursor = transaction.state.cursor.map {
          Cursor(epoch: $0.epoch, sequence: 0)
        }
      }
    }
  }

  /// See `ReplicaStore`.
  public func noteSync(at now: WallTime) async throws(ReplicaError) {
    try await offload { () throws(ReplicaError) in
      try self.write { $0.state.lastSync = now }
    }
  }
}

extension ReplicaTransaction {
  func apply(
    _ answer: ExchangeResponse, request: Cursor?, page: OutboxPage, at now: WallTime
  ) throws -> AppliedAnswer {
    var applied = AppliedAnswer()
    let refused = Set(answer.refusals.map(\.index))
    guard refused.allSatisfy({ (0..<page.offers.count).contains($0) }),
      answer.superseded.allSatisfy({ $0 < page.offers.count })
    else { throw ReplicaError.invalid("an answer speaks of offers that were not made") }

    if answer.restarted || request.map({ $0.isLost(to: answer.cursor) }) ?? false {
      try queueEverything()
      applied.requeued = true
    }
    for refusal in answer.refusals {
      try database.cachedStatement(
        sql: "UPDATE outbox SET refused_reason = ?, refused_message = ? WHERE sequence = ?"
      ).execute(arguments: [
        refusal.reason.rawValue, shown(refusal.message), page.sequences[refusal.index],
      ])
      if refusal.reason == .clockSkew { applied.clockSkew = true }
    }
    try acknowledge(page, except: refused)
    applied.acknowledged = page.offers.count - refused.count
    applied.refused = refused.count

    try merge(answer.records, into: &applied)
    advance(from: request, by: answer)
    state.observe(server: answer.serverTime, at: now)
    return applied
  }

  /// Takes what the server took out of the outbox: what the page held, and nothing that came after it.
  private func acknowledge(_ page: OutboxPage, except refused: Set<Int>) throws {
    guard let first = page.sequences.first, let last = page.sequences.last else { return }
    if page.isRetry {
      for (index, sequence) in page.sequences.enumerated() where !refused.contains(index) {
        try dequeue(sequence)
      }
    } else {
      // The page held every entry of its range that was not refused, and no entry is ever added inside a range.
      try database.cachedStatement(
        sql: "DELETE FROM outbox WHERE sequence BETWEEN ? AND ? AND refused_reason IS NULL"
      ).execute(arguments: [first, last])
    }
  }

  /// Moves the cursor, unless another sync that shares this replica has moved it elsewhere meanwhile.
  private func advance(from request: Cursor?, by answer: ExchangeResponse) {
    let answered = answer.cursor
    if state.cursor == request {
      state.cursor = answered
    } else if let held = state.cursor, held.epoch == answered.epoch {
      // It may also have been set back, to read again what the answer takes for held.
      let start = request.map { answer.restarted || $0.isLost(to: answered) ? 0 : $0.sequence }
      if (start ?? 0) <= held.sequence, held.sequence < answered.sequence {
        state.cursor = answered
      }
    }
  }

  /// Whether a record can be read back, and offered again to a server that lost it.
  private func isStorable(_ record: Record, _ encoded: [UInt8]) -> Bool {
    record.registers.count <= Record.Limits.registers
      && encoded.count <= Record.Limits.encodedBytes
  }

  /// Merges received records into the view.
  func merge(_ records: [[UInt8]], into applied: inout AppliedAnswer) throws {
    let tooLarge = ReplicaError.invalid("an answer makes a record too large")
    let insert = try database.cachedStatement(
      sql: "INSERT INTO record (kind, id, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
    for bytes in records {
      let received: Record
      do { received = try Record(decoding: bytes) } catch {
        throw ReplicaError.invalid("an answer holds a record against the rules")
      }
      // A signed fact carries its own date, which is nobody's clock.
      if received.key.kind != .entitlement, let time = received.latestTime {
        state.clock.observe(time)
      }
      let canonical = received.encoded
      guard isStorable(received, canonical) else { throw tooLarge }
      try insert.execute(arguments: [
        received.key.kind.rawValue, Data(received.key.id), Data(canonical),
      ])
      if database.changesCount == 0 {
        guard let stored = try body(received.key) else { continue }
        if stored == bytes {
          applied.unchanged += 1
        } else {
          var merged = try decode(stored, of: received.key)
          merged.merge(received)
          let encoded = merged.encoded
          let isChanged = encoded != stored
          guard !isChanged || isStorable(merged, encoded) else { throw tooLarge }
          if isChanged { try put(merged) } else { applied.unchanged += 1 }
        }
      } else if received.key.kind == .conflict, !received.isDeleted {
        applied.conflicts += 1
      }
    }
  }
}

extension Cursor {
  /// Whether a server that answers with `other` no longer has what this cursor stands for.
  func isLost(to other: Cursor) -> Bool {
    epoch != other.epoch || sequence > other.sequence
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
