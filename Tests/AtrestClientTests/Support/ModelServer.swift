// SPDX-License-Identifier: Apache-2.0
// A small, correct server in memory: what the contract asks, and faults on demand.

import AtrestClient
import Foundation
import Replication
import SyncProtocol
import Synchronization

/// One account of a server, as plainly as the contract can be put.
final class ModelServer: Sendable {
  struct State {
    var epoch: UInt64 = 7
    var sequence: UInt64 = 0
    var records: [RecordKey: (sequence: UInt64, record: Record)] = [:]
    var pageRecords = Page.records
    var clock: TestClock
    var requests: [ExchangeRequest] = []
    var refuses: @Sendable (Record) -> Refusal.Reason? = { _ in nil }
  }

  let state: Mutex<State>

  init(clock: TestClock) {
    state = Mutex(State(clock: clock))
  }

  func exchange(_ request: ExchangeRequest) throws -> ExchangeResponse {
    try state.withLock { try $0.exchange(request) }
  }

  /// Forgets everything, as a server does that was replaced.
  func wipe() {
    state.withLock {
      $0.records = [:]
      $0.sequence = 0
      $0.epoch += 1
    }
  }

  /// Goes back to what it held after a sequence, without noticing: a disk that lost its last commits.
  func rollBack(to sequence: UInt64) {
    state.withLock {
      $0.records = $0.records.filter { $0.value.sequence <= sequence }
      $0.sequence = sequence
    }
  }

  var records: [Record] {
    state.withLock { $0.records.values.map(\.record).sorted { $0.key < $1.key } }
  }

  var journal: [Conflict] {
    records.filter { $0.key.kind == .conflict }.compactMap { try? Conflict($0) }
  }

  var requests: [ExchangeRequest] { state.withLock { $0.requests } }
}

extension ModelServer.State {
  mutating func exchange(_ request: ExchangeRequest) throws -> ExchangeResponse {
    requests.append(request)
    let now = clock.now()
    var refusals: [Refusal] = []
    var superseded: [UInt32] = []
    var echoes: Set<RecordKey> = []
    for (index, bytes) in request.offers.enumerated() {
      let offer = try Offer(decoding: bytes)
      let limit = HybridTime(WallTime(milliseconds: now.milliseconds + 60_000))
      if let reason = refuses(offer.record) {
        refusals.append(Refusal(index: index, reason: reason, message: "It was refused."))
        continue
      }
      let stored = records[offer.record.key]?.record
      if offer.record.registers.contains(where: { $0.stamp.time > limit && stored?[$0.field] != $0 }
      ) {
        refusals.append(Refusal(index: index, reason: .clockSkew, message: "The clock is ahead."))
        continue
      }
      do { try offer.record.checkKindRules() } catch {
        refusals.append(Refusal(index: index, reason: .invalid, message: "It breaks a rule."))
        continue
      }
      let outcome = offer.merged(into: stored, at: now)
      if outcome.isSuperseded { superseded.append(UInt32(index)) }
      if outcome.record != stored { put(outcome.record) }
      if outcome.record == offer.record {
        echoes.insert(offer.record.key)
      } else {
        echoes.remove(offer.record.key)
      }
      for conflict in outcome.conflicts where records[conflict.journalKey] == nil {
        put(conflict.journalRecord)
      }
    }
    let isKnown = request.cursor.map { $0.epoch == epoch && $0.sequence <= sequence } ?? true
    let after = isKnown ? request.cursor?.sequence ?? 0 : 0
    let feed = records.values.filter { $0.sequence > after && !echoes.contains($0.record.key) }
      .sorted { $0.sequence < $1.sequence }
    let page = feed.prefix(pageRecords)
    let more = page.count < feed.count
    return ExchangeResponse(
      refusals: refusals, superseded: superseded, records: page.map(\.record.encoded),
      cursor: Cursor(epoch: epoch, sequence: more ? page.last?.sequence ?? 0 : sequence),
      more: more, restarted: !isKnown, serverTime: now, head: sequence)
  }

  mutating func put(_ record: Record) {
    sequence += 1
    records[record.key] = (sequence, record)
  }
}

/// A way to a model server that can be cut.
struct ModelTransport: SyncTransport {
  enum Cut: CaseIterable {
    case beforeServer
    case afterServer
  }

  let server: ModelServer
  /// Asked with the number of each call, from 0.
  var cut: @Sendable (Int) -> Cut? = { _ in nil }
  /// Runs after the server answered and before the replica has the answer.
  var meanwhile: @Sendable (Int) throws -> Void = { _ in }
  let calls = Counter()

  func exchange(_ request: ExchangeRequest) async throws(SyncError) -> ExchangeResponse {
    let call = calls.next()
    let cut = cut(call)
    if cut == .beforeServer { throw .unreachable("cut") }
    do {
      // Through bytes, as on the wire.
      let answer = try server.exchange(ExchangeRequest(decoding: request.encoded))
      try meanwhile(call)
      if cut == .afterServer { throw SyncError.unreachable("cut") }
      return try ExchangeResponse(decoding: answer.encoded)
    } catch let error as SyncError {
      throw error
    } catch {
      throw .badAnswer("\(error)")
    }
  }

  func watch(
    _ request: WatchRequest, event: @Sendable (WatchEvent) async throws(SyncError) -> Bool
  ) async throws(SyncError) {
    throw .refused("this model has no stream")
  }
}

final class Counter: Sendable {
  private let value = Mutex(0)
  func next() -> Int {
    value.withLock { value in
      defer { value += 1 }
      return value
    }
  }
  var count: Int { value.withLock { $0 } }
}
