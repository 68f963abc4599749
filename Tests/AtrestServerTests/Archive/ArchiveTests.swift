// SPDX-License-Identifier: Apache-2.0
// The contract of `StoreArchive`: pages, locks, and what a check finds.

import AtrestPostgreSQL
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Foundation
import Testing

@testable import AtrestServer

extension Archives {
  @Suite(.timeLimit(.minutes(20))) struct ArchiveTests {
    private let folder: Folder

    init() throws {
      folder = try Folder()
    }

    @Test("pages hold every row once, ascending by key", arguments: ArchiveEngine.all)
    func pages(engine: ArchiveEngine) async throws {
      let store = try engine.open(folder)
      let filled = try FilledStore(store)
      let head = try store.transaction { t throws(StoreError) in
        try t.accounts.feedState(of: filled.kim)
      }
      store.close()
      let dump = try await engine.dump(folder)
      for rows in dump.rows.values {
        let keys = rows.map(\.key)
        #expect(keys == Set(keys).sorted())
      }
      #expect(
        dump.rows.mapValues(\.count) == [
          .accounts: 2, .devices: 5, .commits: 11, .records: 20, .events: 7,
        ])
      #expect(dump.summary.lastAccount == 4)
      #expect(dump.summary.accounts == 2)
      #expect(dump.summary.records == 20)
      guard case .account(let kim)? = dump.rows[.accounts]?.first else {
        throw Unforeseen()
      }
      #expect(kim.head == head.head.sequence && kim.headCommit == head.head.commit)
      #expect(kim.holdings == head.holdings)
      #expect(kim.purchases.map(\.key.original) == ["2", "1"])
    }

    @Test("an empty store has no rows, and is not changed by a check", arguments: ArchiveEngine.all)
    func empty(engine: ArchiveEngine) async throws {
      try engine.open(folder).close()
      let dump = try await engine.dump(folder)
      #expect(dump.rows.isEmpty)
      #expect(dump.summary.lastAccount == 0)
      let report = try await engine.withArchive(folder, .check) {
        try await ArchiveReport.check($0)
      }
      #expect(report.problemCount == 0 && report.accounts == 0)
    }

    @Test("a copy has the store alone", arguments: ArchiveEngine.all)
    func alone(engine: ArchiveEngine) async throws {
      let store = try engine.open(folder)
      for use in [ArchiveUse.source, .target] {
        await #expect(throws: StoreError.self) {
          await (try engine.archive(folder, use)).close()
        }
      }
      store.close()
      try await engine.withArchive(folder, .source) { _ in
        #expect(throws: StoreError.self) { try engine.open(folder).close() }
        await #expect(throws: StoreError.self) {
          await (try engine.archive(folder, .check)).close()
        }
      }
      try engine.open(folder).close()
    }

    @Test("a database is checked while daemons use it, as it was at one moment")
    func checkedInUse() async throws {
      let engine = ArchiveEngine.postgres
      let store = try engine.open(folder)
      defer { store.close() }
      let filled = try FilledStore(store)
      let before = try await engine.dump(folder)
      try await engine.withArchive(folder, .check) { archive in
        _ = try store.exchange(filled.kim, request(nil, water(60)), by: phone)
        #expect(try await ArchiveDump(archive) == before)
      }
      #expect(try await engine.dump(folder) != before)
    }

    @Test("there is nothing to check or to copy where there is no store")
    func nothing() async throws {
      let engine = ArchiveEngine.sqlite(77)
      for use in [ArchiveUse.check, .source] {
        await #expect(
          throws: StoreError.olderVersion(
            path: folder.data, found: 0, supported: SQLiteSchema.version)
        ) { await (try engine.archive(folder, use)).close() }
      }
      #expect(!FileManager.default.fileExists(atPath: folder.data))
    }

    @Test("of a place that cannot be entered nobody says that it holds no store")
    func closed() async throws {
      let engine = ArchiveEngine.sqlite(77)
      try Data().write(to: URL(fileURLWithPath: folder.data))
      await #expect(throws: StoreError.cannotOpen(path: folder.data, reason: "Not a directory")) {
        await (try engine.archive(folder, .check)).close()
      }
    }

    @Test("a dry run says what a migration would do, and does nothing")
    func dryRun() async throws {
      let address = try PostgresAddress(parsing: Databases.shared.get().makeEmpty())
      let (none, current) = (0, PostgresSchema.version)
      for _ in 0..<2 {
        let dry = try await PostgresSchema.migrate(address, isDryRun: true)
        #expect(dry == PostgresSchema.Migration(from: none, to: current))
      }
      await #expect(
        throws: StoreError.olderVersion(path: "\(address)", found: none, supported: current)
      ) {
        await (try PostgresArchive.open(address, for: .check, limits: .patient) { 76 }).close()
      }
      let made = try await PostgresSchema.migrate(address)
      #expect(made == PostgresSchema.Migration(from: none, to: current))
      let again = try await PostgresSchema.migrate(address)
      #expect(again == PostgresSchema.Migration(from: current, to: current))
    }

    @Test(
      "a check finds counters, heads, records and devices that cannot be",
      arguments: ArchiveEngine.all)
    func problems(engine: ArchiveEngine) async throws {
      let store = try engine.open(folder)
      let kim = try store.makeAccount("kim")
      let sam = try store.makeAccount("sam")
      try store.makeDevice(phone, kim)
      _ = try store.exchange(kim, request(nil, water(1), water(2), water(3)), by: phone)
      try store.transaction { t throws(StoreError) in
        try t.overwrite(
          water(1).key.storageKey, by: StoredRecord(sequence: 1, body: [0xFF]), of: kim)
        try t.overwrite(
          water(2).key.storageKey, by: StoredRecord(sequence: 2, body: water(9).encoded), of: kim)
        try t.insert(water(4).key.storageKey, body: water(4).encoded, sequence: 9, of: kim)
        try t.insert(water(1).key.storageKey, body: water(1).encoded, sequence: 1, of: sam)
        try t.setHead(1, of: sam)
        let size = water(1).encoded.count
        try t.accounts.advance([
          FeedChange(account: sam, holdings: Holdings(live: 1, records: 1, bytes: size))
        ])
      }
      store.close()
      let report = try await engine.withArchive(folder, .check) {
        try await ArchiveReport.check($0)
      }
      let found = Set(report.problems.map(\.kind))
      #expect(
        found == [
          .unreadable(sequence: 1), .misplaced(sequence: 2), .beyondHead, .counter("records"),
          .counter("bytes"),
        ])
      #expect(Set(report.problems.map(\.accountName)) == ["kim"])
      #expect(report.problemCount == report.problems.count)
    }
  }
}
