// SPDX-License-Identifier: Apache-2.0
// What one changed record costs in a small account and in a large one: it should not matter which.

import AtrestDomain
import Foundation
import GRPC
import Replication
import SyncProtocol
import Transport

/// Makes offers of completed fasts, a day apart.
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
        start: Date(milliseconds: start), end: Date(milliseconds: start + 57_600_000),
        outcome: .completed)
    else { throw BenchmarkError(description: "a fast that cannot be") }
    let stamp = Stamp(
      time: HybridTime(WallTime(milliseconds: 1_600_000_000_000 + count)), replica: replica)
    var record = Record(key: RecordKey(kind: .session, id: UUID().bytes))
    record.set(Register(field: Register.deletedField, stamp: stamp, value: []))
    record.set(Register(field: SessionField.span, stamp: stamp, value: SessionField.encode(span)))
    record.set(
      Register(
        field: SessionField.target, stamp: stamp, value: SessionField.encode(targetMinutes: 960)))
    return Offer(record: record, written: record.registers.map(\.field)).encoded
  }
}

/// One account: how big it is, and what its exchanges cost.
private struct Account {
  let records: Int
  let channel: GRPCChannel
  let caller: Caller
  var source: OfferSource
  var cursor: Cursor?
  var microseconds: [Double] = []
  var processor = 0.0

  init(_ server: ServerProcess, records: Int) async throws {
    self.records = records
    caller = try await Caller(server, account: "one-change-\(records)")
    channel = try caller.channel()
    source = OfferSource(replica: caller.replica)
    for _ in 0..<(records / 100) {
      try await exchange((0..<100).map { _ in try source.next() })
    }
  }

  mutating func exchange(_ offers: [[UInt8]]) async throws {
    let answer = try await ExchangeResponse(
      decoding: channel.unary(
        Method.exchange, ExchangeRequest(cursor: cursor, offers: offers).encoded,
        metadata: caller.metadata))
    guard answer.refusals.isEmpty else {
      throw BenchmarkError(description: answer.refusals[0].message)
    }
    cursor = answer.cursor
  }

  mutating func measure(_ server: ServerProcess, exchanges: Int) async throws {
    let before = server.processorMicroseconds
    for _ in 0..<exchanges {
      let offer = try source.next()
      let time = try await seconds { try await exchange([offer]) }
      microseconds.append(time * 1e6)
    }
    processor += server.processorMicroseconds - before
  }
}

/// Prints cost and ratio; the two accounts take turns, so that a noisy minute hits both.
func measureOneChange(_ server: ServerProcess) async throws {
  print("\nAn exchange with one new record, durable, over TLS")
  row("account", "median us", "p99 us", "server us/call")
  var small = try await Account(server, records: 100)
  var large = try await Account(server, records: 100_000)
  let (rounds, exchanges) = (10, 200)
  for _ in 0..<rounds {
    try await small.measure(server, exchanges: exchanges)
    try await large.measure(server, exchanges: exchanges)
  }
  for account in [small, large] {
    let sorted = account.microseconds.sorted()
    row(
      "\(figure(Double(account.records))) records", figure(quantile(sorted, 0.5)),
      figure(quantile(sorted, 0.99)),
      figure(account.processor / Double(rounds * exchanges), decimals: 1))
  }
  let ratio =
    quantile(large.microseconds.sorted(), 0.5) / quantile(small.microseconds.sorted(), 0.5)
  print("large / small: \(figure(ratio, decimals: 2))")
  await small.channel.close()
  await large.channel.close()
}
