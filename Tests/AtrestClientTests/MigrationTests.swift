// SPDX-License-Identifier: Apache-2.0
// Files of earlier versions are migrated completely, once, and without loss.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestTestSupport
import AtrestWire
import Foundation
import GRDB
import Testing

import struct AtrestReplication.Cursor
import struct AtrestReplication.Record

@testable import AtrestClient

@Suite("A replica's file of an earlier version", .timeLimit(.minutes(20)))
struct MigrationTests {
  /// A paired replica of version 1, with a record, an offer and a record to offer again.
  private func version1(_ folder: Folder) throws -> (water: WaterEntry, held: WaterEntry) {
    let stamp = Stamp(time: HybridTime(rawValue: 7 << 16), replica: ReplicaID(rawValue: 9))
    func record(_ entry: WaterEntry) -> Record {
      var record = Record(key: entry.key)
      record.set(Register(field: 1, stamp: stamp, value: []))
      record.set(Register(field: 2, stamp: stamp, value: WaterField.encode(entry.intake)))
      return record
    }
    let (water, held) = (try WaterEntry.sample(100), try WaterEntry.sample(200))
    try FileManager.default.createDirectory(
      at: folder.replica, withIntermediateDirectories: true)
    let queue = try DatabaseQueue(path: folder.file.path)
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
    try queue.write { database in
      try database.execute(sql: Schema.version1 + "PRAGMA user_version = 1")
      try database.execute(
        sql: """
          UPDATE replica SET id = 9, clock = \(7 << 16), epoch = -3, sequence = 12, account = 'home',
            server = '127.0.0.1:7443', token = 'secret', last_sync = 5, server_offset = 11
          """)
      for entry in [water, held] {
        let record = record(entry)
        try database.execute(
          sql: "INSERT INTO record (kind, id, body) VALUES (2, ?, ?)",
          arguments: [Data(entry.id.bytes), Data(record.encoded)])
        try database.execute(
          sql: "INSERT INTO outbox (kind, id, offer) VALUES (2, ?, ?)",
          arguments: [
            Data(entry.id.bytes),
            entry == held ? nil : Data(Offer(record: record, written: [1, 2]).encoded),
          ])
      }
    }
    try queue.close()
    return (water, held)
  }

  @Test("is brought to this one, with everything in it")
  func migrates() async throws {
    let folder = try Folder()
    let (water, held) = try version1(folder)
    let replica = try Replica(directory: folder.replica, clock: TestClock())
    #expect(try Set(replica.water()) == [water, held])
    let status = try replica.status()
    #expect(status.account == "home" && status.replica == ReplicaID(rawValue: 9))
    #expect(status.serverOffsetMilliseconds == 11 && status.pendingCount == 2)
    let place = Cursor(commit: UInt64(bitPattern: -3), sequence: 12)
    #expect(
      try await replica.position()
        == SyncPosition(cursor: place, credential: "secret"))
    #expect(try await replica.reconcileDemand() == nil)
    #expect(try replica.read { $0.state.joining } == nil)
    // A current server does not know the position and receives what it lacks.
    let server = ModelServer(clock: TestClock())
    let engine = SyncEngine(
      store: replica, transport: ModelTransport(server: server), clock: TestClock(),
      pacing: .instant(1))
    let report = try await engine.sync()
    #expect(report.restarted && !report.isRenewed)
    #expect(server.records == (try replica.allRecords()))
    #expect(try replica.status().pendingCount == 0)
    // A second opening has nothing left to migrate.
    #expect(try Replica(directory: folder.replica).digest() == replica.digest())
  }

  @Test("is brought there once, by however many handles at a time")
  func migratesOnce() async throws {
    let folder = try Folder()
    _ = try version1(folder)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<4 {
        group.addTask { try Replica(directory: folder.replica).water().count }
      }
      for try await count in group { #expect(count == 2) }
    }
  }

  /// A replica of version 3 that requested another identity.
  private func version3(_ folder: Folder, _ nonce: [UInt8]) throws {
    try FileManager.default.createDirectory(
      at: folder.replica, withIntermediateDirectories: true)
    let queue = try DatabaseQueue(path: folder.file.path)
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
    try queue.write { database in
      for step in Schema.steps.prefix(3) { try database.execute(sql: step) }
      try database.execute(
        sql: "UPDATE replica SET id = 9, renewal = ?", arguments: [Data(nonce)])
      try database.execute(sql: "PRAGMA user_version = 3")
    }
    try queue.close()
  }

  @Test(
    "of the third version keeps its request for an identity, and can join under a name of its own")
  func joins() async throws {
    let folder = try Folder()
    let nonce = [UInt8](repeating: 3, count: 32)
    try version3(folder, nonce)
    let replica = try Replica(directory: folder.replica, clock: TestClock())
    #expect(try await replica.renewal().nonce == nonce)
    let pending = PendingJoin(link: "atrest://127.0.0.1:7443/BCDF-GHJKLMNP", nonce: nonce)
    try replica.write { $0.state.joining = pending }
    #expect(try Replica(directory: folder.replica).read { $0.state.joining } == pending)
  }

  /// A replica of version 5: two pending writes with a refused one between them, and a record to
  /// offer again.
  private func version5(_ folder: Folder, held: UInt64?, attempts: [UInt64]) throws -> [WaterEntry]
  {
    let entries = try (0..<4).map { try WaterEntry.sample(100 + $0) }
    try FileManager.default.createDirectory(
      at: folder.replica, withIntermediateDirectories: true)
    let queue = try DatabaseQueue(path: folder.file.path)
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
    try queue.write { database in
      for step in Schema.steps.prefix(5) { try database.execute(sql: step) }
      try database.execute(
        sql: """
          UPDATE replica SET id = 9, clock = ?, epoch = -3, sequence = 12, seen_epoch = -4,
            seen_sequence = 15, must_reconcile = 0, account = 'home', server = '127.0.0.1:7443',
            token = 'secret', token_held = ?, token_attempts = ?
          """,
        arguments: [
          9 << 16, held.map { Int64(bitPattern: $0) },
          Data(attempts.flatMap { withUnsafeBytes(of: $0.littleEndian) { Array($0) } }),
        ])
      for (index, entry) in entries.enumerated() {
        let stamp = Stamp(
          time: HybridTime(rawValue: UInt64(index + 1) << 16), replica: ReplicaID(rawValue: 9))
        var record = Record(key: entry.key)
        record.set(Register(field: 1, stamp: stamp, value: []))
        record.set(Register(field: 2, stamp: stamp, value: WaterField.encode(entry.intake)))
        try database.execute(
          sql: "INSERT INTO record (kind, id, body) VALUES (2, ?, ?)",
          arguments: [Data(entry.id.bytes), Data(record.encoded)])
        let offer = Offer(record: record, written: [1, 2])
        try database.execute(
          sql: """
            INSERT INTO outbox (kind, id, offer, refused_reason, refused_message, lowest, highest)
            VALUES (2, ?, ?, ?, ?, 1, 2)
            """,
          arguments: [
            Data(entry.id.bytes), index == 3 ? nil : Data(offer.encoded),
            index == 1 ? Refusal.Reason.quota.rawValue : nil, index == 1 ? "Full." : nil,
          ])
      }
      try database.execute(sql: "PRAGMA user_version = 5")
    }
    try queue.close()
    return entries
  }

  private func engine(_ replica: Replica, _ server: ModelServer) -> SyncEngine {
    SyncEngine(
      store: replica, transport: ModelTransport(server: server), clock: TestClock(),
      pacing: .instant(1))
  }

  @Test("of the fifth version begins its log with its tokens, and numbers what waits")
  func outboxLog() async throws {
    let folder = try Folder()
    let (held, attempts): (UInt64, [UInt64]) = (0xF000_0000_0000_0001, [7, 0x8000_0000_0000_0008])
    _ = try version5(folder, held: held, attempts: attempts)
    let replica = try Replica(directory: folder.replica, clock: TestClock())
    let position = try await replica.position()
    #expect(position.cursor == Cursor(commit: UInt64(bitPattern: -3), sequence: 12))
    #expect(position.credential == "secret")
    // What that version forgot before the replica held everything may be lost by now.
    #expect(try replica.read { $0.state.isAfterLoss })
    // A refused write has no number: the server does not have it.
    let entries = try replica.read { transaction in
      var entries: [OutboxEntry] = []
      try transaction.work.outbox.forEachEntry { entry throws(ReplicaError) in entries.append(entry)
      }
      return entries
    }
    let numbers = entries.compactMap(\.number)
    #expect(entries.map { $0.number == nil } == [false, true, false, false])
    #expect(entries[1].refusal?.reason == .quota && entries[3].offer == nil)
    #expect(numbers == numbers.sorted() && Set(numbers).count == 3)
    // Whichever token the server took, with no number yet: it is in the past.
    for token in [held] + attempts {
      #expect(
        try replica.read { try $0.work.outbox.isInPast(OutboxPosition(number: 0, token: token)) },
        "\(token)")
    }
    #expect(try !replica.read { try $0.work.outbox.isInPast(OutboxPosition(number: 0, token: 9)) })
    // Sent entries are in the past, too.
    let segment = try #require(try await replica.nextPage(after: 0).segment)
    #expect(segment.confirmed.token == held && segment.numbers == numbers)
    #expect(
      try replica.read {
        try $0.work.outbox.isInPast(OutboxPosition(number: numbers[2], token: segment.token))
      })
    let columns = try replica.read {
      try $0.database.columns(in: "replica").map(\.name)
        + $0.database.columns(in: "outbox").map(\.name)
    }
    let gone = ["epoch", "seen_epoch", "token_held", "token_attempts", "lowest", "highest"]
    #expect(Set(columns).isDisjoint(with: gone))
  }

  /// What the server may have of a replica of version 5: nothing, the confirmed token, or one in
  /// flight.
  enum Known: CaseIterable {
    case nothing, confirmed, attempted, foreign
  }

  @Test(
    "of the fifth version goes on from whatever the server has of it, and is no copy",
    arguments: Known.allCases)
  func goesOn(known: Known) async throws {
    let folder = try Folder()
    _ = try version5(
      folder, held: known == .nothing ? nil : 5, attempts: known == .confirmed ? [] : [6, 7])
    let server = ModelServer(clock: TestClock())
    let token: UInt64 =
      switch known {
      case .nothing: 0
      case .confirmed: 5
      case .attempted: 7
      case .foreign: 8
      }
    server.state.withLock {
      $0.outboxes["secret"] = ModelServer.Outbox(
        takenThrough: OutboxPosition(number: 0, token: token))
    }
    let replica = try Replica(directory: folder.replica, clock: TestClock())
    let report = try await engine(replica, server).sync()
    #expect(report.isRenewed == (known == .foreign))
    #expect(try replica.status().pendingCount == 0)
    #expect(server.records.count == 4)
    #expect(server.records == (try replica.allRecords()))
    // And syncing continues.
    try await replica.save(WaterEntry.sample())
    #expect(try await !engine(replica, server).sync().isRenewed)
  }

  /// One transaction: all or nothing.
  @Test("that cannot be brought here stays as it was")
  func failing() throws {
    let folder = try Folder()
    _ = try version5(folder, held: 1, attempts: [2])
    var queue = try DatabaseQueue(path: folder.file.path)
    // Makes the last migration step fail.
    try queue.write { try $0.execute(sql: "CREATE TABLE outbox_token (x)") }
    let schema = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL"
    let before = try queue.read { try String.fetchAll($0, sql: schema) }
    try queue.close()
    #expect(throws: ReplicaError.self) { try Replica(directory: folder.replica) }
    queue = try DatabaseQueue(path: folder.file.path)
    #expect(try queue.read { try Int.fetchOne($0, sql: "PRAGMA user_version") } == 5)
    let after = try queue.read { try String.fetchAll($0, sql: schema) }
    #expect(after == before)
    try queue.close()
  }
}
