// SPDX-License-Identifier: Apache-2.0
// Files of earlier versions: brought to this one whole, once, and with nothing lost.

import AtrestDomain
import Foundation
import GRDB
import Replication
import SyncProtocol
import TestSupport
import Testing

import struct Replication.Record
import struct SyncProtocol.Cursor

@testable import AtrestClient

@Suite("A replica's file of an earlier version")
struct MigrationTests {
  /// A paired replica of the first version, with a record, an offer and a record to offer again.
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
    let place = Cursor(epoch: UInt64(bitPattern: -3), sequence: 12)
    let standing = try await replica.standing()
    #expect(standing == Standing(cursor: place, seen: place, credential: "secret"))
    #expect(try await replica.reconcileDemand() == nil)
    #expect(try replica.read { $0.state.joining } == nil)
    #expect(try await replica.beginOffering().token.held.isEmpty)
    // The server of today does not know the place, and gets what it lacks.
    let server = ModelServer(clock: TestClock())
    let engine = SyncEngine(
      store: replica, transport: ModelTransport(server: server), clock: TestClock(),
      pacing: .instant(1))
    #expect(try await engine.sync().restarted)
    #expect(server.records == (try replica.allRecords()))
    #expect(try replica.status().pendingCount == 0)
    // A second opening finds nothing left to do.
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

  /// A replica of the third version that asked for another identity.
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
}
