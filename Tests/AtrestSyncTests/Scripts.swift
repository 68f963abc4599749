// SPDX-License-Identifier: Apache-2.0
// A store and a server for the machines of a sync: just enough to exchange numbers with each other.

import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestSync

/// The cursor of a commit; its name follows from its sequence.
func cursor(_ sequence: UInt64) -> Cursor { Cursor(commit: sequence * 7, sequence: sequence) }

let now = WallTime(milliseconds: 1_000_000)
let reading = Reading(now: now, waited: 0)

/// A replica and its server. Offers and records are single numbers; each page holds two of them.
struct ScriptedWorld {
  static let page = 2

  // The replica.
  var position = SyncPosition(credential: "secret")
  /// Waiting writes by their numbers in the outbox.
  var waiting: [UInt64] = []
  /// Records as they were stored, in order.
  var pulled: [[UInt8]] = []
  var demand: UInt64?
  var syncs = 0

  // The server.
  /// The feed: the record of each commit, beginning with sequence 1.
  var feed: [[UInt8]] = []
  var taken: [UInt64] = []

  mutating func reply(to request: StoreRequest) -> StoreReply {
    switch request {
    case .position: return .position(position)
    case .nextPage(let number):
      let page = waiting.filter { $0 > number }.prefix(Self.page)
      guard !page.isEmpty else { return .page(OutboxPage()) }
      return .page(
        OutboxPage(
          sequences: page.map { Int64($0) }, offers: page.map { [UInt8(truncatingIfNeeded: $0)] },
          segment: OutboxSegment(
            confirmed: .start, token: 1, settledThrough: 0, numbers: Array(page))))
    case .lastRefused: return .sequence(0)
    case .hasWaitingWrites: return .waiting(!waiting.isEmpty)
    case .holdMassDeletion: return .held(nil)
    case .apply(let answer, let attempt, _):
      var applied = AppliedAnswer()
      applied.acknowledged = attempt.page.offers.count
      waiting.removeAll { attempt.page.segment?.numbers.contains($0) ?? false }
      pulled += answer.records
      position.cursor = answer.cursor
      return .applied(applied)
    case .applyEvent(let event, _):
      guard position.cursor == event.after else { return .applied(nil) }
      pulled += event.records
      position.cursor = event.cursor
      return .applied(AppliedAnswer())
    case .reconcileDemand: return .demand(demand)
    case .hashes: return .hashes([])
    case .merge: return .applied(AppliedAnswer())
    case .renewal: return .renewal(RenewRequest(nonce: []))
    case .adopt: return .adopted(true)
    case .endReconcile(let ended):
      if demand == ended { demand = nil }
      return .done
    case .noteSync:
      syncs += 1
      return .done
    case .retryRefused, .restamp: return .done
    }
  }

  mutating func answer(to request: SyncRequest) -> SyncAnswer {
    switch request {
    case .exchange(let request):
      for number in request.segment?.numbers ?? [] where !taken.contains(number) {
        taken.append(number)
      }
      let from = Int(request.cursor?.sequence ?? 0)
      let records = Array(feed[min(from, feed.count)...].prefix(Self.page))
      let end = from + records.count
      return .exchange(
        ExchangeResponse(
          records: records, cursor: cursor(UInt64(end)), more: end < feed.count, serverTime: now,
          head: cursor(UInt64(feed.count)),
          takenThrough: request.segment.map {
            OutboxPosition(number: $0.numbers.last ?? 0, token: $0.token)
          }))
    case .reconcile:
      return .reconcile(ReconcileResponse(ranges: [], serverTime: now))
    case .renew: preconditionFailure("no copy is among these replicas")
    }
  }
}

/// What is under way for a machine: never two of a kind.
struct UnderWay {
  var store: StoreRequest?
  var call: SyncRequest?
  var pause: BackOff?
  var outcome: Result<SyncReport, SyncError>?
  /// Reports, in order.
  var reports: [SyncReport] = []
  /// Calls, in order; repeated ones too.
  var calls: [SyncRequest] = []

  mutating func take(_ actions: [SyncAction]) {
    for action in actions {
      #expect(outcome == nil, "nothing follows the end")
      switch action {
      case .perform(let request):
        #expect(store == nil, "one transaction at a time")
        store = request
      case .send(let request, let credential):
        #expect(call == nil && pause == nil, "one call at a time")
        #expect(credential == "secret")
        call = request
        calls.append(request)
      case .backOff(let backOff):
        #expect(call == nil && pause == nil, "a pause is no call")
        pause = backOff
      case .report(let report): reports.append(report)
      case .finish(let result): outcome = result
      }
    }
  }

  /// The events that may come next.
  mutating func next(
    _ world: inout ScriptedWorld, _ random: inout SeededRandom, fails: (inout SeededRandom) -> Bool
  ) -> SyncEvent {
    var choices: [Int] = []
    if store != nil { choices.append(0) }
    if call != nil { choices.append(1) }
    if pause != nil { choices.append(2) }
    switch choices[Int.random(in: 0..<choices.count, using: &random)] {
    case 0:
      guard let request = store else { break }
      store = nil
      return .stored(world.reply(to: request))
    case 1:
      guard let request = call else { break }
      call = nil
      // The server may have heard a call that failed.
      let answer = world.answer(to: request)
      return fails(&random)
        ? .callFailed(.unreachable("cut")) : .answered(answer, at: reading)
    default:
      pause = nil
    }
    return .waited
  }
}
