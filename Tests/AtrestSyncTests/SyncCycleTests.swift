// SPDX-License-Identifier: Apache-2.0
// One sync as a state machine: what it asks for, in which order, and how it ends.

import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestSync

@Suite("A sync's state machine", .timeLimit(.minutes(20)))
struct SyncCycleTests {
  @Test("everything is pushed and pulled once, whatever is faster and whatever is repeated")
  func converges() {
    checkLaw(cases: 1000) { random in
      var world = ScriptedWorld()
      world.waiting = Array(1..<UInt64.random(in: 1...9, using: &random))
      world.feed = (0..<UInt8.random(in: 0...8, using: &random)).map { [$0] }
      let (offers, feed) = (world.waiting, world.feed)
      if random.oneIn(3) { world.demand = 1 }
      var cycle = SyncCycle()
      var underWay = UnderWay()
      var failuresInARow = 0
      underWay.take(cycle.begin())
      while underWay.outcome == nil {
        let event = underWay.next(&world, &random) { random in
          // Four of the five attempts of a call may fail.
          let fails = failuresInARow < 4 && random.oneIn(4)
          failuresInARow = fails ? failuresInARow + 1 : 0
          return fails
        }
        underWay.take(cycle.handle(event, at: now))
      }
      guard case .success(let report)? = underWay.outcome else { return false }
      return world.taken == offers && world.waiting == [] && world.pulled == feed
        && world.demand == nil && world.syncs == 1 && report.pushed == offers.count
        && report.pulled == feed.count && underWay.reports.last?.exchanges == report.exchanges
    }
  }

  /// A sync with its first request under way.
  private func asking(_ world: inout ScriptedWorld) -> (SyncCycle, UnderWay) {
    var cycle = SyncCycle(bounds: SyncBounds(attempts: 3))
    var underWay = UnderWay()
    underWay.take(cycle.begin())
    store(&cycle, &underWay, &world)
    return (cycle, underWay)
  }

  /// Runs transactions until none is asked for.
  private func store(
    _ cycle: inout SyncCycle, _ underWay: inout UnderWay, _ world: inout ScriptedWorld
  ) {
    while let request = underWay.store {
      underWay.store = nil
      underWay.take(cycle.handle(.stored(world.reply(to: request)), at: now))
    }
  }

  private func answer(
    _ cycle: inout SyncCycle, _ underWay: inout UnderWay, _ world: inout ScriptedWorld
  ) throws {
    let request = try #require(underWay.call)
    underWay.call = nil
    underWay.take(cycle.handle(.answered(world.answer(to: request), at: reading), at: now))
  }

  @Test("where nothing is new, it is one round trip")
  func quiet() throws {
    var world = ScriptedWorld()
    var (cycle, underWay) = asking(&world)
    #expect(underWay.calls == [.exchange(ExchangeRequest(cursor: nil, deviceTime: now))])
    try answer(&cycle, &underWay, &world)
    store(&cycle, &underWay, &world)
    #expect(underWay.calls.count == 1 && underWay.call == nil)
    #expect(try underWay.outcome?.get().exchanges == 1)
  }

  @Test("the next request travels while an answer is being stored, from where that leads")
  func ahead() throws {
    var world = ScriptedWorld()
    world.feed = [[1], [2], [3]]
    var (cycle, underWay) = asking(&world)
    try answer(&cycle, &underWay, &world)
    #expect(underWay.store == .nextPage(after: 0))
    underWay.store = nil
    underWay.take(cycle.handle(.stored(.page(OutboxPage())), at: now))
    guard case .apply(let stored, _, _) = underWay.store, case .exchange(let next) = underWay.call
    else {
      Issue.record("one of the two is not under way")
      return
    }
    #expect(stored.records == [[1], [2]])
    #expect(next.cursor == cursor(2))
  }

  @Test("a request that travels ahead fails only once the answer before it is stored")
  func failureAhead() throws {
    var world = ScriptedWorld()
    world.feed = [[1], [2], [3]]
    var (cycle, underWay) = asking(&world)
    try answer(&cycle, &underWay, &world)
    underWay.store = nil
    underWay.take(cycle.handle(.stored(.page(OutboxPage())), at: now))
    underWay.call = nil
    underWay.take(cycle.handle(.callFailed(.accessEnded), at: now))
    #expect(underWay.outcome == nil)
    store(&cycle, &underWay, &world)
    #expect(world.pulled == [[1], [2]])
    #expect(underWay.outcome == .failure(.accessEnded))
    #expect(underWay.reports.last?.pulled == 2, "what was stored counts")
  }

  @Test("a call is repeated as often as allowed, with growing pauses, and then given up")
  func attempts() {
    var world = ScriptedWorld()
    var (cycle, underWay) = asking(&world)
    for failures in 1...2 {
      underWay.call = nil
      underWay.take(cycle.handle(.callFailed(.unreachable("cut")), at: now))
      #expect(underWay.pause?.failures == failures)
      underWay.pause = nil
      underWay.take(cycle.handle(.waited, at: now))
    }
    #expect(Set(underWay.calls).count == 1 && underWay.calls.count == 3)
    underWay.call = nil
    underWay.take(cycle.handle(.callFailed(.unreachable("cut")), at: now))
    #expect(underWay.outcome == .failure(.unreachable("cut")))
    #expect(cycle.handle(.waited, at: now) == [], "what comes after the end is ignored")
  }

  @Test("a short pause that the server asks for is waited out; before a long one, a sync ends")
  func asked() {
    for milliseconds: Int64 in [1_000, 30_000, 30_001] {
      let waits = milliseconds <= 30_000
      var world = ScriptedWorld()
      var (cycle, underWay) = asking(&world)
      let error = failure(askingFor: milliseconds)
      underWay.call = nil
      underWay.take(cycle.handle(.callFailed(error), at: now))
      #expect(underWay.pause == (waits ? BackOff(failures: 1, after: error) : nil))
      #expect(underWay.outcome == (waits ? nil : .failure(error)))
    }
  }

  @Test("what cannot be stored ends it: a broken rule is the server's fault, a disk is not")
  func unstorable() throws {
    for (error, expected) in [
      (ReplicaError.invalid("a rule"), SyncError.badAnswer("a rule")),
      (.storage(reason: "full"), .replica(.storage(reason: "full"))),
    ] {
      var world = ScriptedWorld()
      var (cycle, underWay) = asking(&world)
      try answer(&cycle, &underWay, &world)
      // The page first, and then the answer.
      underWay.store = nil
      underWay.take(cycle.handle(.stored(.page(OutboxPage())), at: now))
      underWay.store = nil
      underWay.take(cycle.handle(.storeFailed(error), at: now))
      #expect(underWay.outcome == .failure(expected))
    }
  }

  @Test("a feed that does not move although there is more is no answer")
  func stuck() {
    var world = ScriptedWorld()
    var (cycle, underWay) = asking(&world)
    underWay.call = nil
    let stuck = ExchangeResponse(cursor: .start, more: true, serverTime: now)
    underWay.take(cycle.handle(.answered(.exchange(stuck), at: reading), at: now))
    #expect(
      underWay.outcome == .failure(.badAnswer("there is more, but the feed does not move")))
  }

  @Test("answers that other syncs overtake are asked for again, a bounded number of times")
  func overtaken() throws {
    var world = ScriptedWorld()
    var (cycle, underWay) = asking(&world)
    var pauses = 0
    while underWay.outcome == nil {
      if let request = underWay.call {
        underWay.call = nil
        underWay.take(cycle.handle(.answered(world.answer(to: request), at: reading), at: now))
      } else if case .apply = underWay.store {
        underWay.store = nil
        var applied = AppliedAnswer()
        applied.isOvertaken = true
        underWay.take(cycle.handle(.stored(.applied(applied)), at: now))
      } else if underWay.store != nil {
        let request = try #require(underWay.store)
        underWay.store = nil
        underWay.take(cycle.handle(.stored(world.reply(to: request)), at: now))
      } else {
        pauses += 1
        underWay.pause = nil
        underWay.take(cycle.handle(.waited, at: now))
      }
    }
    #expect(pauses == 49, "the first repeat is at once")
    #expect(
      underWay.outcome == .failure(.unreachable("other syncs of this replica are under way")))
  }

  @Test("an owner that gives up ends it wherever it is", arguments: 0..<6)
  func cancelled(step: Int) {
    var world = ScriptedWorld()
    world.feed = [[1], [2], [3]]
    var random = SeededRandom(seed: UInt64(step))
    var cycle = SyncCycle()
    var underWay = UnderWay()
    underWay.take(cycle.begin())
    for _ in 0..<step {
      underWay.take(
        cycle.handle(underWay.next(&world, &random) { _ in false }, at: now))
    }
    #expect(cycle.handle(.cancelled, at: now) == [.finish(.failure(.cancelled))])
  }
}
