// SPDX-License-Identifier: Apache-2.0
// Listings cost what they show and equal a scan of all records.

import AtrestDomain
import AtrestEntitlements
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Foundation
import GRDB
import Testing

@testable import AtrestClient

@Suite("Listings", .timeLimit(.minutes(20)))
struct ListingTests {
  /// Compares the listings with a scan of all records.
  private func checkListings(_ replica: Replica, _ note: Comment = "") throws {
    let sessions = try replica.sessions()
    let water = try replica.water()
    try replica.look { store in
      let open = sessions.filter { $0.span.outcome == .active }
      #expect(try store.openSessions() == open, note)
      let all = try store.history()
      let history = CalendarPolicy.entries(of: sessions, for: .premium).map(\.session)
      #expect(all == history, note)
      #expect(try store.history(limit: 3) == Array(history.prefix(3)), note)
      let (from, before) = (
        WallTime(milliseconds: 1_800_000_000_000), WallTime(milliseconds: 1_800_100_000_000)
      )
      let between = history.filter { session in
        session.span.end.map { from <= $0 && $0 < before } ?? false
      }
      #expect(try store.history(from: from, before: before) == between, note)
      let drunk = water.filter { from <= $0.intake.at && $0.intake.at < before }
      #expect(try store.water(from: from, before: before) == drunk, note)
    }
    var completed = CompletedFasts()
    for record in try replica.allRecords() where record.key.kind == .session {
      guard let id = RecordUUID(bytes: record.key.id) else { continue }
      let session = try? Session(record)
      if session?.span.outcome == .completed
        || session == nil && record.isDeleted && record.floor != nil
      {
        completed.insert(id)
      }
    }
    let counted = try replica.look { (try $0.completedFasts(), try $0.completedCount()) }
    #expect(counted.0 == completed && counted.1 == completed.count, note)
  }

  private func act(_ replica: Replica, _ random: inout SeededRandom) throws {
    let sessions = try replica.sessions()
    let start = Int.random(in: 0...3000, using: &random)
    let lasted: Int? = random.oneIn(3) ? nil : Int.random(in: 0...1500, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0, 1:
      try replica.save(Session.sample(id: random.uuid(), start: start, lasted: lasted))
    case 2:
      guard let old = sessions.randomElement(using: &random) else { return }
      var session = try Session.sample(id: old.id, start: start, lasted: lasted)
      if let end = session.span.end, random.oneIn(3),
        let span = Session.Span(start: session.span.start, end: end, outcome: .abandoned)
      {
        session.span = span
      }
      try replica.save(session)
    case 3:
      guard let old = sessions.randomElement(using: &random) else { return }
      try replica.delete(old.key)
    default:
      let at = WallTime(milliseconds: 1_800_000_000_000 + Int64(start) * 60_000)
      let intake = try #require(WaterEntry.Intake(at: at, millilitres: 250))
      try replica.save(WaterEntry(id: random.uuid(), intake: intake))
    }
  }

  @Test(
    "hold what a look at everything holds, whatever two devices did and exchanged",
    arguments: seeds(20))
  func agree(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let server = ModelServer(clock: TestClock())
    let devices = [try TestReplica(1), try TestReplica(2)]
    for step in 0..<60 {
      let device = devices[step % 2]
      device.clock.advance(1000)
      try act(device.replica, &random)
      if random.oneIn(8) { try await device.sync(server) }
      if random.oneIn(25) {
        // Deleted fasts that the server pruned still count.
        server.state.withLock { state in
          for record in state.records.values.map(\.record) { state.put(record.pruned()) }
        }
      }
      try checkListings(device.replica, "seed \(seed), step \(step)")
    }
    for device in devices {
      try await device.sync(server)
      try checkListings(device.replica, "seed \(seed), at the end")
    }
  }

  @Test("of a file of an older version are filled when it is opened")
  func older() throws {
    let test = try TestReplica()
    var random = SeededRandom(seed: 7)
    for _ in 0..<50 { try act(test.replica, &random) }
    let before = try test.replica.sessions()
    let folder = try Folder()
    try FileManager.default.createDirectory(
      at: folder.replica, withIntermediateDirectories: true)
    let queue = try DatabaseQueue(path: folder.file.path)
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
    let records = try test.replica.allRecords()
    try queue.write { database in
      try database.execute(sql: Schema.version1 + "PRAGMA user_version = 1")
      for record in records {
        try database.execute(
          sql: "INSERT INTO record (kind, id, body) VALUES (?, ?, ?)",
          arguments: [record.key.kind.rawValue, Data(record.key.id), Data(record.encoded)])
      }
    }
    try queue.close()
    let replica = try Replica(directory: folder.replica, clock: test.clock)
    #expect(try replica.sessions() == before)
    try checkListings(replica)
  }

  @Test("an id's distinct digits are one more than it shares with its neighbours")
  func digits() throws {
    let test = try TestReplica()
    let ids = [
      "3F2A0000-0000-4000-8000-000000000001", "3F2B0000-0000-4000-8000-000000000001",
      "90000000-0000-4000-8000-000000000001",
    ]
    .compactMap(RecordUUID.init(uuidString:))
    for id in ids { try test.replica.save(Session.sample(id: id)) }
    let digits = try test.replica.look { store in
      try ids.map { try store.distinctDigits(of: RecordKey(kind: .session, id: $0.bytes)) }
    }
    #expect(digits == [4, 4, 1])
  }
}
