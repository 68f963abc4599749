// SPDX-License-Identifier: Apache-2.0
// The doctor changes nothing and distinguishes differences from changes that are not synced yet.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation
import Testing

@testable import AtrestClient

@Suite("A look at everything", .timeLimit(.minutes(20)))
struct DoctorTests {
  private func differences(_ test: TestReplica, _ server: ModelServer) async throws -> Differences {
    let waiting = Set(try test.replica.pending().map(\.key))
    return try await test.engine(ModelTransport(server: server)).differences(waiting: waiting)
  }

  @Test("tells differences from writes that wait and from news, and changes nothing")
  func tells() async throws {
    let server = ModelServer(clock: TestClock())
    let (mine, theirs) = (try TestReplica(1), try TestReplica(2))
    let entries = try (0..<4).map { _ in try WaterEntry.sample() }
    for entry in entries { try await mine.replica.save(entry) }
    try await mine.sync(server)
    #expect(try await differences(mine, server).count == 0)
    try await theirs.sync(server)
    let news = try WaterEntry.sample()
    try await theirs.replica.save(news)
    try await theirs.sync(server)
    let waiting = try WaterEntry.sample()
    try await mine.replica.save(waiting)
    // Damage that no write explains: a record missing on each side, and one altered.
    let odd = Register(
      field: 9, stamp: Stamp(time: HybridTime(rawValue: 1), replica: ReplicaID(rawValue: 3)),
      value: [0x48, 1])
    server.state.withLock { state in
      state.records[entries[0].key] = nil
      state.sorted = nil
    }
    try mine.replica.write { transaction in
      try transaction.database.execute(
        sql: "DELETE FROM record WHERE id = ?", arguments: [Data(entries[1].id.bytes)])
      var record = try #require(try transaction.record(entries[2].key))
      record.set(odd)
      try transaction.work.records.put(record)
    }
    let digest = try mine.replica.digest()
    let sequence = server.state.withLock { $0.sequence }
    let found = try await differences(mine, server)
    #expect(found.missingThere == [entries[0].key])
    #expect(found.missingHere == [entries[1].key])
    #expect(found.different == [entries[2].key])
    #expect(found.news == [news.key])
    #expect(!found.isRestarted)
    #expect(try mine.replica.digest() == digest && mine.waitingCount == 1)
    #expect(server.state.withLock { $0.sequence } == sequence)
    #expect(server.requests.last?.isPeek == true, "what was only looked at is not held")

    try await mine.replica.writing { $0.work.demandReconcile(afterLoss: false) }
    let report = try await mine.sync(server)
    #expect(report.pushed == 3)
    #expect(try await differences(mine, server).count == 0)
    #expect(server.records == (try mine.replica.allRecords()))
  }

  @Test("says when the server lost something")
  func restarted() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    try await test.replica.save(WaterEntry.sample())
    try await test.sync(server)
    server.wipe()
    let found = try await differences(test, server)
    #expect(found.isRestarted && found.missingThere.count == 1)
    #expect(try await test.replica.reconcileDemand() == nil)
  }

  @Test("reads every record and every waiting write")
  func examines() throws {
    let test = try TestReplica(1)
    for _ in 0..<3 { try test.replica.save(WaterEntry.sample()) }
    #expect(try test.replica.examine() == 3)
  }

  @Test(
    "finds damage before it is met",
    arguments: [
      "UPDATE record SET body = x'FF'", "UPDATE record SET id = zeroblob(16)",
      "UPDATE outbox SET offer = x'FF'", "UPDATE outbox SET id = zeroblob(16)",
      "DELETE FROM record; UPDATE outbox SET offer = NULL",
    ])
  func damage(statement: String) throws {
    let test = try TestReplica(1)
    try test.replica.save(WaterEntry.sample())
    try test.replica.write { try $0.database.execute(sql: statement) }
    #expect(throws: ReplicaError.damaged(path: test.folder.file.path)) {
      try test.replica.examine()
    }
  }
}
