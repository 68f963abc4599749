// SPDX-License-Identifier: Apache-2.0
// The replica as the sync engine sees it: outbox pages out, answers in, one transaction each.

import AtrestReplication
import AtrestSync
import AtrestWire

import struct AtrestReplication.Cursor

extension Replica: ReplicaStore {
  /// See `ReplicaStore`.
  public func position() async throws(ReplicaError) -> SyncPosition {
    try await reading { $0.work.position }
  }

  /// See `ReplicaStore`.
  public func nextPage(after number: UInt64) async throws(ReplicaError) -> OutboxPage {
    // Usually nothing waits, and nothing is written.
    guard try await hasWaitingWrites() else { return OutboxPage() }
    return try await writing { [pageRecords] transaction in
      try transaction.work.outbox.page(after: number, of: pageRecords)
    }
  }

  /// See `ReplicaStore`.
  public func lastRefused() async throws(ReplicaError) -> Int64 {
    try await reading { try $0.work.outbox.lastRefused() }
  }

  /// See `ReplicaStore`.
  public func retryRefused(through sequence: Int64) async throws(ReplicaError) {
    try await writing { try $0.work.outbox.retryRefused(through: sequence) }
  }

  /// See `ReplicaStore`.
  public func hasWaitingWrites() async throws(ReplicaError) -> Bool {
    try await reading { try $0.work.outbox.hasWaiting() }
  }

  /// See `ReplicaStore`.
  public func holdMassDeletion(areAllowed: Bool) async throws(ReplicaError) -> HeldDeletions? {
    // Usually there is nothing to decide, and nothing is written.
    let isQuiet = try await reading {
      try $0.work.massDeletions.decide(areAllowed: areAllowed).isSettled
    }
    if isQuiet { return nil }
    return try await writing { transaction in
      let decision = try transaction.work.massDeletions.decide(areAllowed: areAllowed)
      try transaction.work.massDeletions.hold(decision)
      return decision.held
    }
  }

  /// See `ReplicaStore`.
  public func apply(
    _ answer: ExchangeResponse, to request: ExchangeRequest, page: OutboxPage, at reading: Reading
  ) async throws(ReplicaError) -> AppliedAnswer {
    try await writing { try $0.work.apply(answer, to: request, page: page, at: reading) }
  }

  /// See `ReplicaStore`.
  public func apply(
    _ event: WatchEvent, at now: WallTime
  ) async throws(ReplicaError) -> AppliedAnswer? {
    try await writing { try $0.work.apply(event, at: now) }
  }

  /// See `ReplicaStore`.
  public func restamp(at now: WallTime) async throws(ReplicaError) {
    try await writing { try $0.work.restamp(at: now) }
  }

  /// See `ReplicaStore`.
  public func reconcileDemand() async throws(ReplicaError) -> UInt64? {
    try await reading { $0.state.mustReconcile }
  }

  /// See `ReplicaStore`.
  public func hashes() async throws(ReplicaError) -> [KeyRange.Item] {
    try await reading { try $0.work.records.hashes() }
  }

  /// See `ReplicaStore`.
  public func merge(
    records: [[UInt8]], offering wanted: [RecordKey], asKnowing head: Cursor?
  ) async throws(ReplicaError) -> AppliedAnswer {
    try await writing { try $0.work.merge(records, offering: wanted, asKnowing: head) }
  }

  /// See `ReplicaStore`.
  public func endReconcile(_ demand: UInt64) async throws(ReplicaError) {
    try await writing { $0.work.endReconcile(demand) }
  }

  /// See `ReplicaStore`.
  public func noteSync(at now: WallTime) async throws(ReplicaError) {
    try await writing { $0.work.noteSync(at: now) }
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
