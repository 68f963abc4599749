// SPDX-License-Identifier: Apache-2.0
// A server that lost data: detected by its commit names, healed by reconciliation, and safe against
// crashes in between.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation
import Testing

@testable import AtrestClient

@Suite("A server that lost something", .timeLimit(.minutes(20)))
struct RestartTests {
  /// A server with records of another device, which answers with pages of two.
  private func server(holding count: Int) async throws -> ModelServer {
    let server = ModelServer(clock: TestClock())
    server.state.withLock { $0.pageRecords = 2 }
    let writer = try TestReplica(2)
    for _ in 0..<count { try await writer.replica.save(WaterEntry.sample()) }
    try await writer.sync(server)
    return server
  }

  @Test("and one that lost nothing: it is at a position that is named by its last commit")
  func ordinary() async throws {
    let server = ModelServer(clock: TestClock())
    let (mine, theirs) = (try TestReplica(1), try TestReplica(2))
    try await mine.replica.save(WaterEntry.sample())
    try await mine.sync(server)
    server.restore(server.backUp())
    try await theirs.replica.save(WaterEntry.sample())
    try await theirs.sync(server)
    let report = try await mine.sync(server)
    #expect(!report.restarted && report.exchanges == 1 && report.pulled == 1)
    let position = try await mine.replica.position()
    #expect(server.head.sequence == 2)
    #expect(position.cursor == server.head)
    #expect(try await mine.replica.reconcileDemand() == nil)
    #expect(try mine.replica.digest() == theirs.replica.digest())
  }

  /// The sequence alone would not reveal it: the head has grown again.
  @Test("is known by the name of a commit, also after as much was written as was lost")
  func grownAgain() async throws {
    let server = ModelServer(clock: TestClock())
    let (mine, theirs) = (try TestReplica(1), try TestReplica(2))
    for test in [mine, theirs] {
      try await test.replica.save(WaterEntry.sample())
      try await test.sync(server)
    }
    let copy = server.backUp()
    let lost = try WaterEntry.sample()
    try await mine.replica.save(lost)
    try await mine.sync(server)
    server.restore(copy)
    try await theirs.replica.save(WaterEntry.sample())
    try await theirs.sync(server)
    let known = try await mine.replica.position().cursor
    #expect(known?.sequence == server.head.sequence && known != server.head)

    #expect(try await mine.sync(server).restarted)
    #expect(server.records.contains { $0.key == lost.key })
    try await theirs.sync(server)
    #expect(try mine.replica.digest() == theirs.replica.digest())
  }

  @Test("is what a server looks like that has forgotten a position: a comparison, and no harm")
  func forgottenPosition() async throws {
    let server = ModelServer(clock: TestClock())
    let (mine, theirs) = (try TestReplica(1), try TestReplica(2))
    for test in [mine, theirs] {
      try await test.replica.save(WaterEntry.sample())
      try await test.sync(server)
    }
    for _ in 0..<5 { try await theirs.replica.save(WaterEntry.sample()) }
    try await theirs.sync(server)
    server.forgetOldPositions()
    try await mine.replica.save(WaterEntry.sample())
    let report = try await mine.sync(server)
    #expect(report.restarted && !report.isRenewed && report.pushed == 1)
    #expect(server.records == (try mine.replica.allRecords()))
    #expect(server.journal.isEmpty)
    #expect(try await !mine.sync(server).restarted)
  }

  @Test(
    "is offered again what it took, until the replica holds what preceded the head that it told",
    arguments: [6, 3])
  func takenBeyondCursor(kept: UInt64) async throws {
    let server = try await server(holding: 6)
    let mine = try TestReplica(1)
    // The first page of the feed and the acknowledgement of a later write; then the connection is
    // lost.
    let write = try WaterEntry.sample()
    try await mine.replica.save(write)
    await mine.sync(server, cutAt: 1)
    #expect(try await mine.replica.position().cursor?.sequence == 2)
    #expect(try mine.waitingCount == 1)
    server.rollBack(to: kept)
    let report = try await mine.sync(server)
    #expect(!report.restarted && report.pushed == 1)
    #expect(server.records.contains { $0.key == write.key })
    #expect(try mine.waitingCount == 0)
  }

  @Test("shows the head that it was told while a pull is under way, also after an interruption")
  func headDuringAPull() async throws {
    let server = try await server(holding: 5)
    let mine = try TestReplica(1)
    await mine.sync(server, cutAt: 1)
    #expect(try await mine.replica.position().cursor?.sequence == 2)
    server.state.withLock { $0.requests = [] }
    try await mine.sync(server)
    try await mine.sync(server)
    let (head, shown) = server.state.withLock { ($0.head, $0.requests.map(\.lastKnownHead)) }
    #expect(shown == [head, head, nil])
  }

  /// To the server the replica is new again: without the position that the replica was told, it
  /// would take the second write for the first.
  @Test("is offered again what it took under a position that it went back to, with newer writes")
  func takenUnderTheSameToken() async throws {
    let server = try await server(holding: 6)
    let mine = try TestReplica(1)
    let first = try WaterEntry.sample()
    try await mine.replica.save(first)
    let before = server.backUp()
    await mine.sync(server, cutAt: 1)
    server.restore(before)
    let second = try WaterEntry.sample()
    try await mine.replica.save(second)
    try await mine.sync(server)
    for write in [first, second] {
      #expect(server.records.contains { $0.key == write.key })
    }
    #expect(try mine.waitingCount == 0)
    #expect(server.records == (try mine.replica.allRecords()))
  }

  @Test("is offered again what it took if it does not tell its position without offers, like 0.1.0")
  func silentPosition() async throws {
    let server = try await server(holding: 6)
    let mine = try TestReplica(1)
    try await mine.replica.save(WaterEntry.sample())
    await mine.sync(server, cutAt: 1)
    let (request, page) = try await mine.attempt()
    #expect(page.offers.isEmpty && request.segment != nil)
    var answer = try server.exchange(request, as: "secret-1")
    answer.takenThrough = nil
    try await mine.apply(answer, to: request, page: page)
    #expect(try await mine.attempt().page.offers.count == 1)
    let judged = server.state.withLock { $0.judgedCount }
    try await mine.sync(server)
    #expect(try mine.waitingCount == 0)
    #expect(server.state.withLock { $0.judgedCount } == judged, "it had judged that")
    #expect(server.records == (try mine.replica.allRecords()))
  }

  /// The answer to a push is lost, then only the first page of the feed arrives: it holds the
  /// winner, and not the entry of the journal, which is as young as the push.
  @Test("judges again what lost, though the winner was pulled and its entry was not")
  func lostBeforeItsEntryArrived() async throws {
    let scene = try await Disagreement()
    let (server, mine) = (scene.server, scene.mine)
    server.state.withLock { $0.pageRecords = 2 }
    for _ in 0..<6 { try await scene.theirs.replica.save(WaterEntry.sample()) }
    try await scene.theirs.sync(server)
    let backup = server.backUp()
    await mine.sync(server, cutAt: 0, .afterServer)
    await mine.sync(server, cutAt: 1)
    #expect(
      try mine.replica.waterEntry(scene.id)?.intake.millilitres == 300 && server.journal.count == 1)
    server.restore(backup)
    try await mine.sync(server)
    let lost = FieldValue.intake(try WaterEntry.sample(200).intake)
    #expect(server.journal.map { FieldValue($0.lost, of: .water) } == [lost])
  }

  @Test("whose head went back without a word is not believed")
  func silentLoss() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    try await test.replica.save(WaterEntry.sample())
    try await test.sync(server)
    try await test.replica.save(WaterEntry.sample())
    try await test.sync(server)
    server.rollBack(to: 1)
    struct Silent: TestTransport {
      let model: ModelTransport
      func exchange(_ request: ExchangeRequest) async throws(SyncError) -> ExchangeResponse {
        var answer = try await model.exchange(request)
        answer.restarted = false
        return answer
      }
      func reconcile(
        _ request: ReconcileRequest
      ) async throws(SyncError) -> ReconcileResponse { try await model.reconcile(request) }
    }
    let report = try await test.engine(Silent(model: ModelTransport(server: server))).sync()
    #expect(report.restarted)
    #expect(server.records == (try test.replica.allRecords()))
  }

  @Test("a position is lost if the server says so, or if its feed went back")
  func lostPositions() {
    func isRestart(_ cursor: Cursor, restarted: Bool = false, after request: Cursor?) -> Bool {
      ExchangeResponse(
        cursor: cursor, restarted: restarted, serverTime: WallTime(milliseconds: 0)
      ).isRestart(after: ExchangeRequest(cursor: request))
    }
    #expect(!isRestart(Self.at(1, 5), after: Self.at(1, 5)))
    #expect(!isRestart(Self.at(2, 6), after: Self.at(1, 5)))
    #expect(!isRestart(Self.at(1, 5), after: nil))
    #expect(isRestart(Self.at(2, 4), after: Self.at(1, 5)))
    #expect(isRestart(Self.at(2, 9), restarted: true, after: Self.at(1, 5)))
  }

  @Test(
    "the demand to compare is kept over a crash at any step, and met by the next sync",
    arguments: 0..<5, ModelTransport.Cut.allCases)
  func cut(at call: Int, kind: ModelTransport.Cut) async throws {
    let server = ModelServer(clock: TestClock())
    let (mine, theirs) = (try TestReplica(1), try TestReplica(2))
    for _ in 0..<50 { try await mine.replica.save(WaterEntry.sample()) }
    try await mine.sync(server)
    try await theirs.sync(server)
    let copy = server.backUp()
    for _ in 0..<3 { try await mine.replica.save(WaterEntry.sample()) }
    try await mine.sync(server)
    server.restore(copy)
    try await theirs.replica.save(WaterEntry.sample())
    try await theirs.sync(server)
    try await mine.replica.save(WaterEntry.sample())

    var transport = ModelTransport(server: server)
    transport.cut = { $0 == call ? kind : nil }
    do {
      try await mine.engine(transport).sync()
      #expect(call >= transport.calls.count)
    } catch { #expect(error == .unreachable("cut")) }
    let reopened = try mine.reopened()
    try await SyncEngine(
      store: reopened, transport: ModelTransport(server: server), clock: mine.clock,
      pacing: .instant(1)
    ).sync()
    #expect(try await reopened.reconcileDemand() == nil)
    #expect(try reopened.status().pendingCount == 0)
    #expect(try reopened.allRecords() == server.records)
    #expect(server.records.count == 55)
  }

  @Test("the request after the news of a loss goes on from the head, and not through the feed")
  func pipelined() async throws {
    let server = ModelServer(clock: TestClock())
    let (test, theirs) = (try TestReplica(1), try TestReplica(2))
    for _ in 0..<10 { try await test.replica.save(WaterEntry.sample()) }
    try await test.sync(server)
    let copy = server.backUp()
    // Another device's write is lost. The server is where it was in this replica's outbox and
    // continues at once.
    try await theirs.replica.save(WaterEntry.sample())
    for test in [theirs, test] { try await test.sync(server) }
    server.restore(copy)
    server.state.withLock { $0.pageRecords = 2 }
    // Two pages wait, so that the second is in flight while the response to the first is being
    // stored.
    let long = String(repeating: "x", count: 4000)
    try test.replica.transaction { transaction in
      for index in 0..<80 { try transaction.setPreference("key \(index)", to: long) }
    }
    let count = server.requests.count
    try await test.sync(server)
    let requests = server.requests[count...].map { $0 }
    #expect(requests.filter { $0.offers.count > 5 }.count == 2)
    #expect(requests[0].cursor?.sequence == 11)
    let head = 10 + UInt64(requests[0].offers.count)
    #expect(requests[1].cursor?.sequence == head)
    #expect(server.records == (try test.replica.allRecords()))
    #expect(server.records.count == 91)
  }

  /// While the server's clock was a year ahead it took a drink of that year. Then its clock is set
  /// right, and it goes back to before.
  private func setBackAfterAYearAhead() async throws -> (ModelServer, TestReplica, WaterEntry) {
    let (right, ahead) = (TestClock(), TestClock())
    ahead.advance(365 * 86_400_000)
    let server = ModelServer(clock: ahead)
    let test = try TestReplica(1, clock: ahead)
    let backup = server.backUp()
    let water = try WaterEntry.sample(100)
    try await test.replica.save(water)
    try await test.sync(server)
    ahead.set(right.now().milliseconds)
    server.restore(backup)
    return (server, test, water)
  }

  @Test(
    "takes what follows the stamps that it lost, in the same sync, wherever they are left",
    arguments: [true, false])
  func lostGreatestStamp(isLeft: Bool) async throws {
    let (server, test, water) = try await setBackAfterAYearAhead()
    // If it is the same record, nothing is left of those stamps but what this was written over.
    let written = try WaterEntry.sample(id: isLeft ? .random() : water.id, 200)
    try await test.replica.save(written)
    let report = try await test.sync(server)
    #expect(report.restarted && report.refused == 0)
    #expect(try test.waitingCount == 0)
    #expect(server.records == (try test.replica.allRecords()))
    #expect(try test.replica.waterEntry(written.id)?.intake.millilitres == 200)
    #expect(server.journal.isEmpty)
  }

  /// Seed 0x111fa: by the time that there was room, the loss counted as made good.
  @Test("takes what follows a stamp that it lost, also if it had no room at first")
  func lostGreatestStampWhileFull() async throws {
    let (server, test, water) = try await setBackAfterAYearAhead()
    try await test.replica.save(WaterEntry.sample(id: water.id, 200))
    server.state.withLock { $0.refuses = { _ in .quota } }
    let report = try await test.sync(server)
    #expect(report.restarted && report.refused == 1)
    server.state.withLock { $0.refuses = { _ in nil } }
    for _ in 0..<2 { try await test.sync(server) }
    #expect(try test.waitingCount == 0)
    #expect(server.records == (try test.replica.allRecords()))
    #expect(try test.replica.waterEntry(water.id)?.intake.millilitres == 200)
  }

  @Test("is offered a write as restored only if what that replaced was taken")
  func refusedStamp() async throws {
    let server = ModelServer(clock: TestClock())
    let (test, theirs) = (try TestReplica(1), try TestReplica(2))
    let backup = server.backUp()
    try await theirs.replica.save(WaterEntry.sample())
    for replica in [theirs, test] { try await replica.sync(server) }
    server.restore(backup)
    let now = test.clock.now().milliseconds
    test.clock.advance(365 * 86_400_000)
    let water = try WaterEntry.sample(100)
    try await test.replica.save(water)
    await test.sync(server, cutAt: 0)
    test.clock.set(now)
    // Follows a write that has a number already, and that the server will refuse.
    try await test.replica.save(WaterEntry.sample(id: water.id, 200))
    let (request, page) = try await test.attempt()
    let answer = try server.exchange(request, as: "secret-1")
    #expect(answer.restarted && answer.refusals.map(\.reason) == [.clockSkew, .clockSkew])
    try await test.apply(answer, to: request, page: page)
    #expect(try test.offers().map(\.isRestored) == [true, false])
    try await test.sync(server)
    #expect(try test.waitingCount == 0)
    #expect(
      server.state.withLock { $0.latestTime }
        < HybridTime(WallTime(milliseconds: now + 60_000)))
  }

  @Test("a demand that comes while comparing is not taken for met")
  func demandMeanwhile() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    try await test.replica.save(WaterEntry.sample())
    try await test.sync(server)
    try await test.replica.writing { $0.work.demandReconcile(afterLoss: false) }
    let first = try #require(try await test.replica.reconcileDemand())
    try await test.replica.writing { $0.work.demandReconcile(afterLoss: false) }
    try await test.replica.endReconcile(first)
    let second = try #require(try await test.replica.reconcileDemand())
    #expect(first != second)
    try await test.replica.endReconcile(second)
    #expect(try await test.replica.reconcileDemand() == nil)
  }

  private static func at(_ commit: UInt64, _ sequence: UInt64) -> Cursor {
    Cursor(commit: commit, sequence: sequence)
  }
}
