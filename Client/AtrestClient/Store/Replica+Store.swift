// SPDX-License-Identifier: Apache-2.0
// The replica as the sync engine sees it: outbox pages out, answers in, one transaction each.

import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation
import GRDB

import struct AtrestReplication.Cursor

extension Replica: ReplicaStore {
  /// See `ReplicaStore`.
  public func position() async throws(ReplicaError) -> SyncPosition {
    try await reading {
      SyncPosition(
        cursor: $0.state.cursor, lastKnownHead: $0.state.lastKnownHead,
        credential: $0.state.token)
    }
  }

  /// See `ReplicaStore`.
  public func nextPage(after number: UInt64) async throws(ReplicaError) -> OutboxPage {
    // Usually nothing waits, and nothing is written.
    guard try await hasWaitingWrites() else { return OutboxPage() }
    return try await writing { [pageRecords] transaction in
      try transaction.page(after: number, of: pageRecords)
    }
  }

  /// See `ReplicaStore`.
  public func lastRefused() async throws(ReplicaError) -> Int64 {
    try await reading {
      try Int64.fetchOne(
        $0.database,
        sql: """
          SELECT max(sequence) FROM outbox WHERE refused_reason IS NOT NULL AND refused_reason <> ?
          """, arguments: [Refusal.Reason.massDeletion.rawValue]) ?? 0
    }
  }

  /// See `ReplicaStore`.
  public func retryRefused(through sequence: Int64) async throws(ReplicaError) {
    try await writing {
      try $0.database.execute(
        sql: """
          UPDATE outbox SET refused_reason = NULL, refused_message = NULL
          WHERE sequence <= ? AND refused_reason IS NOT NULL AND refused_reason <> ?
          """, arguments: [sequence, Refusal.Reason.massDeletion.rawValue])
    }
  }

  /// See `ReplicaStore`.
  public func hasWaitingWrites() async throws(ReplicaError) -> Bool {
    try await reading {
      try Bool.fetchOne(
        $0.database,
        sql: """
          SELECT EXISTS (SELECT 1 FROM outbox
            WHERE refused_reason IS NULL AND \(ReplicaTransaction.isInOrder))
          """) ?? false
    }
  }

  /// See `ReplicaStore`.
  public func holdMassDeletion(areAllowed: Bool) async throws(ReplicaError) -> HeldDeletions? {
    // Usually there is nothing to decide, and nothing is written.
    let isQuiet = try await reading { try $0.massDeletion(areAllowed: areAllowed).isSettled }
    if isQuiet { return nil }
    return try await writing { transaction in
      let decision = try transaction.massDeletion(areAllowed: areAllowed)
      try transaction.hold(decision)
      return decision.held
    }
  }

  /// See `ReplicaStore`.
  public func apply(
    _ answer: ExchangeResponse, to request: ExchangeRequest, page: OutboxPage, at reading: Reading
  ) async throws(ReplicaError) -> AppliedAnswer {
    try await writing { try $0.apply(answer, to: request, page: page, at: reading) }
  }

  /// See `ReplicaStore`.
  public func apply(
    _ event: WatchEvent, at now: WallTime
  ) async throws(ReplicaError) -> AppliedAnswer? {
    try await writing { transaction in
      // If the head is beyond the cursor, this stream was opened for another position.
      guard transaction.state.cursor == event.after,
        transaction.state.lastKnownHead == event.after
      else { return nil }
      var applied = AppliedAnswer()
      try transaction.merge(event.records, into: &applied)
      transaction.state.cursor = event.cursor
      transaction.state.lastKnownHead = event.cursor
      // A pushed event has no round-trip time.
      transaction.state.serverOffset.learn(event.serverTime, now: now, waited: nil)
      return applied
    }
  }

  /// See `ReplicaStore`.
  public func restamp(at now: WallTime) async throws(ReplicaError) {
    try await writing { transaction in
      let server = transaction.state.serverOffset.server(at: now)
      try transaction.restamp(aheadOf: server)
      try transaction.database.execute(
        sql: """
          UPDATE outbox SET refused_reason = NULL, refused_message = NULL WHERE refused_reason = ?
          """, arguments: [Refusal.Reason.clockSkew.rawValue])
      // A write with an earlier stamp may now lose to one that it had beaten here, and which this
      // replica no longer has.
      transaction.demandReconcile(afterLoss: false)
    }
  }

  /// See `ReplicaStore`.
  public func reconcileDemand() async throws(ReplicaError) -> UInt64? {
    try await reading { $0.state.mustReconcile }
  }

  /// See `ReplicaStore`.
  public func hashes() async throws(ReplicaError) -> [KeyRange.Item] {
    try await reading { try $0.hashes() }
  }

  /// See `ReplicaStore`.
  public func merge(
    records: [[UInt8]], offering wanted: [RecordKey], asKnowing head: Cursor?
  ) async throws(ReplicaError) -> AppliedAnswer {
    try await writing { transaction in
      var applied = AppliedAnswer()
      guard transaction.state.lastKnownHead == head else {
        applied.isOvertaken = true
        return applied
      }
      try transaction.merge(records, into: &applied)
      let received = Set(records)
      for key in wanted {
        guard let held = try transaction.body(key), !received.contains(held) else { continue }
        try transaction.offerAgain(key, afterLoss: transaction.state.isAfterLoss)
      }
      return applied
    }
  }

  /// See `ReplicaStore`.
  public func endReconcile(_ demand: UInt64) async throws(ReplicaError) {
    try await writing { transaction in
      if transaction.state.mustReconcile == demand { transaction.state.mustReconcile = nil }
    }
  }

  /// See `ReplicaStore`.
  public func noteSync(at now: WallTime) async throws(ReplicaError) {
    try await writing { $0.state.lastSync = $0.state.serverOffset.corrected(now) }
  }

  /// One read transaction, off the task pool.
  func reading<Value: Sendable>(
    _ body: @escaping @Sendable (ReplicaTransaction) throws -> Value
  ) async throws(ReplicaError) -> Value {
    try await offload { () throws(ReplicaError) in try self.read(body) }
  }

  /// One write transaction, off the task pool.
  func writing<Value: Sendable>(
    _ body: @escaping @Sendable (ReplicaTransaction) throws -> Value
  ) async throws(ReplicaError) -> Value {
    try await offload { () throws(ReplicaError) in try self.write(body) }
  }
}
