// SPDX-License-Identifier: Apache-2.0
// Account usage, limits and events, and writes to a full account.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestTestSupport
import AtrestWire
import Foundation
import Testing

import struct AtrestReplication.Record

@testable import AtrestClient

@Suite("An account as a whole", .timeLimit(.minutes(20)))
struct AccountTests {
  private let server = ModelServer(clock: TestClock())

  private static func events(_ count: Int) -> @Sendable (EventsRequest) -> EventsResponse {
    { request in
      let last = request.pageToken.isEmpty ? UInt64(count) : (UInt64(request.pageToken) ?? 1) - 1
      let first = last > 2 ? last - 2 : 1
      let page =
        last == 0
        ? []
        : (first...last).reversed().map {
          AccountEvent(number: $0, at: WallTime(milliseconds: 1), kind: .codeMade)
        }
      return EventsResponse(events: page, nextPageToken: first > 1 ? "\(first)" : "")
    }
  }

  private func read(
    _ test: TestReplica, events: @escaping @Sendable (EventsRequest) -> EventsResponse
  ) async throws -> [AccountPart] {
    var parts: [AccountPart] = []
    try await test.engine(ModelTransport(server: server)).readAccount(
      through: ScriptedAccounts(page: events)
    ) { parts.append($0) }
    return parts
  }

  /// A server's responses about an account, apart from its records.
  private struct ScriptedAccounts: AccountTransport {
    let page: @Sendable (EventsRequest) -> EventsResponse

    func account() async throws(SyncError) -> AccountsGetResponse {
      AccountsGetResponse(
        name: "home", created: WallTime(milliseconds: 1), devices: 1, records: 2, bytes: 3,
        limits: AccountLimits())
    }

    func devices() async throws(SyncError) -> DevicesListResponse {
      DevicesListResponse(devices: [])
    }

    func events(_ request: EventsRequest) async throws(SyncError) -> EventsResponse {
      page(request)
    }
  }

  @Test("everything the server holds comes, page by page, and nothing of it is kept")
  func readsAll() async throws {
    let writer = try TestReplica(1)
    for index in 0..<25 { try await writer.replica.save(WaterEntry.sample(100 + index)) }
    try await writer.sync(server)
    server.state.withLock { state in
      state.pageRecords = 10
      // A kind of a future version.
      var record = Record(key: RecordKey(kind: RecordKind(rawValue: 77), id: [1]))
      record.set(
        Register(
          field: 9, stamp: Stamp(time: HybridTime(rawValue: 5), replica: ReplicaID(rawValue: 3)),
          value: [0x4A, 0x01, 0x07]))
      state.put(record)
    }
    let reader = try TestReplica(2)
    let parts = try await read(reader, events: Self.events(7))
    var (records, numbers, pages): ([Record], [UInt64], Int) = ([], [], 0)
    for part in parts {
      switch part {
      case .records(let page):
        records += page
        pages += 1
      case .events(let page): numbers += page.map(\.number)
      case .account, .devices: break
      }
    }
    #expect(records.sorted { $0.key < $1.key } == server.records && pages == 3)
    #expect(numbers == [7, 6, 5, 4, 3, 2, 1])
    guard case .account = parts.first, case .devices = parts[1] else {
      Issue.record("the account and its devices come first")
      return
    }
    #expect(try reader.replica.allRecords().isEmpty)
    #expect(try await reader.replica.position() == SyncPosition(credential: "secret-2"))
    // The requests are peeks: what is not stored must not move the cursor.
    #expect(server.requests.suffix(3).map(\.isPeek) == [true, true, true])
    // With the head, so that a server that goes back meanwhile says so.
    let head = server.state.withLock { $0.head }
    #expect(server.requests.suffix(3).map(\.lastKnownHead) == [nil, head, head])
  }

  @Test("a server that always has older events, and never tells them, is not asked for ever")
  func endlessEvents() async throws {
    let test = try TestReplica(1)
    for page in [
      EventsResponse(events: [], nextPageToken: "1"),
      EventsResponse(
        events: [AccountEvent(number: 5, at: WallTime(milliseconds: 1), kind: .codeMade)],
        nextPageToken: "5"),
    ] {
      await #expect(throws: SyncError.badAnswer("there are older events, but they do not come")) {
        try await read(test) { _ in page }
      }
    }
  }

  @Test("writes for which there is no room wait, are counted apart, and go once there is some")
  func quota() async throws {
    let test = try TestReplica(1)
    server.state.withLock { $0.refuses = { $0.isDeleted ? nil : .quota } }
    let (kept, other) = (try WaterEntry.sample(), try WaterEntry.sample())
    for entry in [kept, other] { try await test.replica.save(entry) }
    for _ in 0..<2 {
      let report = try await test.sync(server)
      #expect(report.refused == 2 && report.overQuota == 2 && report.pushed == 0)
      #expect(try test.replica.status().refusedCount == 2)
    }
    #expect(try test.replica.pending().allSatisfy { $0.refusal?.reason == .quota })
    // Deleting frees space and is never refused.
    try test.replica.delete(other.key)
    #expect(try await test.sync(server).overQuota == 1)
    server.state.withLock { $0.refuses = { _ in nil } }
    let report = try await test.sync(server)
    #expect(report.pushed == 1 && report.overQuota == 0 && report.refused == 0)
    #expect(server.records == (try test.replica.allRecords()))
  }

  @Test("a deletion of what a full account never had is done, and only if it never had it")
  func mootDeletion() async throws {
    let test = try TestReplica(1)
    let (known, unknown) = (try WaterEntry.sample(), try WaterEntry.sample())
    try await test.replica.save(known)
    try await test.sync(server)
    server.state.withLock { $0.refuses = { _ in .quota } }
    try await test.replica.save(unknown)
    #expect(try await test.sync(server).overQuota == 1)

    try test.replica.delete(unknown.key)
    #expect(try test.replica.status().pendingCount == 1)
    var report = try await test.sync(server)
    #expect(report.overQuota == 0 && report.refused == 0 && report.pushed == 0)
    let status = try test.replica.status()
    #expect(status.pendingCount == 0 && status.refusedCount == 0)
    #expect(try test.replica.pending().isEmpty)

    // What the server has must go there, too.
    try test.replica.delete(known.key)
    #expect(try await test.sync(server).overQuota == 1)
    #expect(try test.replica.pending().map(\.key) == [known.key])

    // A copy of this device may have brought it, so the deletion follows once there is room.
    server.state.withLock { $0.refuses = { _ in nil } }
    report = try await test.sync(server)
    #expect(report.pushed == 2 && report.refused == 0)
    #expect(server.records == (try test.replica.allRecords()))
  }

  @Test("what was deleted for want of room can be restored, and waits again")
  func undoneMootDeletion() async throws {
    let test = try TestReplica(1)
    server.state.withLock { $0.refuses = { _ in .quota } }
    let entry = try WaterEntry.sample()
    try await test.replica.save(entry)
    try await test.sync(server)
    try test.replica.delete(entry.key)
    try await test.sync(server)
    try await test.replica.save(entry)
    #expect(try await test.sync(server).overQuota == 1)
    #expect(try test.replica.status().refusedCount == 1)
  }
}
