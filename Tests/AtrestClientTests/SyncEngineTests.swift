// SPDX-License-Identifier: Apache-2.0
// A sync is complete, resumable after any cut, bounded, and heals a server that lost data.

import AtrestDomain
import AtrestFoundation
import AtrestReplication
import AtrestSync
import AtrestTestSupport
import AtrestWire
import Foundation
import Synchronization
import Testing

@testable import AtrestClient

@Suite("A sync", .timeLimit(.minutes(20)))
struct SyncEngineTests {
  /// Two devices with history and conflicts, and more than one page of everything.
  struct Scene {
    let server = ModelServer(clock: TestClock())
    let mine: TestReplica
    let theirs: TestReplica

    init() async throws {
      mine = try TestReplica(1)
      theirs = try TestReplica(2)
      server.state.withLock { $0.pageRecords = 7 }
      let shared = (0..<5).map { _ in RecordUUID.random() }
      for id in shared { try await mine.replica.save(WaterEntry.sample(id: id, 100)) }
      try await mine.sync(server)
      try await theirs.sync(server)
      theirs.clock.advance(1000)
      for id in shared { try await theirs.replica.save(WaterEntry.sample(id: id, 200)) }
      for _ in 0..<20 { try await theirs.replica.save(WaterEntry.sample()) }
      try await theirs.sync(server)
      mine.clock.advance(2000)
      for id in shared { try await mine.replica.save(WaterEntry.sample(id: id, 300)) }
      // Two pages to push.
      let long = String(repeating: "x", count: 4000)
      try mine.replica.transaction { transaction in
        for index in 0..<80 { try transaction.setPreference("key \(index)", to: long) }
      }
    }
  }

  @Test("leaves nothing waiting and both sides alike")
  func complete() async throws {
    let scene = try await Scene()
    let report = try await scene.mine.sync(scene.server)
    #expect(report.pushed == 85)
    #expect(report.conflicts == 5)
    #expect(try scene.mine.waitingCount == 0)
    try await scene.theirs.sync(scene.server)
    #expect(try scene.mine.replica.digest() == scene.theirs.replica.digest())
    #expect(try scene.mine.replica.allRecords() == scene.server.records)
    #expect(try scene.mine.replica.status().lastSync == scene.mine.clock.now())
  }

  @Test("costs one round trip when nothing is new")
  func nothingNew() async throws {
    let scene = try await Scene()
    try await scene.mine.sync(scene.server)
    #expect(try await scene.mine.sync(scene.server).exchanges == 1)
    #expect(scene.server.requests.last?.offers == [])
  }

  @Test(
    "cut at any call, before or after the server had it, goes on where it stopped",
    arguments: ModelTransport.Cut.allCases)
  func cuts(kind: ModelTransport.Cut) async throws {
    let whole = try await Scene()
    let calls = try await {
      let transport = ModelTransport(server: whole.server)
      try await whole.mine.engine(transport).sync()
      return transport.calls.count
    }()
    #expect(calls > 5)
    for cut in sampled(0..<calls) {
      let scene = try await Scene()
      var transport = ModelTransport(server: scene.server)
      transport.cut = { $0 == cut ? kind : nil }
      await #expect(throws: SyncError.unreachable("cut")) {
        try await scene.mine.engine(transport).sync()
      }
      // As after a kill: only the file remains.
      let reopened = try scene.mine.reopened()
      try await SyncEngine(
        store: reopened, transport: ModelTransport(server: scene.server),
        clock: scene.mine.clock, pacing: .instant(1)
      ).sync()
      #expect(try reopened.status().pendingCount == 0, "cut at \(cut)")
      #expect(try reopened.allRecords() == scene.server.records, "cut at \(cut)")
      #expect(scene.server.journal.count == 5, "cut at \(cut)")
      #expect(scene.server.records.count == whole.server.records.count)
    }
  }

  /// A store that fails from its n-th change on, like a full disk.
  struct FailingStore: ReplicaStore {
    let replica: Replica
    let failsAt: Int
    let changes = Counter()

    func perform(_ request: StoreRequest) async throws(ReplicaError) -> StoreReply {
      switch request {
      case .nextPage, .apply:
        if changes.next() == failsAt { throw .storage(reason: "the disk is full") }
      default: break
      }
      return try await replica.perform(request)
    }
  }

  @Test("that cannot store an answer, any of them, loses nothing", arguments: 0..<8)
  func storeFails(at change: Int) async throws {
    let scene = try await Scene()
    let store = FailingStore(replica: scene.mine.replica, failsAt: change)
    await #expect(throws: SyncError.replica(.storage(reason: "the disk is full"))) {
      try await SyncEngine(
        store: store, transport: ModelTransport(server: scene.server), clock: scene.mine.clock,
        pacing: .instant(1)
      ).sync()
    }
    try await scene.mine.sync(scene.server)
    #expect(try scene.mine.replica.allRecords() == scene.server.records)
    #expect(scene.server.journal.count == 5)
  }

  enum Loss: CaseIterable {
    case replaced, rolledBack
  }

  @Test("gives a server that lost data everything back", arguments: Loss.allCases)
  func serverLostData(loss: Loss) async throws {
    let scene = try await Scene()
    try await scene.mine.sync(scene.server)
    try await scene.theirs.sync(scene.server)
    let before = scene.server.records
    // Writes after the loss are neither lost nor in the way.
    switch loss {
    case .replaced: scene.server.wipe()
    case .rolledBack: scene.server.rollBack(to: 3)
    }
    let fresh = try WaterEntry.sample()
    try await scene.mine.replica.save(fresh)
    let report = try await scene.mine.sync(scene.server)
    #expect(report.restarted)
    #expect(try scene.mine.waitingCount == 0)
    #expect(scene.server.records.filter { $0.key != fresh.key } == before)
    try await scene.theirs.sync(scene.server)
    try await scene.mine.sync(scene.server)
    #expect(try scene.mine.replica.digest() == scene.theirs.replica.digest())
    #expect(try scene.mine.replica.allRecords() == scene.server.records)
    #expect(try await scene.mine.sync(scene.server).restarted == false)
  }

  @Test("tries again what may pass by itself, a bounded number of times")
  func retries() async throws {
    let scene = try await Scene()
    var transport = ModelTransport(server: scene.server)
    transport.cut = { $0 < 3 ? .afterServer : nil }
    try await scene.mine.engine(transport, attempts: 4).sync()
    #expect(try scene.mine.waitingCount == 0)
    #expect(scene.server.journal.count == 5)

    var dead = ModelTransport(server: scene.server)
    dead.cut = { _ in .beforeServer }
    await #expect(throws: SyncError.unreachable("cut")) {
      try await scene.mine.engine(dead, attempts: 4).sync()
    }
    #expect(dead.calls.count == 4)
  }

  /// A transport with scripted responses.
  struct Scripted: TestTransport {
    var answer: @Sendable (ExchangeRequest) throws(SyncError) -> ExchangeResponse
    func exchange(_ request: ExchangeRequest) async throws(SyncError) -> ExchangeResponse {
      try answer(request)
    }
    /// Reports no differences.
    func reconcile(
      _ request: ReconcileRequest
    ) async throws(SyncError) -> ReconcileResponse {
      ReconcileResponse(ranges: [], serverTime: WallTime(milliseconds: 0))
    }
    func watch(
      _ request: WatchRequest, event: @Sendable (WatchResponse) async throws(SyncError) -> Bool
    ) async throws(SyncError) {}
  }

  @Test("does not try again what will not pass")
  func permanent() async throws {
    let test = try TestReplica(1)
    let calls = Counter()
    let transport = Scripted { _ throws(SyncError) in
      _ = calls.next()
      throw .accessEnded
    }
    await #expect(throws: SyncError.accessEnded) {
      try await test.engine(transport, attempts: 9).sync()
    }
    #expect(calls.count == 1)
  }

  @Test("ends with a server that never comes to an end")
  func hostileServer() async throws {
    let test = try TestReplica(1)
    let now = test.clock.now()
    let still = Scripted { _ in
      ExchangeResponse(cursor: Cursor(commit: 1, sequence: 5), more: true, serverTime: now)
    }
    await #expect(throws: SyncError.badAnswer("there is more, but the feed does not move")) {
      try await test.engine(still).sync()
    }
    let restarting = Scripted { request in
      ExchangeResponse(
        cursor: Cursor(commit: (request.cursor?.commit ?? 0) + 1, sequence: 5), more: true,
        restarted: true, serverTime: now)
    }
    await #expect(throws: SyncError.badAnswer("the feed starts over again and again")) {
      try await test.engine(restarting).sync()
    }
  }

  @Test("stores nothing of an answer that breaks the contract")
  func badAnswers() async throws {
    let test = try TestReplica(1)
    try await test.replica.save(WaterEntry.sample())
    let digest = try test.replica.digest()
    let good = try WaterEntry.sample()
    let record = try #require(
      Record(
        key: good.key,
        registers: [
          Register(
            field: 2, stamp: Stamp(time: HybridTime(rawValue: 1), replica: ReplicaID(rawValue: 2)),
            value: WaterField.encode(good.intake))
        ]))
    let now = test.clock.now()
    let cursor = Cursor(commit: 1, sequence: 5)
    for answer in [
      ExchangeResponse(
        records: [record.encoded, [0xFF]], cursor: cursor, serverTime: now, takenThrough: .start),
      ExchangeResponse(
        refusals: [Refusal(index: 1, reason: .invalid, message: "")], records: [record.encoded],
        cursor: cursor, serverTime: now, takenThrough: .start),
      ExchangeResponse(
        superseded: [1], records: [record.encoded], cursor: cursor, serverTime: now,
        takenThrough: .start),
      ExchangeResponse(
        records: [record.encoded], cursor: cursor, serverTime: now,
        head: Cursor(commit: 1, sequence: 4), takenThrough: .start),
      // It does not report the result of the offers.
      ExchangeResponse(records: [record.encoded], cursor: cursor, serverTime: now),
    ] {
      await #expect {
        try await test.engine(Scripted { _ in answer }).sync()
      } throws: { error in
        SyncError.Code.badAnswer ~= error
      }
      #expect(try test.replica.digest() == digest)
      #expect(try test.waitingCount == 1)
      #expect(try await test.replica.position().cursor == nil)
    }
  }

  @Test("takes no record that could not be read again")
  func outgrownRecord() async throws {
    let test = try TestReplica(1)
    let water = try WaterEntry.sample()
    try await test.replica.save(water)
    let stamp = Stamp(time: HybridTime(rawValue: 1), replica: ReplicaID(rawValue: 2))
    let value = [UInt8](repeating: 0, count: 1200)
    let foreign = try #require(
      Record(
        key: water.key,
        registers: (0..<62).map {
          Register(field: FieldNumber(100 + $0), stamp: stamp, value: value)
        }))
    let answer = ExchangeResponse(
      records: [foreign.encoded], cursor: Cursor(commit: 1, sequence: 1),
      serverTime: test.clock.now(), takenThrough: .start)
    await #expect {
      try await test.engine(Scripted { _ in answer }).sync()
    } throws: { error in
      SyncError.Code.badAnswer ~= error
    }
    #expect(try test.replica.waterEntry(water.id) == water)
  }

  @Test("the sentences of a server are shown without what could steer a terminal")
  func refusalText() async throws {
    let test = try TestReplica(1)
    try await test.replica.save(WaterEntry.sample())
    let now = test.clock.now()
    let transport = Scripted { request in
      ExchangeResponse(
        refusals: request.offers.isEmpty
          ? [] : [Refusal(index: 0, reason: .invalid, message: "\u{1B}[2JNo\nway\u{202E}.")],
        cursor: Cursor(commit: 1, sequence: 5), serverTime: now,
        takenThrough: request.segment.map {
          OutboxPosition(number: $0.numbers.last ?? 0, token: $0.token)
        })
    }
    try await test.engine(transport).sync()
    #expect(try test.replica.pending().first?.refusal?.message == "[2JNoway.")
  }

  @Test("progress is told after each round trip, with growing sums")
  func progress() async throws {
    let scene = try await Scene()
    let reports = Mutex<[SyncReport]>([])
    let report = try await scene.mine.engine(ModelTransport(server: scene.server)).sync {
      report in reports.withLock { $0.append(report) }
    }
    let told = reports.withLock { $0 }
    #expect(told.map(\.exchanges) == Array(1...told.count))
    #expect(told.last == report)
  }

  @Test("two processes that sync one replica at once do no harm")
  func twoProcesses() async throws {
    let scene = try await Scene()
    let other = try scene.mine.reopened()
    async let first = scene.mine.sync(scene.server)
    async let second = SyncEngine(
      store: other, transport: ModelTransport(server: scene.server), clock: scene.mine.clock,
      pacing: .instant(1)
    ).sync()
    _ = try await (first, second)
    try await scene.mine.sync(scene.server)
    #expect(try scene.mine.waitingCount == 0)
    #expect(try other.allRecords() == scene.server.records)
  }

  @Test("every error has a sentence")
  func sentences() {
    for error: SyncError in [
      .notPaired, .unreachable("x"), .accessEnded, .notPermitted("x"), .notFound("x"),
      .refused("x"), .badAnswer("x"), .massDeletion(count: 2, of: 3), .cancelled,
      .replica(.busy(path: "/x")),
    ] {
      #expect(error.userMessage.hasSuffix("."))
      #expect(!error.userMessage.contains("\n"))
    }
  }
}
