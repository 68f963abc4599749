// SPDX-License-Identifier: Apache-2.0
// An account of a given size, filled and read by exchanges.

import AtrestDomain
import AtrestFoundation
import AtrestHTTP2
import AtrestRPC
import AtrestReplication
import AtrestWire
import Foundation

/// Generates offers of completed fasts, one a day.
struct OfferSource {
  let replica: ReplicaID
  private var count: Int64 = 0

  init(replica: ReplicaID) {
    self.replica = replica
  }

  mutating func next() throws -> [UInt8] {
    count += 1
    let start = 1_500_000_000_000 + count * 86_400_000
    guard
      let span = Session.Span(
        start: WallTime(milliseconds: start), end: WallTime(milliseconds: start + 57_600_000),
        outcome: .completed)
    else { throw BenchmarkError(description: "a fast that cannot be") }
    let stamp = Stamp(
      time: HybridTime(WallTime(milliseconds: 1_600_000_000_000 + count)), replica: replica)
    var record = Record(key: RecordKey(kind: .session, id: RecordUUID.random().bytes))
    record.set(Register(field: Register.deletedField, stamp: stamp, value: []))
    record.set(Register(field: SessionField.span, stamp: stamp, value: SessionField.encode(span)))
    record.set(
      Register(
        field: SessionField.target, stamp: stamp, value: SessionField.encode(targetMinutes: 960)))
    return Offer(record: record, written: record.registers.map(\.field)).encoded
  }
}

/// An account with one device, which speaks the protocol and stores nothing.
struct FilledAccount {
  let records: Int
  let channel: GRPCChannel
  private let caller: Caller
  private var source: OfferSource
  private var cursor: Cursor?

  /// - Parameter records: A multiple of 100.
  init(_ server: ServerProcess, name: String, records: Int) async throws {
    try await self.init(Caller(server, account: name), records: records)
    for _ in 0..<(records / 100) { try await push(nextOffers(100)) }
  }

  /// Fills nothing by itself.
  ///
  /// - Parameters:
  ///   - records: Those that `pull` expects.
  ///   - channel: A connection that others may share; nil for one of its own.
  ///   - cursor: The position of a device that was in the store before.
  init(
    _ caller: Caller, records: Int = 0, on channel: GRPCChannel? = nil, at cursor: Cursor? = nil
  ) throws {
    self.records = records
    self.caller = caller
    self.channel = try channel ?? caller.channel()
    self.cursor = cursor
    source = OfferSource(replica: caller.replica)
  }

  mutating func nextOffer() throws -> [UInt8] { try source.next() }

  mutating func nextOffers(_ count: Int) throws -> [[UInt8]] {
    try (0..<count).map { _ in try source.next() }
  }

  /// One exchange that pushes records.
  /// - Returns: The account's position after them.
  @discardableResult
  mutating func push(_ offers: [[UInt8]]) async throws -> Cursor? {
    let answer = try await exchange(ExchangeRequest(cursor: cursor, offers: offers))
    guard answer.refusals.isEmpty else {
      throw BenchmarkError(description: answer.refusals[0].message)
    }
    cursor = answer.cursor
    return cursor
  }

  /// One exchange that offers nothing.
  func check() async throws { _ = try await exchange(ExchangeRequest(cursor: cursor, offers: [])) }

  /// Reads the whole account page by page on the existing connection.
  func pull() async throws {
    var (place, count) = (Cursor?.none, 0)
    while true {
      let page = try await exchange(ExchangeRequest(cursor: place, offers: []))
      (place, count) = (page.cursor, count + page.records.count)
      guard page.more else { break }
    }
    guard count >= records else { throw BenchmarkError(description: "a pull brought too little") }
  }

  private func exchange(_ request: ExchangeRequest) async throws -> ExchangeResponse {
    try await ExchangeResponse(
      decoding: channel.unary(Method.Sync.exchange, request.encoded, metadata: caller.metadata))
  }
}
