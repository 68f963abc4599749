// SPDX-License-Identifier: Apache-2.0
// Copies of stores: like their source, resumed, compared, and refused where something is.

import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

extension Archives {
  @Suite(.timeLimit(.minutes(20))) struct ArchiveCopyTests {
    private let (source, target, back): (Folder, Folder, Folder)

    init() throws {
      (source, target, back) = (try Folder(), try Folder(), try Folder())
    }

    private func fill(_ engine: ArchiveEngine) throws -> FilledStore {
      let store = try engine.open(source)
      defer { store.close() }
      return try FilledStore(store)
    }

    /// Copies through a target that fails or lies.
    private func copy(
      _ pair: EnginePair, _ fault: FaultyArchive.Fault? = nil
    ) async throws -> ArchiveCopy.Result {
      try await pair.source.withArchive(source, .source) { from in
        try await pair.target.withArchive(target, .target) { to in
          try await ArchiveCopy(from: from, to: FaultyArchive(to, fault)).run()
        }
      }
    }

    private func failure(
      _ body: () async throws -> ArchiveCopy.Result
    ) async throws -> ArchiveCopyError {
      do {
        _ = try await body()
        throw Unforeseen()
      } catch let error as ArchiveCopyError {
        return error
      }
    }

    @Test(
      "a copy holds what its source holds, and so does a copy back", arguments: ArchiveEngine.pairs)
    func thereAndBack(pair: EnginePair) async throws {
      _ = try fill(pair.source)
      let original = try await pair.source.dump(source)
      let result = try await copy(pair)
      let copied = try await pair.target.dump(target)
      #expect(copied.withoutNumbers == original.withoutNumbers)
      #expect(result.rows == original.rows.mapValues(\.count))
      #expect(!result.isResumed)
      let report = try await pair.target.withArchive(target, .check) {
        try await ArchiveReport.check($0)
      }
      #expect(report.digest == result.digest)
      let third = ArchiveEngine.sqlite(79)
      let again = try await pair.target.withArchive(target, .source) { from in
        try await third.withArchive(back, .target) { to in
          try await ArchiveCopy(from: from, to: to).run()
        }
      }
      #expect(again.digest == result.digest)
      let returned = try await third.dump(back)
      #expect(returned.withoutNumbers == original.withoutNumbers)
      // One chain over the same events has the same hashes again.
      if pair.source.testDescription == "SQLite" { #expect(returned == original) }
    }

    @Test(
      "an interrupted copy goes on where it was, whether its last page was written or not",
      arguments: ArchiveEngine.pairs)
    func resumed(pair: EnginePair) async throws {
      _ = try fill(pair.source)
      let original = try await pair.source.dump(source)
      var rows: [ArchiveTable: Int] = [:]
      var runs = 0
      var result: ArchiveCopy.Result?
      while result == nil {
        do {
          // One page in each run, of which the answer is lost in every other.
          let fault = runs.isMultiple(of: 2) ? FaultyArchive.Fault.before(2) : .after(1)
          result = try await copy(pair, fault)
        } catch ArchiveCopyError.target(.outcomeUnknown) {
          #expect(throws: StoreError.self) { try pair.target.open(target).close() }
        }
        runs += 1
        try #require(runs < 100)
      }
      #expect(runs > 15)
      #expect(result?.isResumed == true)
      for (table, all) in original.rows { rows[table] = all.count }
      #expect(try await pair.target.dump(target).withoutNumbers == original.withoutNumbers)
      try pair.target.open(target).close()
    }

    @Test(
      "a copy whose last answer was lost is found to be done", arguments: ArchiveEngine.pairs)
    func lostEnd(pair: EnginePair) async throws {
      _ = try fill(pair.source)
      let error = try await failure { try await copy(pair, .afterEnd) }
      #expect(error == .target(.outcomeUnknown(reason: "a test")))
      let before = try await pair.target.dump(target)
      let result = try await copy(pair)
      #expect(result.isResumed && !result.digest.isEmpty)
      #expect(try await pair.target.dump(target) == before)
    }

    @Test(
      "a row that is not as it was is found, and named by account and table; the copy is not served",
      arguments: ArchiveEngine.pairs)
    func wrongRow(pair: EnginePair) async throws {
      _ = try fill(pair.source)
      let lies: [(FaultyArchive.Lie, ArchiveDifference)] = [
        (.account, ArchiveDifference(accountName: "kim", part: .account)),
        (.purchase, ArchiveDifference(accountName: "kim", part: .purchases)),
        (.device, ArchiveDifference(accountName: "kim", part: .devices)),
        (.record, ArchiveDifference(accountName: "kim", part: .records)),
        (.lostRecord, ArchiveDifference(accountName: "kim", part: .records)),
        (.event, ArchiveDifference(accountName: "kim", part: .events)),
      ]
      for (lie, difference) in lies {
        let folder = try Folder()
        let error = try await failure {
          try await pair.source.withArchive(source, .source) { from in
            try await pair.target.withArchive(folder, .target) { to in
              try await ArchiveCopy(from: from, to: FaultyArchive(to, .lie(lie))).run()
            }
          }
        }
        #expect(error == .differs([difference]), "\(lie)")
        #expect(throws: StoreError.self) { try pair.target.open(folder).close() }
      }
    }

    @Test(
      "a source that was used after the copy had begun is found", arguments: ArchiveEngine.pairs)
    func changedSource(pair: EnginePair) async throws {
      let filled = try fill(pair.source)
      _ = try await failure { try await copy(pair, .before(12)) }
      let store = try pair.source.open(source)
      _ = try store.exchange(filled.kim, request(nil, water(99)), by: phone)
      store.close()
      guard case .differs(let differences) = try await failure({ try await copy(pair) }) else {
        throw Unforeseen()
      }
      #expect(differences.contains(ArchiveDifference(accountName: "kim", part: .account)))
    }

    @Test("what is not empty is refused, and not changed", arguments: ArchiveEngine.pairs)
    func refused(pair: EnginePair) async throws {
      _ = try fill(pair.source)
      let store = try pair.target.open(target)
      _ = try store.makeAccount("kim")
      store.close()
      let before = try await pair.target.dump(target)
      #expect(try await failure { try await copy(pair) } == .notEmpty)
      #expect(try await pair.target.dump(target) == before)
      try pair.target.open(target).close()
    }

    @Test("an unfinished copy goes on with its own source only")
    func otherSource() async throws {
      let pair = EnginePair(source: .sqlite(77), target: .postgres)
      _ = try fill(pair.source)
      _ = try await failure { try await copy(pair, .before(3)) }
      let other = ArchiveEngine.sqlite(80)
      let error = try await failure {
        try await other.withArchive(back, .target) { from in
          try await pair.target.withArchive(target, .target) { to in
            try await ArchiveCopy(from: from, to: to).run()
          }
        }
      }
      #expect(error == .otherCopy)
    }

    @Test("a store is no copy of itself")
    func itself() async throws {
      let engine = ArchiveEngine.sqlite(77)
      _ = try fill(engine)
      let error = try await failure {
        try await engine.withArchive(source, .source) { from in
          try await engine.withArchive(target, .target) { to in
            try await ArchiveCopy(from: from, to: to).run()
          }
        }
      }
      #expect(error == .sameStore)
    }

    @Test(
      "devices of a copy notice nothing, and it gives no number again",
      arguments: ArchiveEngine.pairs)
    func inUse(pair: EnginePair) async throws {
      let filled = try fill(pair.source)
      var cursor: Cursor?
      do {
        let store = try pair.source.open(source)
        defer { store.close() }
        cursor = try store.exchange(filled.kim, request(nil), by: phone).cursor
      }
      _ = try await copy(pair)
      let store = try pair.target.open(target)
      let answer = try store.exchange(filled.kim, request(cursor, water(50)), by: phone)
      #expect(!answer.restarted)
      #expect(answer.records.isEmpty)
      let new = try store.makeAccount("new")
      #expect(new.rawValue == 5)
      try store.transaction { t throws(StoreError) in
        try t.events.append([
          NewEvent(.accountMade, of: new, at: WallTime(milliseconds: 9)),
          NewEvent(.codeMade, of: filled.kim, at: WallTime(milliseconds: 9)),
        ])
        var chains = EventChains(t.events.scope)
        try t.events.scan(after: 0) { chains.follows($0) }
        #expect(chains.count == 9)
        #expect(try t.accounts.position(of: 1, account: filled.kim) != nil)
      }
      store.close()
      let report = try await pair.target.withArchive(target, .check) {
        try await ArchiveReport.check($0)
      }
      #expect(report.problems.map(\.kind) == [.device(ReplicaID(rawValue: .max))])
    }
  }
}

/// An archive that fails or lies when it is written to.
private actor FaultyArchive: StoreArchive {
  enum Fault: Sendable {
    /// Before the nth page.
    case before(Int)
    /// After the nth page.
    case after(Int)
    /// The copy is finished, and nobody is told.
    case afterEnd
    case lie(Lie)
  }

  enum Lie: Sendable {
    case account, purchase, device, record, lostRecord, event
  }

  nonisolated let name: UInt64
  nonisolated let format: Int
  nonisolated let eventScope: EventScope
  private let archive: any StoreArchive
  private let fault: Fault?
  private var pages = 0
  private var hasLied = false

  init(_ archive: any StoreArchive, _ fault: Fault?) {
    name = archive.name
    format = archive.format
    eventScope = archive.eventScope
    self.archive = archive
    self.fault = fault
  }

  func summary() async throws(StoreError) -> ArchiveSummary { try await archive.summary() }

  func page(
    of table: ArchiveTable, after key: ArchiveKey
  ) async throws(StoreError) -> [ArchiveRow] {
    try await archive.page(of: table, after: key)
  }

  func unfinishedCopy() async throws(StoreError) -> ArchiveProgress? {
    try await archive.unfinishedCopy()
  }

  func beginCopy(of source: UInt64, _ summary: ArchiveSummary) async throws(StoreError) -> Bool {
    try await archive.beginCopy(of: source, summary)
  }

  func append(_ rows: [ArchiveRow], to table: ArchiveTable) async throws(StoreError) {
    pages += 1
    if case .before(pages) = fault { throw .outcomeUnknown(reason: "a test") }
    var rows = rows
    if case .lie(let lie) = fault { rows = self.changed(rows, lie) }
    try await archive.append(rows, to: table)
    if case .after(pages) = fault { throw .outcomeUnknown(reason: "a test") }
  }

  /// The first row of its kind is changed. What is lost is not the last of a page, by which the
  /// progress is told.
  private func changed(_ rows: [ArchiveRow], _ lie: Lie) -> [ArchiveRow] {
    var rows = rows
    guard !hasLied else { return rows }
    switch (lie, rows[0]) {
    case (.account, .account(var row)):
      row.latestTime += 1
      rows[0] = .account(row)
    case (.purchase, .account(var row)):
      row.purchases[0].since = WallTime(milliseconds: 0)
      rows[0] = .account(row)
    case (.device, .device(var row)):
      row.device.seen = WallTime(milliseconds: 0)
      rows[0] = .device(row)
    case (.record, .record(var row)):
      row.record.body[0] ^= 1
      rows[0] = .record(row)
    case (.lostRecord, .record):
      rows.removeFirst()
    case (.event, .event(var entry)):
      entry.event.detail += 1
      rows[0] = .event(entry)
    default: return rows
    }
    hasLied = true
    return rows
  }

  func finishCopy() async throws(StoreError) {
    try await archive.finishCopy()
    if case .afterEnd = fault { throw .outcomeUnknown(reason: "a test") }
  }

  func close() async { await archive.close() }
}
