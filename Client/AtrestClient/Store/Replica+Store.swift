// SPDX-License-Identifier: Apache-2.0
// The replica as the sync engine sees it: pages out of the outbox, answers in, one transaction each.

import Foundation
import GRDB
import Replication
import SyncProtocol

import struct SyncProtocol.Cursor

extension Replica: ReplicaStore {
  /// See `ReplicaStore`.
  public func standing() async throws(ReplicaError) -> Standing {
    try await reading {
      Standing(cursor: $0.state.cursor, seen: $0.state.seen, credential: $0.state.token)
    }
  }

  /// See `ReplicaStore`.
  public func outboxPage(
    after sequence: Int64, refused: Bool
  ) async throws(ReplicaError) -> OutboxPage {
    if PlantedBug.outboxClearedEarly.isPlanted {
      return try await writing { transaction in
        let page = try transaction.page(after: sequence, refused: refused)
        for sequence in page.sequences { _ = try transaction.dequeue(sequence) }
        return page
      }
    }
    return try await reading { try $0.page(after: sequence, refused: refused) }
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
  public func hasWaitingWrites() async throws(ReplicaError) -> Bool {
    try await reading {
      try Bool.fetchOne(
        $0.database, sql: "SELECT EXISTS (SELECT 1 FROM outbox WHERE refused_reason IS NULL)")
        ?? false
    }
  }

  /// See `ReplicaStore`.
  public func holdMassDeletion(areAllowed: Bool) async throws(ReplicaError) -> HeldDeletions? {
    // Nearly always there is nothing to decide, and nothing is written.
    let isQuiet = try await reading { try $0.massDeletion(areAllowed: areAllowed).isSettled }
    if isQuiet { return nil }
    return try await writing { transaction in
      let decision = try transaction.massDeletion(areAllowed: areAllowed)
      try transaction.hold(decision)
      return decision.held
    }
  }

  /// See `ReplicaStore`.
  public func beginOffering() async throws(ReplicaError) -> Offering {
    try await writing {
      Offering(token: $0.state.tokens.begin($0.nonce()), through: try $0.lastSequence())
    }
  }

  /// See `ReplicaStore`.
  public func isNewestToken(
    _ next: UInt64, of credential: String?
  ) async throws(ReplicaError) -> Bool {
    try await reading { $0.state.token == credential && $0.state.tokens.isNewest(next) }
  }

  /// See `ReplicaStore`.
  public func apply(
    _ answer: ExchangeResponse, to request: ExchangeRequest, page: OutboxPage, at now: WallTime
  ) async throws(ReplicaError) -> AppliedAnswer {
    if PlantedBug.cursorMovedFirst.isPlanted {
      try await writing { $0.state.cursor = answer.cursor }
    }
    return try await writing { try $0.apply(answer, to: request, page: page, at: now) }
  }

  /// See `ReplicaStore`.
  public func apply(
    _ event: WatchEvent, at now: WallTime
  ) async throws(ReplicaError) -> AppliedAnswer? {
    try await writing { transaction in
      guard transaction.state.cursor == event.after else { return nil }
      var applied = AppliedAnswer()
      try transaction.merge(event.records, into: &applied)
      transaction.state.cursor = event.cursor
      transaction.state.see(event.cursor, from: event.after)
      transaction.state.serverOffset.learn(event.serverTime, now: now)
      return applied
    }
  }

  /// See `ReplicaStore`.
  public func restamp(at now: WallTime) async throws(ReplicaError) {
    try await writing { transaction in
      let (server, overflow) = now.milliseconds
        .addingReportingOverflow(transaction.state.serverOffset.milliseconds)
      guard !overflow else { return }
      // What was not too far ahead may have been taken, and the answer lost: it keeps its stamp.
      let limit = ReplicaTransaction.acceptedThrough(WallTime(milliseconds: server))
      try transaction.restamp(
        as: transaction.state.replica, server: WallTime(milliseconds: server)
      ) { $0.time > limit }
      // A write that now carries an earlier stamp may lose to one it had won against here, which this replica then no longer
      // holds.
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
    records: [[UInt8]], offering wanted: [RecordKey]
  ) async throws(ReplicaError) -> AppliedAnswer {
    try await writing { transaction in
      var applied = AppliedAnswer()
      try transaction.merge(records, into: &applied)
      let received = Set(records)
      for key in wanted {
        guard let held = try transaction.body(key), !received.contains(held) else { continue }
        try transaction.offerAgain(key)
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

  /// One reading transaction, off the task pool.
  func reading<Value: Sendable>(
    _ body: @escaping @Sendable (ReplicaTransaction) throws -> Value
  ) async throws(ReplicaError) -> Value {
    try await offload { () throws(ReplicaError) in try self.read(body) }
  }

  /// One writing transaction, off the task pool.
  func writing<Value: Sendable>(
    _ body: @escaping @Sendable (ReplicaTransaction) throws -> Value
  ) async throws(ReplicaError) -> Value {
    try await offload { () throws(ReplicaError) in try self.write(body) }
  }
}
