// SPDX-License-Identifier: Apache-2.0
// A copy's new identity: how many it takes, and which writes it restamps.

import AtrestDomain
import AtrestFoundation
import AtrestReplication
import AtrestSync
import AtrestTestSupport
import AtrestWire
import Foundation
import Testing

@testable import AtrestClient

@Suite("A copy's new identity", .timeLimit(.minutes(20)))
struct RenewalTests {
  /// Found by the simulator: shifted by the clock's error, the first write came to win over the one
  /// it had lost to, and this replica's next write covered it silently.
  @Test("moves no write past one that it had lost to, also if the clock was behind")
  func orderKept() async throws {
    let clock = TestClock()
    let server = ModelServer(clock: clock)
    let (behind, other) = (try TestReplica(1), try TestReplica(2))
    try await behind.replica.save(WaterEntry.sample())
    try await behind.sync(server)
    let copy = try behind.copied()
    try await behind.replica.save(WaterEntry.sample())
    try await behind.sync(server)

    let id = RecordUUID.random()
    clock.advance(60_000)
    copy.clock.set(clock.now().milliseconds - 20_000)
    try await copy.replica.save(WaterEntry.sample(id: id, 100))
    other.clock.set(clock.now().milliseconds - 10_000)
    try await other.replica.save(WaterEntry.sample(id: id, 200))
    try await other.sync(server)
    // A pull brings the other's write, and this one's next write builds on it.
    let quiet = ExchangeRequest(cursor: try await copy.replica.position().cursor)
    try await copy.apply(try server.exchange(quiet), to: quiet)
    #expect(try copy.replica.waterEntry(id)?.intake.millilitres == 200)
    try await copy.replica.save(WaterEntry.sample(id: id, 300))
    #expect(try await copy.sync(server).isRenewed)
    #expect(try copy.replica.waterEntry(id)?.intake.millilitres == 300)
    #expect(try copy.replica.status().replica == ReplicaID(rawValue: 1001))
    #expect(server.journal.map(\.lost.stamp.replica) == [ReplicaID(rawValue: 1001)])
  }

  /// With later times it would win over a write whose author had seen it under its old identity.
  @Test("changes the identity of what waits, in each stamp and each `replaced`, and no time")
  func timesKept() async throws {
    let scene = try await ForkScene()
    let copy = scene.copy
    var session = try Session.sample()
    try await copy.replica.save(session)
    // Sent and lost, so that the record's next write gets its own entry.
    _ = try await copy.attempt()
    for _ in 0..<2 {
      copy.clock.advance(1000)
      session.targetMinutes += 60
      try await copy.replica.save(session)
    }
    // The device's clock turns out to be wrong by hours, in either direction.
    let before = try copy.offers()
    #expect(before.count == 2)
    scene.server.state.withLock { $0.clock.advance(7_200_000) }
    let old = ReplicaID(rawValue: 1)
    let new = ReplicaID(rawValue: 1001)
    func renewed(_ stamp: Stamp) -> Stamp {
      stamp.replica == old ? Stamp(time: stamp.time, replica: new) : stamp
    }
    let demand = try await copy.replica.renewal()
    let identity = scene.server.renew(demand)
    #expect(try await copy.replica.adopt(renewed: identity, insteadOf: "secret-1"))
    let after = try copy.offers()
    #expect(after.map(\.written) == before.map(\.written))
    for (before, after) in zip(before, after) {
      #expect(
        after.record.registers
          == before.record.registers.map {
            Register(
              field: $0.field, stamp: renewed($0.stamp), replaced: $0.replaced.map(renewed),
              value: $0.value)
          })
    }
    #expect(try copy.replica.record(session.key) == after.last?.record)
  }

  @Test("begins a log that no server knows: no number, no token, and no number twice")
  func newLog() async throws {
    let scene = try await ForkScene()
    let copy = scene.copy
    try await copy.replica.save(WaterEntry.sample())
    let sent = try #require(try await copy.attempt().page.segment)
    let identity = scene.server.renew(try await copy.replica.renewal())
    #expect(try await copy.replica.adopt(renewed: identity, insteadOf: "secret-1"))
    #expect(try copy.numbers() == [nil])
    #expect(try copy.tokens().isEmpty)
    let next = try #require(try await copy.attempt().page.segment)
    #expect(next.confirmed == .start && next.token != sent.token)
    #expect(next.settledThrough == 0 && next.numbers == [7])
    // The old identity's log is not in the new one's past.
    #expect(
      try !copy.replica.read {
        try $0.work.outbox.isInPast(OutboxPosition(number: sent.numbers[0], token: sent.token))
      })
  }

  /// Found by the simulator: the second sync still used the identity that the first had given up.
  @Test("is one, also where two syncs of it run")
  func renewedMeanwhile() async throws {
    let scene = try await ForkScene()
    try await scene.original.replica.save(WaterEntry.sample())
    try await scene.original.sync(scene.server)
    try await scene.copy.replica.save(WaterEntry.sample())
    let other = try scene.copy.reopened()
    struct Slow: TestTransport {
      let model: ModelTransport
      let beforeRenewal: @Sendable () async throws -> Void
      func use(_ credential: String) throws(SyncError) { try model.use(credential) }
      func exchange(_ request: ExchangeRequest) async throws(SyncError) -> ExchangeResponse {
        try await model.exchange(request)
      }
      func renew(_ request: RenewRequest) async throws(SyncError) -> PairResponse {
        do { try await beforeRenewal() } catch { throw SyncError(error) }
        return try await model.renew(request)
      }
    }
    let clock = scene.copy.clock
    let transport = Slow(model: ModelTransport(server: scene.server)) {
      let first = SyncEngine(
        store: other, transport: ModelTransport(server: scene.server), clock: clock,
        pacing: .instant(1))
      let report = try await first.sync()
      #expect(report.isRenewed)
    }
    #expect(try await !scene.copy.engine(transport).sync().isRenewed)
    #expect(try await scene.copy.replica.position().credential == "renewed-1")
    #expect(try scene.copy.waitingCount == 0)
    try await scene.runCycle()
    #expect(try scene.original.replica.digest() == scene.copy.replica.digest())
  }

  @Test("is one, however often the answer is lost")
  func lostRenewal() async throws {
    let scene = try await ForkScene()
    try await scene.original.replica.save(WaterEntry.sample())
    try await scene.original.sync(scene.server)
    try await scene.copy.replica.save(WaterEntry.sample())
    for _ in 0..<3 {
      // The exchange reports the copy; then comes the request for an identity.
      var transport = ModelTransport(server: scene.server)
      transport.cut = { $0 == 1 ? .afterServer : nil }
      await #expect(throws: SyncError.unreachable("cut")) {
        try await scene.copy.engine(transport).sync()
      }
    }
    #expect(try await scene.copy.sync(scene.server).isRenewed)
    #expect(scene.server.state.withLock { $0.renewals.count } == 1)
    #expect(try scene.copy.replica.status().replica == ReplicaID(rawValue: 1001))
  }

  /// Found by the simulator: both got the same new identity, and the second was refused
  /// permanently.
  @Test("is another than that of a copy made while it was asked for")
  func renewedTogether() async throws {
    let scene = try await ForkScene()
    try await scene.original.replica.save(WaterEntry.sample())
    try await scene.original.sync(scene.server)
    try await scene.copy.replica.save(WaterEntry.sample())
    var transport = ModelTransport(server: scene.server)
    transport.cut = { $0 == 1 ? .afterServer : nil }
    _ = try? await scene.copy.engine(transport).sync()
    let third = try scene.copy.copied()
    try await third.replica.save(WaterEntry.sample())
    #expect(try await scene.copy.sync(scene.server).isRenewed)
    #expect(try await third.sync(scene.server).isRenewed)
    let identities = try [scene.original, scene.copy, third].map { try $0.replica.status().replica }
    #expect(Set(identities).count == 3)
    try await scene.runCycle()
    try await third.sync(scene.server)
    #expect(try third.replica.digest() == scene.copy.replica.digest())
  }

  /// Found by the simulator: the other's write was sent again as this one's, with a new stamp.
  @Test("leaves what the other wrote under a stamp that both have used as it is")
  func sharedStamps() async throws {
    let scene = try await ForkScene()
    let id = RecordUUID.random()
    try await scene.copy.replica.save(WaterEntry.sample(id: id, 100))
    for test in [scene.original, scene.copy] { test.clock.advance(1000) }
    try await scene.original.replica.save(WaterEntry.sample(id: id, 200))
    try await scene.original.sync(scene.server)
    let theirs = try #require(try scene.original.replica.record(WaterEntry.sample(id: id).key))
    // At the same clock reading, still under the same identity.
    let own = try WaterEntry.sample()
    try await scene.copy.replica.save(own)
    #expect(try scene.copy.replica.record(own.key)?.latestTime == theirs.latestTime)
    #expect(try await scene.copy.sync(scene.server).isRenewed)
    #expect(scene.server.records.first { $0.key == theirs.key } == theirs)
    #expect(try scene.copy.replica.record(theirs.key) == theirs)
  }

  /// Found by the simulator: the replica could not be opened any more.
  @Test("leaves the stamp of what was pruned alone, though its own deletion had the same")
  func sharedDeletion() async throws {
    let scene = try await ForkScene()
    let key = try #require(scene.server.records.first).key
    try scene.original.replica.delete(key)
    try scene.copy.replica.delete(key)
    try await scene.original.sync(scene.server)
    let pruned = try #require(scene.server.records.first { $0.key == key }).pruned()
    #expect(try scene.copy.replica.record(key)?.pruned() == pruned, "one stamp")
    scene.server.state.withLock { $0.put(pruned) }
    #expect(try await scene.copy.sync(scene.server).isRenewed)
    #expect(
      try scene.copy.replica.record(key)?.floor == pruned.floor)
    try await scene.runCycle()
    #expect(try scene.original.replica.digest() == scene.copy.replica.digest())
  }

  @Test("that the server takes for a copy's again and again is told, not asked for for ever")
  func endless() async throws {
    let scene = try await ForkScene()
    try await scene.copy.replica.save(WaterEntry.sample())
    struct Suspicious: TestTransport {
      let model: ModelTransport
      func exchange(_ request: ExchangeRequest) async throws(SyncError) -> ExchangeResponse {
        var answer = try await model.exchange(ExchangeRequest(cursor: request.cursor))
        answer.takenThrough = request.segment.map { _ in OutboxPosition(number: 1, token: 666) }
        return answer
      }
      func renew(_ request: RenewRequest) async throws(SyncError) -> PairResponse {
        try await model.renew(request)
      }
    }
    let transport = Suspicious(model: ModelTransport(server: scene.server))
    await #expect(throws: SyncError.badAnswer("it takes a new device for a copy of another")) {
      try await scene.copy.engine(transport).sync()
    }
    // The writes carry no refusal, and an honest server accepts them.
    #expect(try scene.copy.replica.pending().allSatisfy { $0.refusal == nil })
    try await scene.copy.sync(scene.server)
    #expect(try scene.copy.waitingCount == 0)
  }
}
