// SPDX-License-Identifier: Apache-2.0
// A replica's file: created once, private, shared by processes, and never mistaken for empty.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestTestSupport
import AtrestWire
import Foundation
import Testing

@testable import AtrestClient

@Suite("A replica's file", .timeLimit(.minutes(20)))
struct ReplicaFileTests {
  @Test("is made with its folder, for its owner's eyes only")
  func isPrivate() throws {
    let test = try TestReplica()
    func mode(_ url: URL) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
    }
    #expect(try mode(test.folder.replica) == 0o700)
    #expect(try mode(test.folder.file) == 0o600)
    try test.replica.save(WaterEntry.sample())
    for name in try FileManager.default.contentsOfDirectory(atPath: test.folder.replica.path) {
      #expect(try mode(test.folder.replica.appendingPathComponent(name)) == 0o600)
    }
  }

  @Test("has its name on the disk before anything is written to it")
  func synced() throws {
    let test = try TestReplica()
    // SQLite syncs its own files, which the simulated disk watches.
    #expect(SyncedPaths.under(test.folder.replica) == ["."])
  }

  @Test("is not needed by a replica in memory, which syncs like any other")
  func inMemory() async throws {
    let server = ModelServer(clock: TestClock())
    let disk = try TestReplica(1)
    try await disk.replica.save(WaterEntry.sample())
    try await disk.sync(server)
    let (one, other) = (
      try Replica.inMemory(clock: TestClock()), try Replica.inMemory()
    )
    let entry = try WaterEntry.sample()
    try await one.save(entry)
    try one.adopt(
      PairResponse(
        replica: ReplicaID(rawValue: 2), token: "secret-2", accountName: "home",
        serverTime: TestClock().now()), server: "127.0.0.1:7443")
    #expect(try one.waterEntry(entry.id) == entry && other.water().isEmpty)
    _ = try await SyncEngine(store: one, transport: ModelTransport(server: server)).sync()
    try await disk.sync(server)
    #expect(try one.water().count == 2 && one.digest() == disk.replica.digest())
  }

  @Test("is opened without blocking whoever waits for it")
  func opened() async throws {
    let folder = try Folder()
    let entry = try WaterEntry.sample()
    try await Replica.open(directory: folder.replica).save(entry)
    #expect(try await Replica.open(directory: folder.replica).waterEntry(entry.id) == entry)
  }

  @Test("asking whether there is one makes none")
  func exists() throws {
    let folder = try Folder()
    #expect(!Replica.exists(at: folder.replica))
    #expect(!FileManager.default.fileExists(atPath: folder.replica.path))
    _ = try Replica(directory: folder.replica)
    #expect(Replica.exists(at: folder.file), "what cannot be looked into is not taken for empty")
    #expect(Replica.exists(at: folder.replica))
  }

  @Test("keeps what was written over a reopening")
  func durable() throws {
    let test = try TestReplica()
    let session = try Session.sample()
    try test.replica.save(session)
    #expect(try test.reopened().session(session.id) == session)
    #expect(try test.reopened().digest() == test.replica.digest())
  }

  enum Damage: CaseIterable {
    case emptied, truncated, overwritten, otherDatabase
  }

  @Test("that is damaged is an error, and is left as it is", arguments: Damage.allCases)
  func damaged(damage: Damage) throws {
    let folder = try Folder()
    do {
      let replica = try Replica(directory: folder.replica)
      for _ in 0..<50 { try replica.save(WaterEntry.sample()) }
    }
    var bytes = try Data(contentsOf: folder.file)
    switch damage {
    case .emptied: bytes = Data()
    case .truncated: bytes = bytes.prefix(60)
    case .overwritten: bytes.replaceSubrange(0..<100, with: repeatElement(0x41, count: 100))
    case .otherDatabase: bytes[71] ^= 0xFF  // Part of the application ID.
    }
    try bytes.write(to: folder.file)
    #expect(throws: ReplicaError.damaged(path: folder.file.path)) {
      try Replica(directory: folder.replica)
    }
    #expect(try Data(contentsOf: folder.file) == bytes)
  }

  @Test("that is gone while its log is there is damage, and no new one is made from the log")
  func lostBesideItsLog() throws {
    let test = try TestReplica()
    try test.replica.save(WaterEntry.sample())
    let log = test.folder.file.path + "-wal"
    let left = try Data(contentsOf: URL(fileURLWithPath: log))
    try FileManager.default.removeItem(at: test.folder.file)
    #expect(!left.isEmpty)
    #expect(throws: ReplicaError.damaged(path: test.folder.file.path)) { try test.reopened() }
    #expect(try Data(contentsOf: URL(fileURLWithPath: log)) == left)
    #expect(!FileManager.default.fileExists(atPath: test.folder.file.path))
  }

  @Test("that is damaged inside is an error when the damage is met")
  func damagedInside() throws {
    let folder = try Folder()
    do {
      let replica = try Replica(directory: folder.replica)
      for _ in 0..<200 { try replica.save(WaterEntry.sample()) }
    }
    var bytes = try Data(contentsOf: folder.file)
    bytes.replaceSubrange(4096..., with: repeatElement(0x5A, count: bytes.count - 4096))
    try bytes.write(to: folder.file)
    #expect(throws: ReplicaError.damaged(path: folder.file.path)) {
      try Replica(directory: folder.replica).water()
    }
  }

  @Test(
    "whose rows hold what cannot be is an error when they are met",
    arguments: [
      "UPDATE outbox SET kind = -1", "UPDATE outbox SET offer = x'FF'",
      "UPDATE record SET id = zeroblob(16)",
    ])
  func damagedRows(damage: String) throws {
    let test = try TestReplica()
    try test.replica.save(WaterEntry.sample())
    try test.replica.write { try $0.database.execute(sql: damage) }
    #expect(throws: ReplicaError.damaged(path: test.folder.file.path)) {
      _ = try test.replica.pending()
      _ = try test.replica.record(
        RecordKey(kind: .water, id: [UInt8](repeating: 0, count: 16)))
    }
  }

  @Test("of a newer version is an error, and is left as it is")
  func newer() throws {
    let folder = try Folder()
    do { _ = try Replica(directory: folder.replica) }
    var bytes = try Data(contentsOf: folder.file)
    bytes[63] = 9  // The user version, big-endian, at byte 60.
    try bytes.write(to: folder.file)
    #expect(
      throws: ReplicaError.newer(path: folder.file.path, version: 9, supported: Schema.version)
    ) {
      try Replica(directory: folder.replica)
    }
    #expect(try Data(contentsOf: folder.file) == bytes)
  }

  @Test("in a place where none can be made is an error")
  func inaccessible() throws {
    let folder = try Folder()
    try Data("a file".utf8).write(to: folder.replica)
    #expect {
      try Replica(directory: folder.replica)
    } throws: { error in
      ReplicaError.Code.inaccessible ~= error
    }
  }

  @Test("that may not be written is no full disk")
  func readOnly() throws {
    let test = try TestReplica()
    try test.replica.read { try $0.database.execute(sql: "PRAGMA query_only = ON") }
    #expect(
      throws: ReplicaError.inaccessible(
        path: test.folder.file.path, reason: "it may not be written here")
    ) {
      try test.replica.save(WaterEntry.sample())
    }
  }

  @Test("that another handle holds is an error once the patience is over")
  func locked() throws {
    let test = try TestReplica()
    let other = try Replica(directory: test.folder.replica, clock: test.clock, busyTimeout: 0.01)
    try test.replica.transaction { transaction in
      try transaction.save(WaterEntry.sample())
      #expect(throws: ReplicaError.busy(path: test.folder.file.path)) {
        try other.save(WaterEntry.sample())
      }
      #expect(try other.water().isEmpty)  // Reads continue and see no partial transaction.
    }
    #expect(try other.water().count == 1)
  }

  @Test("two handles write in turn and lose nothing")
  func twoHandles() async throws {
    let test = try TestReplica()
    let handles = try (0..<2).map { _ in
      try Replica(directory: test.folder.replica, clock: test.clock)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for replica in handles {
        group.addTask {
          for _ in 0..<100 { try replica.save(WaterEntry.sample()) }
        }
      }
      try await group.waitForAll()
    }
    #expect(try test.replica.water().count == 200)
    let stamps = try test.offers().compactMap { $0.record.latestTime }
    #expect(Set(stamps).count == 200)
    #expect(try test.waitingCount == 200)
  }

  @Test("a transaction that throws leaves nothing behind")
  func rollback() throws {
    struct Stop: Error {}
    let test = try TestReplica()
    let digest = try test.replica.digest()
    #expect(throws: Stop.self) {
      try test.replica.transaction { transaction in
        try transaction.save(WaterEntry.sample())
        throw Stop()
      }
    }
    #expect(try test.replica.digest() == digest)
    #expect(try test.waitingCount == 0)
  }

  @Test("every error has a sentence")
  func sentences() {
    for error: ReplicaError in [
      .inaccessible(path: "/x", reason: "no"), .damaged(path: "/x"),
      .newer(path: "/x", version: 2, supported: 1), .busy(path: "/x"), .storage(reason: "full"),
      .invalid("No."), .alreadyPaired(account: "home"),
    ] {
      #expect(error.userMessage.hasSuffix("."))
      #expect(!error.userMessage.contains("\n"))
    }
  }
}
