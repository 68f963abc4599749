// SPDX-License-Identifier: Apache-2.0
// Copies of a replica are detected by their outbox tokens and renewed, without losing writes of
// either.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestTestSupport
import AtrestWire
import Foundation
import Synchronization
import Testing

@testable import AtrestClient

@Suite("A copy of a replica", .timeLimit(.minutes(20)))
struct ForkTests {
  @Test("that writes gets an identity of its own, and both go on")
  func clone() async throws {
    let scene = try await ForkScene()
    let shared = try WaterEntry.sample(100)
    // Both write the same record at the same clock reading: one stamp, two values.
    try await scene.original.replica.save(WaterEntry.sample(id: shared.id, 200))
    try await scene.copy.replica.save(WaterEntry.sample(id: shared.id, 300))
    try await scene.copy.replica.save(WaterEntry.sample())
    let first = try await scene.original.sync(scene.server)
    #expect(!first.isRenewed)
    let second = try await scene.copy.sync(scene.server)
    #expect(second.isRenewed && second.pushed >= 2 && second.refused == 0)
    let status = try scene.copy.replica.status()
    #expect(status.replica == ReplicaID(rawValue: 1001))
    #expect(try await scene.copy.replica.position().credential == "renewed-1")
    #expect(status.account == "home" && status.pendingCount == 0)

    #expect(try await !scene.original.sync(scene.server).isRenewed)
    #expect(try await !scene.copy.sync(scene.server).isRenewed)
    try await scene.runCycle()
    #expect(try scene.original.replica.digest() == scene.copy.replica.digest())
    #expect(scene.server.records == (try scene.copy.replica.allRecords()))
    // The losing value is in the journal: the server saw two devices.
    #expect(scene.server.journal.count == 1)
    #expect(scene.server.records.count == 8)
  }

  @Test("that only reads is left alone")
  func quietClone() async throws {
    let scene = try await ForkScene()
    try await scene.original.replica.save(WaterEntry.sample())
    try await scene.original.sync(scene.server)
    let report = try await scene.copy.sync(scene.server)
    #expect(!report.isRenewed && report.pulled == 1)
  }

  @Test("of long ago, put back over the replica itself, pushes what it has under a new identity")
  func restoredBackup() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    let water = try WaterEntry.sample(100)
    try await test.replica.save(water)
    try await test.sync(server)
    // The entries pending in the backup were pushed, and edited, after it was made.
    test.clock.advance(1000)
    try await test.replica.save(WaterEntry.sample(id: water.id, 200))
    let backup = try test.copied()
    try await test.sync(server)
    test.clock.advance(1000)
    try await test.replica.save(WaterEntry.sample(id: water.id, 300))
    try await test.sync(server)

    backup.clock.advance(5000)
    try await backup.replica.save(WaterEntry.sample())
    let report = try await backup.sync(server)
    #expect(report.isRenewed)
    #expect(try backup.replica.waterEntry(water.id)?.intake.millilitres == 300)
    #expect(try backup.replica.allRecords() == server.records)
    let stamps = server.records.flatMap { $0.registers.map(\.stamp) }
    #expect(stamps.contains { $0.replica == ReplicaID(rawValue: 1001) })
  }

  @Test(
    "is recognized whatever was cut; what is no copy is never taken for one",
    arguments: 0..<6, ModelTransport.Cut.allCases)
  func cuts(at call: Int, kind: ModelTransport.Cut) async throws {
    let scene = try await ForkScene()
    try await scene.original.replica.save(WaterEntry.sample())
    var transport = ModelTransport(server: scene.server)
    transport.cut = { $0 == call ? kind : nil }
    _ = try? await scene.original.engine(transport).sync()
    #expect(try await !scene.original.sync(scene.server).isRenewed, "the original")

    try await scene.copy.replica.save(WaterEntry.sample())
    transport = ModelTransport(server: scene.server)
    transport.cut = { $0 == call ? kind : nil }
    let isCut: Bool
    do {
      try await scene.copy.engine(transport).sync()
      isCut = false
    } catch {
      #expect(error == .unreachable("cut"))
      isCut = true
    }
    try await scene.copy.sync(scene.server)
    #expect(try scene.copy.replica.status().replica != ReplicaID(rawValue: 1))
    #expect(isCut == (call < transport.calls.count))
    try await scene.runCycle()
    #expect(try scene.original.replica.status().replica == ReplicaID(rawValue: 1))
    #expect(try scene.original.replica.digest() == scene.copy.replica.digest())
    #expect(scene.server.records.count == 7)
  }

  /// Found by the simulator: a copy made during a sync had the token with which later writes were
  /// sent.
  @Test("made while a sync ran is recognized by what was written, and pushed, after it was made")
  func madeMeanwhile() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    let water = try WaterEntry.sample(100)
    try await test.replica.save(WaterEntry.sample())
    let copies = Mutex<[TestReplica]>([])
    var transport = ModelTransport(server: server)
    transport.meanwhile = { call in
      guard call == 0 else { return }
      try copies.withLock { $0.append(try test.copied()) }
      try test.replica.save(WaterEntry.sample(id: water.id, 200))
    }
    try await test.engine(transport).sync()
    #expect(try test.waitingCount == 0)

    let copy = try #require(copies.withLock { $0.first })
    // One record, one clock reading, and still one identity: without renewal this write would be
    // lost silently.
    try await copy.replica.save(WaterEntry.sample(id: water.id, 300))
    #expect(try await copy.sync(server).isRenewed)
    #expect(server.journal.count == 1)
  }

  @Test("another process on the same replica is no copy", arguments: seeds(6))
  func processes(seed: UInt64) async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    let other = try test.reopened()
    var random = SeededRandom(seed: seed)
    for _ in 0..<6 {
      try await test.replica.save(WaterEntry.sample())
      // Each loses some responses, so that tokens of both are in flight.
      let cuts = (0..<2).map { _ in Int.random(in: 0..<4, using: &random) }
      func engine(_ replica: Replica, _ cut: Int) -> SyncEngine {
        var transport = ModelTransport(server: server)
        transport.cut = { $0 == cut ? .afterServer : nil }
        return SyncEngine(
          store: replica, transport: transport, clock: test.clock, pacing: .instant(1))
      }
      async let first = try? engine(test.replica, cuts[0]).sync()
      async let second = try? engine(other, cuts[1]).sync()
      _ = await (first, second)
    }
    try await test.sync(server)
    #expect(try test.replica.status().replica == ReplicaID(rawValue: 1), "seed \(seed)")
    #expect(server.records == (try test.replica.allRecords()))
  }

  @Test("another process that comes first is no copy: what it left unread is offered again")
  func overtaken() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    try await test.replica.save(WaterEntry.sample())
    try await test.sync(server)
    let other = try test.reopened()
    try await test.replica.save(WaterEntry.sample())
    var transport = ModelTransport(server: server)
    transport.before = { call in
      guard call < 2 else { return }
      // Newer writes with their own token: the server is at that token when this request arrives.
      try await other.save(WaterEntry.sample())
      try await SyncEngine(
        store: other, transport: ModelTransport(server: server), clock: test.clock,
        pacing: .instant(1)
      ).sync()
    }
    transport.meanwhile = { if $0 == 0 { try test.replica.save(WaterEntry.sample()) } }
    let report = try await test.engine(transport).sync()
    #expect(!report.isRenewed)
    #expect(try test.waitingCount == 0)
    #expect(server.state.withLock { $0.judgedCount } == server.records.count, "each once")
    #expect(server.records == (try test.replica.allRecords()))
  }

  /// Found by the simulator: the third time this happened, a new device was reported as a copy.
  @Test("another process that comes first again and again is no copy either")
  func overtakenOften() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    try await test.replica.save(WaterEntry.sample())
    try await test.sync(server)
    let other = try test.reopened()
    let late = Shared<[(request: ExchangeRequest, page: OutboxPage)]>([])
    for _ in 0..<6 {
      try await test.replica.save(WaterEntry.sample())
      let attempt = try await test.attempt()
      late.update { $0.append(attempt) }
      try await other.save(WaterEntry.sample())
      try await SyncEngine(
        store: other, transport: ModelTransport(server: server), clock: test.clock,
        pacing: .instant(1)
      ).sync()
    }
    // The other process has pushed everything. Late responses change nothing.
    for (request, page) in late.value {
      let answer = try server.exchange(request, as: "secret-1")
      let applied = try await test.replica.apply(
        answer, to: request, page: page, at: test.clock.now())
      #expect(!applied.isForked && !applied.isUnread)
    }
    #expect(try await !test.sync(server).isRenewed)
    #expect(try test.replica.status().replica == ReplicaID(rawValue: 1))
    #expect(server.state.withLock { $0.judgedCount } == 13, "each once")
    #expect(server.records == (try test.replica.allRecords()))
  }

  @Test("is no copy to a server that was put back from one, and is at an older position")
  func serverRestored() async throws {
    let scene = try await ForkScene()
    let copy = scene.server.backUp()
    for _ in 0..<3 {
      try await scene.original.replica.save(WaterEntry.sample())
      try await scene.original.sync(scene.server)
    }
    scene.server.restore(copy)
    try await scene.original.replica.save(WaterEntry.sample())
    let report = try await scene.original.sync(scene.server)
    #expect(report.restarted && !report.isRenewed)
    #expect(scene.server.records == (try scene.original.replica.allRecords()))

    // A real copy is still detected: the server is at a position it never had.
    try await scene.copy.replica.save(WaterEntry.sample())
    #expect(try await scene.copy.sync(scene.server).isRenewed)
    try await scene.runCycle()
    #expect(try scene.original.replica.digest() == scene.copy.replica.digest())
    #expect(try scene.original.replica.status().replica == ReplicaID(rawValue: 1))
  }

  /// Until either goes on, the copy equals the replica: there is nothing to detect and nothing to
  /// lose.
  @Test("that offers only what both were about to offer is left alone")
  func sameOffers() async throws {
    let scene = try await ForkScene()
    let shared = try WaterEntry.sample()
    try await scene.original.replica.save(shared)
    // The request is lost after the entry got its number.
    _ = try await scene.original.attempt()
    let copy = try scene.original.copied()
    try await scene.original.sync(scene.server)
    let report = try await copy.sync(scene.server)
    #expect(!report.isRenewed && report.pushed == 1)
    #expect(try copy.replica.allRecords() == scene.server.records)

    // Now both continue.
    for test in [scene.original, copy] { try await test.replica.save(WaterEntry.sample()) }
    #expect(try await !scene.original.sync(scene.server).isRenewed)
    #expect(try await copy.sync(scene.server).isRenewed)
  }

  @Test("is not what offers only what is refused, however often")
  func refusedOnly() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    try await test.replica.save(WaterEntry.sample())
    try await test.sync(server)
    server.state.withLock { $0.refuses = { $0.key.kind == .preference ? .invalid : nil } }
    try await test.replica.setPreference("theme", to: "dusk")
    for _ in 0..<40 { try await test.sync(server) }
    try await test.replica.save(WaterEntry.sample())
    let copy = try test.copied()
    #expect(try await !test.sync(server).isRenewed)
    #expect(try test.waitingCount == 1)
    #expect(try await copy.sync(server).isRenewed)
  }
}
