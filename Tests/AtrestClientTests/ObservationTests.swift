// SPDX-License-Identifier: Apache-2.0
// What an app hears of its replica: which records changed, and what syncing does.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestTestSupport
import AtrestWire
import Foundation
import Synchronization
import Testing

@testable import AtrestClient

@Suite("Following a replica", .timeLimit(.minutes(20)))
struct ObservationTests {
  @Test("a write names its record, a deletion too, and what changes nothing is not told")
  func local() async throws {
    let test = try TestReplica()
    var changes = test.replica.changes.makeAsyncIterator()
    let entry = try WaterEntry.sample()
    try await test.replica.save(entry)
    #expect(await changes.next()?.written == [entry.key])
    try await test.replica.save(entry)
    try test.replica.delete(entry.key)
    let deleted = try #require(await changes.next())
    #expect(deleted.written == [entry.key] && deleted.received.isEmpty)
    #expect(deleted.concerns(.water) && !deleted.concerns(.session))
  }

  @Test("a loop that begins when the replica is gone ends at once")
  func late() async throws {
    let (changes, states) = try {
      let replica = try Replica.inMemory()
      return (replica.changes, replica.syncState)
    }()
    var late = changes.makeAsyncIterator()
    #expect(await late.next() == nil)
    var state = states.makeAsyncIterator()
    #expect(await state.next() == .idle, "what it was last")
    #expect(await state.next() == nil)
  }

  @Test("a transaction is told once, whole, and only if it is durable")
  func transaction() async throws {
    let test = try TestReplica()
    var changes = test.replica.changes.makeAsyncIterator()
    let (one, two, three) = (
      try WaterEntry.sample(), try WaterEntry.sample(), try WaterEntry.sample()
    )
    #expect(throws: CancellationError.self) {
      try test.replica.transaction { transaction in
        try transaction.save(one)
        throw CancellationError()
      }
    }
    try test.replica.transaction { transaction in
      try transaction.save(two)
      try transaction.save(three)
    }
    #expect(await changes.next()?.keys == [two.key, three.key])
  }

  @Test("what a sync brings is named apart from what was written here")
  func received() async throws {
    let server = ModelServer(clock: TestClock())
    let (phone, tablet) = (try TestReplica(1), try TestReplica(2))
    let (mine, theirs) = (try WaterEntry.sample(), try WaterEntry.sample())
    try await phone.replica.save(theirs)
    try await phone.sync(server)
    var changes = tablet.replica.changes.makeAsyncIterator()
    try await tablet.replica.save(mine)
    try await tablet.sync(server)
    let all = try #require(await changes.next())
    #expect(all.written == [mine.key] && all.received == [theirs.key])
    try await tablet.sync(server)
    try await tablet.replica.save(theirs)
    try tablet.replica.delete(mine.key)
    #expect(await changes.next()?.keys == [mine.key], "a sync that brings nothing is not told")
  }

  @Test("a listener that does not keep up is told everything at once, or that it was too much")
  func slow() async throws {
    let test = try TestReplica()
    var changes = test.replica.changes.makeAsyncIterator()
    var keys: Set<RecordKey> = []
    for _ in 0..<20 {
      let entry = try WaterEntry.sample()
      keys.insert(entry.key)
      try await test.replica.save(entry)
    }
    #expect(await changes.next()?.written == keys)
    try test.replica.transaction { transaction in
      for _ in 0...ChangedRecords.limit { try transaction.save(WaterEntry.sample()) }
    }
    try await test.replica.save(WaterEntry.sample())
    let many = try #require(await changes.next())
    #expect(many.isIncomplete && many.keys.isEmpty && many.concerns(.session))
  }

  @Test("every listener hears everything; one that is gone is forgotten")
  func listeners() async throws {
    let test = try TestReplica()
    let updates = test.replica.changes
    var first = updates.makeAsyncIterator()
    do { _ = updates.makeAsyncIterator() }
    var second = updates.makeAsyncIterator()
    let entry = try WaterEntry.sample()
    try await test.replica.save(entry)
    #expect(await first.next()?.written == [entry.key])
    #expect(await second.next()?.written == [entry.key])
  }

  @Test("one transaction that changes too much to be named says so")
  func large() async throws {
    let test = try TestReplica()
    var changes = test.replica.changes.makeAsyncIterator()
    try test.replica.transaction { transaction in
      for _ in 0...ChangedRecords.limit { try transaction.save(WaterEntry.sample()) }
    }
    let many = try #require(await changes.next())
    #expect(many.isIncomplete && many.keys.isEmpty)
  }

  @Test("a loop ends with its replica, after the last change")
  func closed() async throws {
    let entry = try WaterEntry.sample()
    let (updates, folder) = try {
      let test = try TestReplica()
      let iterator = test.replica.changes.makeAsyncIterator()
      try test.replica.save(entry)
      return (iterator, test.folder)
    }()
    var changes = updates
    #expect(await changes.next()?.written == [entry.key])
    #expect(await changes.next() == nil)
    withExtendedLifetime(folder) {}
  }

  @Test("a watch tells what its syncs do, and what ended it")
  func watched() async throws {
    let test = try TestReplica(1)
    let told = Mutex<[SyncState]>([])
    let server = ModelServer(clock: TestClock())
    try await test.replica.save(WaterEntry.sample())
    let engine = test.engine(EndingTransport(server: server))
    await #expect(throws: SyncError.accessEnded) {
      try await engine.watch { _, _ in
      } state: { state in
        told.withLock { $0.append(state) }
      }
    }
    let states = told.withLock { $0 }
    #expect(states.first == .syncing(SyncReport()))
    guard case .upToDate(let report)? = states.last else {
      Issue.record("\(states)")
      return
    }
    #expect(report.pushed == 1)
    await #expect(throws: SyncError.self) { try await TestReplica().replica.watch { _, _ in } }
  }

  /// Its stream ends at once, for good.
  private struct EndingTransport: TestTransport {
    let server: ModelServer
    func exchange(_ request: ExchangeRequest) async throws(SyncError) -> ExchangeResponse {
      try await ModelTransport(server: server).exchange(request)
    }
    func watch(
      _ request: WatchRequest, event: @Sendable (WatchResponse) async throws(SyncError) -> Bool
    ) async throws(SyncError) {
      throw .accessEnded
    }
  }

  @Test("a loop ends with its task")
  func cancelled() async throws {
    let test = try TestReplica()
    let updates = test.replica.changes
    let task = Task { () -> Int in
      var count = 0
      for await _ in updates { count += 1 }
      return count
    }
    task.cancel()
    #expect(await task.value == 0)
  }

  @Test("the state of syncing is told at once, and as it changes")
  func state() async throws {
    let test = try TestReplica()
    var states = test.replica.syncState.makeAsyncIterator()
    #expect(await states.next() == .idle)
    await #expect(throws: SyncError.notPaired) { try await test.replica.sync() }
    #expect(await states.next() == .failed(.notPaired))
    var late = test.replica.syncState.makeAsyncIterator()
    #expect(await late.next() == .failed(.notPaired))
  }
}
