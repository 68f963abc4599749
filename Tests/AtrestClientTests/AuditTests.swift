// SPDX-License-Identifier: Apache-2.0
// Defects found by an audit: histories that lost a write, journaled without cause, or split one
// device in two.

import AtrestDomain
import AtrestFoundation
import AtrestReplication
import AtrestSync
import AtrestTestSupport
import AtrestWire
import Foundation
import Testing

@testable import AtrestClient

@Suite("What an audit found", .timeLimit(.minutes(20)))
struct AuditTests {
  private static func lost(_ test: TestReplica, _ server: ModelServer) async {
    var transport = ModelTransport(server: server)
    transport.cut = { _ in .afterServer }
    await #expect(throws: SyncError.unreachable("cut")) {
      try await test.engine(transport).sync()
    }
  }

  /// The floor of a write that the server may have taken was dropped, because its stamp exceeded
  /// the server's current limit.
  @Test(
    "D1: after a lost answer nothing vanishes, though the server's clock steps back two minutes",
    arguments: [true, false])
  func serverClockStepsBack(isSkewJudgedByClock: Bool) async throws {
    let clock = TestClock()
    let server = ModelServer(clock: clock)
    server.state.withLock { $0.isSkewJudgedByClock = isSkewJudgedByClock }
    let (mine, theirs) = (try TestReplica(1), try TestReplica(2))
    var session = try Session.sample(target: 16 * 60)
    let water = try WaterEntry.sample()
    try await mine.replica.save(session)
    try await mine.replica.save(water)
    await Self.lost(mine, server)
    mine.clock.advance(1000)
    session.targetMinutes = 20 * 60
    try await mine.replica.save(session)
    try mine.replica.delete(water.key)
    clock.advance(-120_000)

    let report = try await mine.sync(server)
    // A write refused for now waits; nothing else may happen to it.
    #expect(try mine.waitingCount == report.refused)
    for test in [mine, theirs] { test.clock.set(clock.now().milliseconds) }
    #expect(try mine.replica.session(session.id)?.targetMinutes == 20 * 60)
    #expect(try mine.replica.waterEntry(water.id) == nil)
    clock.advance(180_000)
    for test in [mine, theirs] { try await test.sync(server) }
    for test in [mine, theirs] {
      #expect(try test.replica.session(session.id)?.targetMinutes == 20 * 60)
      #expect(try test.replica.waterEntry(water.id) == nil)
      #expect(try test.waitingCount == 0)
    }
    #expect(try mine.replica.digest() == theirs.replica.digest())
    #expect(server.journal.isEmpty)
  }

  /// The same during a sync: the write that the server has is edited before the response arrives.
  @Test("D1: nor what is edited during a sync", arguments: [true, false])
  func editedDuringSync(isSkewJudgedByClock: Bool) async throws {
    let clock = TestClock()
    let server = ModelServer(clock: clock)
    server.state.withLock { $0.isSkewJudgedByClock = isSkewJudgedByClock }
    let mine = try TestReplica(1)
    let id = RecordUUID.random()
    try await mine.replica.save(WaterEntry.sample(id: id, 100))
    var transport = ModelTransport(server: server)
    transport.meanwhile = { call in
      guard call == 0 else { return }
      try mine.replica.save(WaterEntry.sample(id: id, 200))
      clock.advance(-120_000)
    }
    _ = try await mine.engine(transport).sync()
    clock.advance(180_000)
    try await mine.sync(server)
    #expect(try mine.waitingCount == 0)
    #expect(try WaterEntry(#require(server.records.first)).intake.millilitres == 200)
    #expect(server.records == (try mine.replica.allRecords()))
  }

  /// After 32 attempts both replicas reused the newest token.
  @Test(
    "D3: a copy is told apart however many syncs were not confirmed",
    arguments: [33, 80], ModelTransport.Cut.allCases)
  func manyUnconfirmed(count: Int, kind: ModelTransport.Cut) async throws {
    let server = ModelServer(clock: TestClock())
    let original = try TestReplica(1)
    try await original.replica.save(WaterEntry.sample())
    try await original.sync(server)
    var transport = ModelTransport(server: server)
    transport.cut = { _ in kind }
    for _ in 0..<count {
      try await original.replica.save(WaterEntry.sample())
      _ = try? await original.engine(transport).sync()
    }
    let copy = try original.copied()
    // One record, one clock reading, and still one identity.
    let id = RecordUUID.random()
    try await original.replica.save(WaterEntry.sample(id: id, 100))
    try await copy.replica.save(WaterEntry.sample(id: id, 200))
    #expect(try await !original.sync(server).isRenewed)
    #expect(try await copy.sync(server).isRenewed)
    #expect(server.journal.count == 1)
    for test in [original, copy] { try await test.sync(server) }
    #expect(try original.replica.digest() == copy.replica.digest())
    #expect(server.records.count == count + 3)
  }

  /// An online device with one refused write reached that state after 18 syncs.
  @Test("D3: nor how often a refused write was offered")
  func manyRefused() async throws {
    let server = ModelServer(clock: TestClock())
    let original = try TestReplica(1)
    server.state.withLock { $0.refuses = { $0.key.kind == .preference ? .quota : nil } }
    try await original.replica.setPreference("theme", to: "dusk")
    for _ in 0..<40 { try await original.sync(server) }
    let copy = try original.copied()
    for test in [original, copy] { try await test.sync(server) }
    #expect(try copy.replica.status().replica != original.replica.status().replica)
    #expect(try original.replica.status().replica == ReplicaID(rawValue: 1))
  }

  @Test("D6: a lost answer and one other device that edits twice leave the journal empty")
  func lostAnswer() async throws {
    let server = ModelServer(clock: TestClock())
    let (mine, theirs) = (try TestReplica(1), try TestReplica(2))
    let id = RecordUUID.random()
    try await mine.replica.save(WaterEntry.sample(id: id, 100))
    for test in [mine, theirs] { try await test.sync(server) }
    mine.clock.advance(1000)
    try await mine.replica.save(WaterEntry.sample(id: id, 200))
    await Self.lost(mine, server)
    try await theirs.sync(server)
    for amount in [300, 400] {
      theirs.clock.advance(2000)
      try await theirs.replica.save(WaterEntry.sample(id: id, amount))
      try await theirs.sync(server)
    }
    for test in [mine, theirs] { try await test.sync(server) }
    #expect(server.journal.isEmpty)
    for test in [mine, theirs] {
      #expect(try test.replica.waterEntry(id)?.intake.millilitres == 400)
    }
  }

  @Test("D6: unpairing and pairing again, without any fault, leaves the journal empty")
  func pairedAgain() async throws {
    let server = ModelServer(clock: TestClock())
    let (mine, theirs) = (try TestReplica(1), try TestReplica(2))
    let id = RecordUUID.random()
    try await mine.replica.save(WaterEntry.sample(id: id, 100))
    for test in [mine, theirs] { try await test.sync(server) }
    for amount in [200, 300] {
      theirs.clock.advance(1000)
      try await theirs.replica.save(WaterEntry.sample(id: id, amount))
      try await theirs.sync(server)
    }
    try mine.replica.unpair()
    try mine.pair(3)
    for test in [mine, theirs] { try await test.sync(server) }
    #expect(server.journal.isEmpty)
    #expect(try mine.replica.waterEntry(id)?.intake.millilitres == 300)
    #expect(try mine.replica.digest() == theirs.replica.digest())
  }

  /// A register does not record how far back its chain of writers goes. The server knows that it
  /// had this write and judged it when it was superseded.
  @Test("D6: after a restore, a device that lags behind leaves the journal empty")
  func restoredAndStale() async throws {
    let server = ModelServer(clock: TestClock())
    let (mine, theirs) = (try TestReplica(1), try TestReplica(2))
    let id = RecordUUID.random()
    try await mine.replica.save(WaterEntry.sample(id: id, 100))
    for test in [mine, theirs] { try await test.sync(server) }
    let copy = server.backUp()
    // Another write is lost that only this device has.
    try await mine.replica.save(WaterEntry.sample())
    try await mine.sync(server)
    server.restore(copy)
    for amount in [200, 300] {
      theirs.clock.advance(1000)
      try await theirs.replica.save(WaterEntry.sample(id: id, amount))
      try await theirs.sync(server)
    }
    #expect(try await mine.sync(server).restarted)
    try await theirs.sync(server)
    #expect(server.journal.isEmpty)
    #expect(try mine.replica.waterEntry(id)?.intake.millilitres == 300)
    #expect(try mine.replica.digest() == theirs.replica.digest())
  }

  /// The counterpart: a write that was lost with the server and overwritten since is journaled.
  @Test("D6: but what the server lost, and another device wrote over since, is in the journal")
  func restoredAndLost() async throws {
    let server = ModelServer(clock: TestClock())
    let (mine, theirs) = (try TestReplica(1), try TestReplica(2))
    let id = RecordUUID.random()
    try await mine.replica.save(WaterEntry.sample(id: id, 100))
    for test in [mine, theirs] { try await test.sync(server) }
    let copy = server.backUp()
    mine.clock.advance(500)
    try await mine.replica.save(WaterEntry.sample(id: id, 150))
    try await mine.sync(server)
    server.restore(copy)
    for amount in [200, 300] {
      theirs.clock.advance(1000)
      try await theirs.replica.save(WaterEntry.sample(id: id, amount))
      try await theirs.sync(server)
    }
    try await mine.sync(server)
    let lost = FieldValue.intake(try WaterEntry.sample(150).intake)
    #expect(server.journal.map { FieldValue($0.lost, of: .water) } == [lost])
  }

  /// Repeating an offer after a lost response moved the token but not the head.
  @Test(
    "D8: a phone that was never copied is one phone, wherever a backup was taken and put back",
    arguments: 0..<5, 0..<5)
  func neverCopied(backup: Int, restore: Int) async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    try await test.replica.save(WaterEntry.sample())
    try await test.sync(server)
    var copy: ModelServer.State?
    func syncs() async throws {
      #expect(try await !test.sync(server).isRenewed)
    }
    let steps: [() async throws -> Void] = [
      {
        try await test.replica.save(WaterEntry.sample())
        await Self.lost(test, server)
      },
      { await Self.lost(test, server) },
      {
        try await test.replica.save(WaterEntry.sample())
        await Self.lost(test, server)
      },
      { try await syncs() },
      {
        try await test.replica.save(WaterEntry.sample())
        try await syncs()
      },
    ]
    for (index, step) in steps.enumerated() {
      if index == backup { copy = server.backUp() }
      try await step()
      if index == restore, let copy { server.restore(copy) }
    }
    for _ in 0..<2 {
      try await test.replica.save(WaterEntry.sample())
      try await syncs()
    }
    #expect(server.state.withLock { $0.renewals.isEmpty })
    #expect(try test.replica.status().replica == ReplicaID(rawValue: 1))
    #expect(try test.waitingCount == 0)
    #expect(server.records.count == 6)
    #expect(server.records == (try test.replica.allRecords()))
    #expect(server.journal.isEmpty)
  }
}
