// SPDX-License-Identifier: Apache-2.0
// The store's requests with their replies typed.

import AtrestReplication
import AtrestSync
import AtrestWire
import Testing

import struct AtrestReplication.Cursor

@testable import AtrestClient

extension Replica {
  func position() async throws -> SyncPosition {
    try await reply(to: .position) {
      if case .position(let position) = $0 { position } else { nil }
    }
  }

  func nextPage(after number: UInt64) async throws -> OutboxPage {
    try await reply(to: .nextPage(after: number)) {
      if case .page(let page) = $0 { page } else { nil }
    }
  }

  func lastRefused() async throws -> Int64 {
    try await reply(to: .lastRefused) { if case .sequence(let last) = $0 { last } else { nil } }
  }

  func retryRefused(through sequence: Int64) async throws {
    _ = try await perform(.retryRefused(through: sequence))
  }

  func hasWaitingWrites() async throws -> Bool {
    try await perform(.hasWaitingWrites) == .waiting(true)
  }

  func apply(
    _ answer: ExchangeResponse, to request: ExchangeRequest, page: OutboxPage, at now: WallTime
  ) async throws -> AppliedAnswer {
    let attempt = ExchangeAttempt(request: request, page: page)
    return try await reply(to: .apply(answer, to: attempt, at: Reading(now: now, waited: 0))) {
      if case .applied(let applied) = $0 { applied } else { nil }
    }
  }

  func apply(_ event: WatchResponse, at now: WallTime) async throws -> AppliedAnswer? {
    try await reply(to: .applyEvent(event, at: now)) {
      if case .applied(let applied) = $0 { .some(applied) } else { nil }
    }
  }

  func restamp(at now: WallTime) async throws { _ = try await perform(.restamp(at: now)) }

  func renewal() async throws -> RenewRequest {
    try await reply(to: .renewal) { if case .renewal(let request) = $0 { request } else { nil } }
  }

  func adopt(renewed identity: PairResponse, insteadOf credential: String?) async throws -> Bool {
    try await perform(.adopt(identity, insteadOf: credential)) == .adopted(true)
  }

  func reconcileDemand() async throws -> UInt64? {
    try await reply(to: .reconcileDemand) {
      if case .demand(let demand) = $0 { .some(demand) } else { nil }
    }
  }

  func hashes() async throws -> [KeyRange.Item] {
    try await reply(to: .hashes) { if case .hashes(let hashes) = $0 { hashes } else { nil } }
  }

  func merge(
    records: [[UInt8]], offering wanted: [RecordKey], at cursor: Cursor?
  ) async throws -> AppliedAnswer {
    try await reply(to: .merge(records: records, offering: wanted, at: cursor)) {
      if case .applied(let applied) = $0 { applied } else { nil }
    }
  }

  func endReconcile(_ demand: UInt64) async throws { _ = try await perform(.endReconcile(demand)) }

  private func reply<Value>(
    to request: StoreRequest, _ value: (StoreReply) -> Value?
  ) async throws -> Value {
    try #require(value(try await perform(request)))
  }
}
