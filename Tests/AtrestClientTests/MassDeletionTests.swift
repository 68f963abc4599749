// SPDX-License-Identifier: Apache-2.0
// A mass deletion waits for the user's confirmation; everything else is synced.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation
import Testing

@testable import AtrestClient

@Suite("Deleting most of what there is", .timeLimit(.minutes(20)))
struct MassDeletionTests {
  private struct Scene {
    let server = ModelServer(clock: TestClock())
    let test: TestReplica
    let entries: [WaterEntry]

    init(_ count: Int) async throws {
      test = try TestReplica(1)
      entries = try (0..<count).map { _ in try WaterEntry.sample() }
      for entry in entries { try await test.replica.save(entry) }
      try await test.sync(server)
    }

    func delete(_ count: Int) throws {
      for entry in entries.prefix(count) { try test.replica.delete(entry.key) }
    }

    func sync(cut: ModelTransport.Cut) async {
      var transport = ModelTransport(server: server)
      transport.cut = { _ in cut }
      _ = try? await test.engine(transport).sync()
    }

    @discardableResult
    func syncAllowingDeletion() async throws -> SyncReport {
      try await test.engine(ModelTransport(server: server)).sync(allowingMassDeletion: true)
    }

    func deletedCount() -> Int { server.records.count { $0.isDeleted } }
  }

  @Test("waits, while the rest is pushed and pulled")
  func waits() async throws {
    let scene = try await Scene(30)
    try scene.delete(16)
    let fresh = try WaterEntry.sample()
    try await scene.test.replica.save(fresh)
    let other = try TestReplica(2)
    try await other.replica.save(WaterEntry.sample())
    try await other.sync(scene.server)
    let requests = scene.server.requests.count
    await #expect(throws: SyncError.massDeletion(count: 16, of: 30)) {
      try await scene.test.sync(scene.server)
    }
    #expect(scene.server.requests[requests...].allSatisfy { $0.offers.count <= 1 })
    #expect(scene.deletedCount() == 0)
    #expect(scene.server.records.contains { $0.key == fresh.key })
    #expect(try scene.test.replica.allRecords().count == 32)
    let status = try scene.test.replica.status()
    #expect(status.pendingCount == 16 && status.heldDeletionCount == 16 && status.refusedCount == 0)
    #expect(status.lastSync != nil)
    #expect(
      try await !scene.test.replica.hasWaitingWrites(), "watching does not ask again and again")
  }

  @Test("goes on with a word, and only then")
  func allowed() async throws {
    let scene = try await Scene(30)
    try scene.delete(30)
    _ = try? await scene.test.sync(scene.server)
    _ = try? await scene.test.sync(scene.server)
    #expect(scene.deletedCount() == 0)
    try await scene.syncAllowingDeletion()
    #expect(scene.deletedCount() == 30)
    #expect(try scene.test.waitingCount == 0)
    #expect(try scene.test.replica.status().heldDeletionCount == 0)
  }

  @Test("is not what deleting half of it is, or some of little", arguments: [(30, 15), (19, 19)])
  func few(count: Int, deleted: Int) async throws {
    let scene = try await Scene(count)
    try scene.delete(deleted)
    try await scene.test.sync(scene.server)
    #expect(scene.deletedCount() == deleted)
  }

  @Test("is decided anew each time: what is written back waits no more")
  func writtenBack() async throws {
    let scene = try await Scene(30)
    try scene.delete(20)
    _ = try? await scene.test.sync(scene.server)
    for entry in scene.entries.prefix(8) { try await scene.test.replica.save(entry) }
    try await scene.test.sync(scene.server)
    #expect(scene.deletedCount() == 12)
    #expect(try scene.test.waitingCount == 0)
    #expect(scene.server.records == (try scene.test.replica.allRecords()))
  }

  /// Seed 0x180 of 200 steps: the deletion was offered later, when the user allowed the others, and
  /// lost to the write.
  @Test("is taken back by writing to the record, whatever was written with it or pulled since")
  func takenBack() async throws {
    let scene = try await Scene(30)
    let (plain, edited, pulled) = (scene.entries[0], scene.entries[1], scene.entries[2])
    try await scene.test.replica.save(WaterEntry.sample(id: edited.id, 300))
    try scene.delete(20)
    _ = try? await scene.test.sync(scene.server)
    let other = try TestReplica(2)
    try await other.sync(scene.server)
    try await other.replica.save(WaterEntry.sample(id: pulled.id, 400))
    try await other.sync(scene.server)
    _ = try? await scene.test.sync(scene.server)

    for entry in [plain, edited, pulled] {
      try await scene.test.replica.save(WaterEntry.sample(id: entry.id, 500))
    }
    #expect(try scene.test.replica.status().heldDeletionCount == 17)
    try await scene.syncAllowingDeletion()
    #expect(scene.deletedCount() == 17)
    #expect(scene.server.journal.isEmpty, "each write saw what it was written over")
    #expect(scene.server.records == (try scene.test.replica.allRecords()))
  }

  /// Seed 0xb9c of 200 steps: the later write was sent first, and the journal said that it had not
  /// seen the earlier one.
  @Test("is taken back by a later write, too, where somebody else's deletion was pulled in between")
  func takenBackUnderAnother() async throws {
    let scene = try await Scene(30)
    let id = scene.entries[0].id
    try await scene.test.replica.save(WaterEntry.sample(id: id, 300))
    try scene.delete(20)
    _ = try? await scene.test.sync(scene.server)
    let other = try TestReplica(2)
    other.clock.advance(10_000)
    try await other.sync(scene.server)
    try other.replica.delete(scene.entries[0].key)
    try await other.sync(scene.server)
    _ = try? await scene.test.sync(scene.server)
    scene.test.clock.advance(20_000)
    try await scene.test.replica.save(WaterEntry.sample(id: id, 400))
    #expect(try scene.test.replica.status().heldDeletionCount == 19)
    _ = try? await scene.test.sync(scene.server)
    try await scene.syncAllowingDeletion()
    #expect(scene.server.journal.allSatisfy { $0.lost.stamp.replica != $0.kept.stamp.replica })
    #expect(try scene.test.replica.waterEntry(id)?.intake.millilitres == 400)
  }

  /// Seed 0x92d35 of 200 steps: the write kept above the deletion's stamp, which was far ahead of
  /// the server's clock, and was refused each time.
  @Test(
    "is taken back where the server refuses it and a later write waits, even a numbered one",
    arguments: [false, true])
  func takenBackAtRefusal(hasEdit: Bool) async throws {
    let scene = try await Scene(15)
    scene.server.state.withLock { $0.massDeletionFloor = 2 }
    let entry = scene.entries[0]
    if hasEdit { try await scene.test.replica.save(WaterEntry.sample(id: entry.id, 300)) }
    let before = try #require(try scene.test.replica.record(entry.key)?[Register.deletedField])
    try scene.delete(9)
    let (request, page) = try await scene.test.attempt()
    try await scene.test.replica.save(WaterEntry.sample(id: entry.id, 500))
    // Another process of this replica is about to send it.
    _ = try await scene.test.attempt()
    try await scene.test.apply(
      scene.server.exchange(request, as: "secret-1"), to: request, page: page)
    let write = try #require(try scene.test.replica.record(entry.key)?[Register.deletedField])
    #expect(write.replaced == before.stamp)
    let waiting = try scene.test.offers().filter { $0.record.key == entry.key }
    #expect(waiting.count == (hasEdit ? 2 : 1))
    _ = try? await scene.test.sync(scene.server)
    #expect(try scene.test.replica.status().heldDeletionCount == 8)
    #expect(scene.server.journal.isEmpty)
  }

  @Test("does not count what the server never knew")
  func unknownToServer() async throws {
    let scene = try await Scene(20)
    for _ in 0..<40 {
      let entry = try WaterEntry.sample()
      try await scene.test.replica.save(entry)
      try scene.test.replica.delete(entry.key)
    }
    try await scene.test.sync(scene.server)
    #expect(scene.deletedCount() == 40)
  }

  @Test("is also what only the server counts as such")
  func serverCounts() async throws {
    let other = try await Scene(15)
    other.server.state.withLock { $0.massDeletionFloor = 2 }
    try other.delete(9)
    await #expect(throws: SyncError.massDeletion(count: 9, of: 15)) {
      try await other.test.sync(other.server)
    }
    #expect(other.deletedCount() == 0)
    try await other.syncAllowingDeletion()
    #expect(other.deletedCount() == 9)
  }

  /// Seed 0x7a32b of 200 steps: the server repeats its refusal of an unconfirmed request.
  @Test("is pushed at the first confirmation, even if a refusal before it was lost")
  func refusedUnheard() async throws {
    let scene = try await Scene(15)
    scene.server.state.withLock { $0.massDeletionFloor = 2 }
    try scene.delete(9)
    await scene.sync(cut: .afterServer)
    #expect(try scene.test.replica.status().heldDeletionCount == 0, "the refusal was lost")
    let report = try await scene.syncAllowingDeletion()
    #expect(report.heldDeletions == nil)
    #expect(try scene.deletedCount() == 9 && scene.test.waitingCount == 0)
  }

  @Test("is held if the server refuses it although it was confirmed")
  func neverAllowed() async throws {
    let scene = try await Scene(15)
    scene.server.state.withLock { $0.refuses = { $0.isDeleted ? .massDeletion : nil } }
    try scene.delete(9)
    await #expect(throws: SyncError.massDeletion(count: 9, of: 15)) {
      try await scene.syncAllowingDeletion()
    }
  }

  /// Seed 0x30d87 of 200 steps: the journal said that the deletion lost to a write that knew it.
  /// Servers of 0.1.0 refuse such a deletion; ours do if the write comes with a later request.
  @Test("holds no deletion of a record that the person wrote to since")
  func writtenSince() async throws {
    let scene = try await Scene(15)
    scene.server.state.withLock { $0.massDeletionFloor = 2 }
    try scene.delete(9)
    await scene.sync(cut: .beforeServer)
    let id = try #require(
      try scene.test.replica.allRecords().first { $0.isDeleted }.flatMap {
        RecordUUID(bytes: $0.key.id)
      })
    try await scene.test.replica.save(WaterEntry.sample(id: id, 400))
    _ = try? await scene.test.sync(scene.server)
    #expect(try scene.test.replica.status().heldDeletionCount == 8)
    try await scene.syncAllowingDeletion()
    #expect(scene.server.journal.isEmpty && scene.deletedCount() == 8)
    #expect(try scene.test.replica.waterEntry(id)?.intake.millilitres == 400)
  }

  /// The server may have accepted it already: then there is nothing left to confirm.
  @Test("does not hold back what was sent before, and whose answer was lost")
  func sentBefore() async throws {
    let scene = try await Scene(30)
    try scene.delete(10)
    await scene.sync(cut: .beforeServer)
    try scene.delete(16)
    await #expect(throws: SyncError.massDeletion(count: 16, of: 30)) {
      try await scene.test.sync(scene.server)
    }
    #expect(scene.deletedCount() == 10)
    #expect(try scene.test.replica.status().heldDeletionCount == 6)
    #expect(try scene.test.numbers() == Array(repeating: nil, count: 6))
  }

  @Test("waits also when everything is stamped again")
  func restamped() async throws {
    let scene = try await Scene(30)
    scene.test.clock.advance(3_600_000)
    try scene.delete(30)
    try await scene.test.replica.save(WaterEntry.sample())
    await #expect(throws: SyncError.massDeletion(count: 30, of: 31)) {
      try await scene.test.sync(scene.server)
    }
    #expect(scene.deletedCount() == 0)
    #expect(scene.server.records.count == 31)
  }

  @Test("while watching is told, and watching goes on")
  func watching() async throws {
    let scene = try await Scene(30)
    try scene.delete(30)
    let told = Shared<[HeldDeletions?]>([])
    let transport = WatchTests.Playing(server: scene.server) { _, _ in ([], .accessEnded) }
    await #expect(throws: SyncError.accessEnded) {
      try await scene.test.engine(transport).watch { report, _ in
        told.update { $0.append(report.heldDeletions) }
      }
    }
    #expect(told.value == [HeldDeletions(count: 30, of: 30)])
  }
}
