// SPDX-License-Identifier: Apache-2.0
// A replica's identity and clock: pairing, stamps across restarts, wrong clocks.

import AtrestDomain
import AtrestFoundation
import AtrestReplication
import AtrestSync
import AtrestTestSupport
import AtrestWire
import Foundation
import Testing

@testable import AtrestClient

@Suite("A replica's identity and clock", .timeLimit(.minutes(20)))
struct IdentityTests {
  static let hour: Int64 = 3600 * 1000

  /// Seed 0x7a12b7: the view had dropped the other write, and nothing brought it back.
  @Test(
    "joined again under another identity, holds what the account holds, also where it lost a tie")
  func tieAfterJoiningAgain() async throws {
    let server = ModelServer(clock: TestClock())
    let (mine, theirs) = (try TestReplica(5), try TestReplica(3))
    let water = try WaterEntry.sample(100)
    try await mine.replica.save(water)
    for test in [mine, theirs] { try await test.sync(server) }
    // Two writes of one time, of which this one wins as device 5's, and waits.
    for (test, amount) in [(theirs, 300), (mine, 200)] {
      try await test.replica.save(WaterEntry.sample(id: water.id, amount))
    }
    try await theirs.sync(server)
    server.state.withLock { $0.refuses = { _ in .quota } }
    try await mine.sync(server)
    try #require(try mine.replica.waterEntry(water.id)?.intake.millilitres == 200)

    try mine.replica.unpair()
    try mine.pair(1)
    server.state.withLock { $0.refuses = { _ in nil } }
    try await mine.sync(server)
    #expect(try mine.replica.waterEntry(water.id)?.intake.millilitres == 300)
    #expect(server.records == (try mine.replica.allRecords()))
  }

  /// A copy of this device pushed the deletion, too, and the server pruned the record since.
  @Test("keeps a deletion whose record was pruned, whichever identity it takes", arguments: [1, 9])
  func prunedUnderAnotherIdentity(identity: UInt64) async throws {
    let server = ModelServer(clock: TestClock())
    let mine = try TestReplica(5)
    let water = try WaterEntry.sample(100)
    try await mine.replica.save(water)
    try await mine.sync(server)
    mine.clock.advance(1000)
    try mine.replica.delete(water.key)
    let deleted = try #require(try mine.replica.record(water.key))
    server.state.withLock {
      $0.refuses = { _ in .quota }
      $0.put(deleted.pruned())
    }
    try await mine.sync(server)
    try #require(try mine.replica.record(water.key) == deleted.pruned() && mine.waitingCount == 1)

    try mine.replica.unpair()
    try mine.pair(identity)
    #expect(try mine.replica.record(water.key)?.isDeleted == true)
    server.state.withLock { $0.refuses = { _ in nil } }
    try await mine.sync(server)
    #expect(try mine.replica.record(water.key)?.isDeleted == true)
    #expect(server.records == (try mine.replica.allRecords()))
  }

  @Test("works before pairing; pairing gives everything its identity, and no other time")
  func pairing() async throws {
    let test = try TestReplica()
    let id = RecordUUID.random()
    try await test.replica.save(WaterEntry.sample(id: id, 100))
    test.clock.advance(1000)
    try await test.replica.setPreference("theme", to: "dusk")
    try await test.replica.save(Session.sample())
    let before = try test.offers()
    #expect(before.flatMap(\.record.registers).allSatisfy { $0.stamp.replica == .none })

    try test.pair(9)
    let after = try test.offers()
    #expect(after.map(\.record.key) == before.map(\.record.key))
    #expect(
      after.flatMap(\.record.registers).allSatisfy { $0.stamp.replica == ReplicaID(rawValue: 9) })
    let times = after.compactMap { $0.record.latestTime }
    #expect(times == before.compactMap { $0.record.latestTime } && Set(times).count == 3)
    for offer in after { #expect(try test.replica.record(offer.record.key) == offer.record) }
    let status = try test.replica.status()
    #expect(status.account == "home" && status.server == "127.0.0.1:7443" && status.isPaired)

    let server = ModelServer(clock: test.clock)
    try await test.sync(server)
    #expect(try test.waitingCount == 0)
    #expect(server.records == (try test.replica.allRecords()))
  }

  @Test("a paired replica is not paired over")
  func pairTwice() throws {
    let test = try TestReplica(9)
    #expect(throws: ReplicaError.alreadyPaired(account: "home")) { try test.pair(10) }
    #expect(try test.replica.status().replica == ReplicaID(rawValue: 9))
  }

  @Test(
    "a talk with the server ends when the replica joins another account meanwhile, and nothing is mixed"
  )
  func pairedAnewMeanwhile() async throws {
    let server = ModelServer(clock: TestClock())
    let (test, theirs) = (try TestReplica(1), try TestReplica(2))
    try await theirs.replica.save(WaterEntry.sample())
    try await theirs.sync(server)
    let bound = test.replica.bound(
      to: Pairing(server: "127.0.0.1:7443", account: "home"))
    let transport = ModelTransport(server: server)
    try await test.replica.offload { () throws(ReplicaError) in
      try test.replica.unpair()
      try test.replica.adopt(
        PairResponse(
          replica: ReplicaID(rawValue: 3), token: "other", accountName: "work",
          serverTime: test.clock.now()), server: "127.0.0.1:7443")
    }
    await #expect(throws: SyncError.replica(.pairingEnded)) {
      try await SyncEngine(
        store: bound, transport: transport, clock: test.clock, pacing: .instant(1)
      ).sync()
    }
    #expect(try test.replica.water().isEmpty)
    #expect(transport.calls.count == 0)
  }

  @Test("unpaired and paired again, it offers everything it holds")
  func pairAgain() async throws {
    let test = try TestReplica(9)
    let first = ModelServer(clock: test.clock)
    try await test.replica.save(WaterEntry.sample())
    try await test.sync(first)
    try test.replica.unpair()
    #expect(try !test.replica.status().isPaired)
    try await test.replica.save(Session.sample())
    try test.pair(10)
    let second = ModelServer(clock: test.clock)
    // It never had what this replica brings, so it has lost nothing.
    #expect(try await !test.sync(second).restarted)
    #expect(second.records == (try test.replica.allRecords()))
    #expect(second.records.count == 2)
    second.rollBack(to: 1)
    #expect(try await test.sync(second).restarted)
  }

  @Test("stamps only grow, over reopening and clocks that jump")
  func clockJumps() throws {
    let test = try TestReplica(9)
    var last = HybridTime(rawValue: 0)
    for jump: Int64 in [0, 5000, -Self.hour, -1_000_000 * Self.hour, 0, 1, 3_000_000 * Self.hour] {
      test.clock.set(max(0, test.clock.now().milliseconds + jump))
      let replica = try test.reopened()
      let water = try WaterEntry.sample()
      try replica.save(water)
      let stamp = try #require(try replica.record(water.key)?.latestTime)
      #expect(stamp > last)
      last = stamp
    }
  }

  @Test("an edit comes after what it edits, however far ahead that was written")
  func afterWhatIsSeen() async throws {
    let server = ModelServer(clock: TestClock())
    let (mine, theirs) = (try TestReplica(1), try TestReplica(2))
    let id = RecordUUID.random()
    theirs.clock.advance(59_000)
    try await theirs.replica.save(WaterEntry.sample(id: id, 100))
    try await theirs.sync(server)
    try await mine.sync(server)
    try await mine.replica.save(WaterEntry.sample(id: id, 200))
    #expect(try mine.replica.waterEntry(id)?.intake.millilitres == 200)
    try await mine.sync(server)
    try await theirs.sync(server)
    #expect(try theirs.replica.waterEntry(id)?.intake.millilitres == 200)
    #expect(server.journal.isEmpty)
  }

  @Test("a clock far ahead: the writes are stamped again by the server's time and taken")
  func clockAhead() async throws {
    let server = ModelServer(clock: TestClock())
    let (mine, theirs) = (try TestReplica(1), try TestReplica(2))
    let id = RecordUUID.random()
    try await mine.replica.save(WaterEntry.sample(id: id, 100))
    try await mine.sync(server)
    try await theirs.sync(server)

    mine.clock.advance(10 * 365 * 24 * Self.hour)
    try await mine.replica.save(WaterEntry.sample(id: id, 200))
    try await mine.replica.save(Session.sample())
    let report = try await mine.sync(server)
    #expect(report.refused == 0)
    #expect(try mine.waitingCount == 0)
    let limit = HybridTime(
      WallTime(milliseconds: server.state.withLock { $0.clock.now() }.milliseconds + 1000))
    #expect(server.records.allSatisfy { $0.latestTime ?? limit < limit })

    // The clock is corrected, and the excursion leaves no trace.
    mine.clock.set(TestClock().now().milliseconds + 1000)
    try await mine.replica.save(WaterEntry.sample(id: id, 300))
    #expect(try mine.offers().allSatisfy { ($0.record.latestTime?.milliseconds ?? 0) > 0 })
    try await mine.sync(server)
    try await theirs.sync(server)
    #expect(try theirs.replica.waterEntry(id)?.intake.millilitres == 300)
    #expect(try mine.replica.digest() == theirs.replica.digest())
    #expect(server.journal.isEmpty)
  }

  @Test(
    "a write that loses after its stamp was put right is replaced by the winner, and journalled")
  func restampedWriteLoses() async throws {
    let server = ModelServer(clock: TestClock())
    let (mine, theirs) = (try TestReplica(1), try TestReplica(2))
    let id = RecordUUID.random()
    try await mine.replica.save(WaterEntry.sample(id: id, 100))
    try await mine.sync(server)
    try await theirs.sync(server)
    // Mine seems to win while its clock is ahead. Theirs is 50 s ahead, which the server tolerates.
    mine.clock.advance(Self.hour)
    try await mine.replica.save(WaterEntry.sample(id: id, 200))
    theirs.clock.advance(50_000)
    try await theirs.replica.save(WaterEntry.sample(id: id, 300))
    try await theirs.sync(server)
    try await mine.sync(server)
    #expect(try mine.replica.waterEntry(id)?.intake.millilitres == 300)
    await #expect(
      try mine.replica.conflicts().map(\.lost) == [.intake(WaterEntry.sample(200).intake)])
    try await theirs.sync(server)
    #expect(try mine.replica.digest() == theirs.replica.digest())
  }

  @Test("a clock far behind is corrected from pairing on; what was written before keeps its time")
  func clockBehind() async throws {
    let clock = TestClock(1000)  // The year 1970.
    let server = ModelServer(clock: TestClock())
    let serverNow = server.state.withLock { $0.clock.now() }
    let test = try TestReplica(clock: clock)
    try await test.replica.save(WaterEntry.sample())
    clock.advance(Self.hour)
    try await test.replica.save(WaterEntry.sample())
    try test.pair(9, serverTime: serverNow)
    var times = try test.offers().compactMap { $0.record.latestTime?.wallTime.milliseconds }
    #expect(times == [1000, 1000 + Self.hour])
    try await test.sync(server)
    try await test.replica.save(WaterEntry.sample())
    times = try test.offers().compactMap { $0.record.latestTime?.wallTime.milliseconds }
    #expect(times == [serverNow.milliseconds])
  }

  @Test(
    "an answer on its way does not undo that everything is to be compared")
  func restampDuringExchange() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    try await test.replica.save(WaterEntry.sample())
    try await test.sync(server)
    // 50 s ahead, which the server tolerates: it accepts the write unchanged.
    test.clock.advance(50_000)
    try await test.replica.save(WaterEntry.sample())
    let (request, page) = try await test.attempt()
    let sent = try test.offers()
    let answer = try server.exchange(request, as: "secret-1")

    // Meanwhile another sync of the same replica learns the time. Sent writes keep their stamps.
    let quiet = ExchangeRequest(cursor: request.cursor)
    try await test.apply(try server.exchange(quiet), to: quiet)
    try await test.replica.restamp(at: test.clock.now())
    #expect(try test.offers() == sent)
    #expect(try await test.replica.reconcileDemand() != nil)

    try await test.apply(answer, to: request, page: page)
    #expect(try await test.replica.reconcileDemand() != nil)
    try await test.sync(server)
    #expect(server.records == (try test.replica.allRecords()))
  }

  /// Found by the simulator: a later entry kept the earlier one's old stamp beside its own new one
  /// and was refused for it.
  @Test("writes of one record that wait apart are stamped again alike")
  func apart() async throws {
    let server = ModelServer(clock: TestClock())
    let (mine, theirs) = (try TestReplica(1), try TestReplica(2))
    var session = try Session.sample()
    try await theirs.replica.save(session)
    for test in [theirs, mine] { try await test.sync(server) }
    mine.clock.advance(Self.hour * 24 * 365)
    session.span = try #require(
      Session.Span(start: session.span.start.advanced(bySeconds: 60), end: nil, outcome: .active))
    try await mine.replica.save(session)
    // A pull in between keeps the two entries separate.
    var other = session
    other.targetMinutes += 60
    try await theirs.replica.save(other)
    try await theirs.sync(server)
    let key = session.key
    var transport = ModelTransport(server: server)
    transport.meanwhile = { call in
      if call == 1 { try mine.replica.delete(key) }
    }
    try await mine.engine(transport).sync()
    try await mine.sync(server)
    #expect(try mine.waitingCount == 0)
    #expect(server.records.first { $0.key == session.key }?.isDeleted == true)
    #expect(server.records == (try mine.replica.allRecords()))
  }

  @Test("stamps that are put right stay after those that were right")
  func restampKeepsOrder() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    let water = try WaterEntry.sample()
    try await test.replica.save(water)
    // A pull into the record puts the next write in its own entry.
    let theirs = try #require(
      Record(
        key: water.key,
        registers: [
          Register(
            field: 9,
            stamp: Stamp(
              time: HybridTime(test.clock.now()), replica: ReplicaID(rawValue: 2)),
            value: [0x48, 0x01])
        ]))
    let start = Cursor.start
    let news = ExchangeResponse(
      records: [theirs.encoded], cursor: start, serverTime: test.clock.now())
    try await test.apply(news, to: ExchangeRequest(cursor: nil))
    test.clock.advance(10 * 60_000)
    try test.replica.delete(water.key)

    // The clock was an hour ahead all along, so the deletion's stamp is ahead and the first write's
    // is not.
    server.state.withLock { $0.clock.advance(5 * 60_000) }
    test.clock.advance(55 * 60_000)
    let time = ExchangeResponse(
      cursor: start, serverTime: server.state.withLock { $0.clock.now() })
    try await test.apply(time, to: ExchangeRequest(cursor: start))
    try await test.replica.restamp(at: test.clock.now())
    try await test.sync(server)
    #expect(server.records.map(\.isDeleted) == [true])
    #expect(server.records == (try test.replica.allRecords()))
  }

  @Test(
    "what a server lost is stamped again and taken, like what is new")
  func clockAheadOfNewServer() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    let water = try WaterEntry.sample()
    try await test.replica.save(water)
    try await test.sync(server)
    server.wipe()
    test.clock.advance(Self.hour)
    try test.replica.delete(water.key)
    let report = try await test.sync(server)
    #expect(report.refused == 0)
    #expect(try test.waitingCount == 0)
    #expect(server.records == (try test.replica.allRecords()))
  }

  @Test("a later write stays later than an earlier one of its device whose answer was lost")
  func restampedWriteFollowsLostAnswer() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    let id = RecordUUID.random()
    // Two seconds ahead, which the server tolerates.
    test.clock.advance(2000)
    try await test.replica.save(WaterEntry.sample(id: id, 100))
    var transport = ModelTransport(server: server)
    transport.cut = { _ in .afterServer }
    let engine = test.engine(transport)
    await #expect(throws: SyncError.unreachable("cut")) { _ = try await engine.sync() }
    // The second write waits behind the first, which the server has, and is refused: the clock
    // jumped ahead.
    test.clock.advance(Self.hour)
    try await test.replica.save(WaterEntry.sample(id: id, 200))
    try await test.sync(server)
    try await test.sync(server)
    #expect(try test.replica.waterEntry(id)?.intake.millilitres == 200)
  }

  @Test("a signed fact's date is nobody's clock")
  func entitlements() async throws {
    let server = ModelServer(clock: TestClock())
    let far = HybridTime(WallTime(milliseconds: 4_000_000_000_000))
    let fact = try #require(
      Record(
        key: RecordKey(kind: .entitlement, id: [1]),
        registers: [Register(field: 2, stamp: Stamp(time: far, replica: .none), value: [1])]))
    server.state.withLock { $0.put(fact) }
    let test = try TestReplica(9)
    try await test.sync(server)
    try await test.replica.save(WaterEntry.sample())
    let stamp = try #require(try test.offers().first?.record.latestTime)
    #expect(stamp < far)
    #expect(try test.replica.record(fact.key) == fact)
  }
}
