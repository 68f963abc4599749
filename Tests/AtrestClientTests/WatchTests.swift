// SPDX-License-Identifier: Apache-2.0
// Watching: how an event changes a replica, and when it falls back to Exchange.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation
import Synchronization
import Testing

@testable import AtrestClient

@Suite("Watching", .timeLimit(.minutes(20)))
struct WatchTests {
  /// A scripted stream over a model server.
  struct Playing: TestTransport {
    let server: ModelServer
    /// Called with the number of the stream, from 0. Returns the events and the error that ends the
    /// stream.
    let play: @Sendable (Int, WatchRequest) -> (events: [WatchResponse], error: SyncError)
    let streams = Counter()
    let exchanges = Counter()

    func exchange(_ request: ExchangeRequest) async throws(SyncError) -> ExchangeResponse {
      _ = exchanges.next()
      return try await ModelTransport(server: server).exchange(request)
    }

    func watch(
      _ request: WatchRequest, event: @Sendable (WatchResponse) async throws(SyncError) -> Bool
    ) async throws(SyncError) {
      let (events, error) = play(streams.next(), request)
      for item in events {
        guard try await event(WatchResponse.through(item)) else { return }
      }
      throw error
    }
  }

  private func watch(
    _ test: TestReplica, _ transport: Playing
  ) async -> (reports: [SyncReport], losses: Int) {
    let told = Mutex<(reports: [SyncReport], losses: Int)>(([], 0))
    await #expect(throws: SyncError.accessEnded) {
      try await test.engine(transport).watch { report, error in
        told.withLock {
          if error == nil { $0.reports.append(report) } else { $0.losses += 1 }
        }
      }
    }
    return told.withLock { $0 }
  }

  private func event(
    _ server: ModelServer, after: UInt64, _ records: [Record], to sequence: UInt64
  ) -> WatchResponse {
    WatchResponse(
      after: Self.position(after), records: records.map(\.encoded),
      cursor: Self.position(sequence), serverTime: server.state.withLock { $0.clock.now() })
  }

  /// A position in an account with one record per commit.
  private static func position(_ sequence: UInt64) -> Cursor {
    sequence == 0
      ? .start : Cursor(commit: ModelServer.name(ofCommit: sequence), sequence: sequence)
  }

  private func water(_ millilitres: Int) throws -> Record {
    let entry = try WaterEntry.sample(millilitres)
    let stamp = Stamp(time: HybridTime(rawValue: 5), replica: ReplicaID(rawValue: 8))
    return try #require(
      Record(
        key: entry.key,
        registers: [Register(field: 2, stamp: stamp, value: WaterField.encode(entry.intake))]))
  }

  @Test("an event that begins where the replica is, is stored as it is")
  func fits() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    let record = try water(100)
    let news = event(server, after: 0, [record], to: 1)
    let transport = Playing(server: server) { _, _ in ([news], .accessEnded) }
    let told = await watch(test, transport)
    #expect(try test.replica.allRecords() == [record])
    let position = try await test.replica.position()
    #expect(position.cursor == news.cursor)
    #expect(transport.exchanges.count == 1, "only the first sync")
    #expect(told.reports.map(\.pulled) == [0, 1])
  }

  @Test("an event that begins elsewhere, or stands for a large commit, leads to an exchange")
  func doesNotFit() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    let records = try [water(100), water(200), water(300)]
    let gap = event(server, after: 2, [records[2]], to: 3)
    let large = event(server, after: 0, [], to: 3)
    for news in [gap, large] {
      let test = try TestReplica(1)
      let fresh = ModelServer(clock: TestClock())
      let transport = Playing(server: fresh) { _, _ in
        fresh.state.withLock { state in for record in records { state.put(record) } }
        return ([news], .accessEnded)
      }
      _ = await watch(test, transport)
      #expect(transport.exchanges.count == 2)
      #expect(try test.replica.allRecords() == fresh.records)
    }
    #expect(try test.replica.allRecords().isEmpty)
  }

  /// Otherwise a server that loses that write would go unnoticed.
  @Test("an event that does not begin at the known head is not stored")
  func knownHead() async throws {
    let server = ModelServer(clock: TestClock())
    server.state.withLock { $0.pageRecords = 2 }
    let (mine, theirs) = (try TestReplica(1), try TestReplica(2))
    for _ in 0..<4 { try await theirs.replica.save(WaterEntry.sample()) }
    try await theirs.sync(server)
    // The first page of the feed and the acknowledgement of a later write.
    try await mine.replica.save(WaterEntry.sample())
    await mine.sync(server, cutAt: 1)
    let state = try mine.replica.read { $0.state }
    #expect(state.cursor?.sequence == 2 && state.head == server.head)

    let (after, record, to) = server.state.withLock { state in
      (
        state.position(of: 2), state.records.values.first { $0.sequence == 3 },
        state.position(of: 3)
      )
    }
    let news = WatchResponse(
      after: after, records: [try #require(record).record.encoded], cursor: to,
      serverTime: mine.clock.now())
    #expect(try await mine.replica.apply(news, at: mine.clock.now()) == nil)
    #expect(try mine.replica.read { $0.state } == state, "a sync is what tells")
    server.rollBack(to: 3)
    try await mine.sync(server)
    #expect(server.records == (try mine.replica.allRecords()))
  }

  @Test("heartbeats and old news change nothing and ask for nothing")
  func heartbeat() async throws {
    let server = ModelServer(clock: TestClock())
    let record = try water(100)
    server.state.withLock { $0.put(record) }
    let test = try TestReplica(1)
    let beat = event(server, after: 1, [], to: 1)
    let old = event(server, after: 0, [record], to: 1)
    let transport = Playing(server: server) { _, _ in ([beat, old, beat], .accessEnded) }
    let told = await watch(test, transport)
    #expect(transport.exchanges.count == 1)
    #expect(told.reports.count == 1)
  }

  @Test("a lost stream is told, waited out, and opened again where the replica is")
  func reconnects() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    let record = try water(100)
    let news = event(server, after: 0, [record], to: 1)
    server.state.withLock { $0.put(record) }
    let asked = Mutex<[Cursor?]>([])
    let transport = Playing(server: server) { stream, request in
      asked.withLock { $0.append(request.cursor) }
      return stream == 0 ? ([news], .unreachable("gone")) : ([], .accessEnded)
    }
    let told = await watch(test, transport)
    #expect(told.losses == 1)
    #expect(asked.withLock { $0 } == [news.cursor, news.cursor])
  }

  @Test("writes of another process are pushed while the stream is open")
  func pushes() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    let other = try test.reopened()
    let entry = try WaterEntry.sample()
    // Keeps the stream open until the server has the write.
    struct Open: TestTransport {
      let server: ModelServer
      let begin: @Sendable () throws -> Void
      func exchange(_ request: ExchangeRequest) async throws(SyncError) -> ExchangeResponse {
        try await ModelTransport(server: server).exchange(request)
      }
      func watch(
        _ request: WatchRequest, event: @Sendable (WatchResponse) async throws(SyncError) -> Bool
      ) async throws(SyncError) {
        do { try begin() } catch { throw .refused("\(error)") }
        while server.records.isEmpty {
          if Task.isCancelled { throw .cancelled }
          await Task.yield()
        }
        throw .accessEnded
      }
    }
    await #expect(throws: SyncError.accessEnded) {
      try await test.engine(Open(server: server) { try other.save(entry) }).watch { _, _ in }
    }
    #expect(server.records.map(\.key) == [entry.key])
  }

  @Test("ends when its task is cancelled")
  func cancelled() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    let transport = Playing(server: server) { _, _ in ([], .unreachable("gone")) }
    let (lost, tell) = AsyncStream.makeStream(of: Void.self)
    let engine = test.engine(transport)
    let task = Task {
      try await engine.watch { _, error in if error != nil { tell.yield() } }
    }
    for await _ in lost { break }
    task.cancel()
    await #expect(throws: SyncError.cancelled) { try await task.value }
  }
}

extension WatchResponse {
  /// Encodes and decodes an event, as the wire does.
  static func through(_ event: WatchResponse) throws(SyncError) -> WatchResponse {
    do { return try WatchResponse(decoding: event.encoded) } catch { throw .badAnswer("\(error)") }
  }
}
