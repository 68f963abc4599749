// SPDX-License-Identifier: Apache-2.0
// What one trip answers, and where it stops.

import AtrestPostgreSQL
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

extension Postgres {
  @Suite(.timeLimit(.minutes(20))) struct LoadTests {
    private func bodies(_ count: Int, bytes: Int) -> [[UInt8]] {
      (0..<count).map { [UInt8](repeating: UInt8($0 & 0xFF), count: bytes) }
    }

    @Test("records are answered up to a bound in bytes, the rest when it is asked for again")
    func recordBytes() async throws {
      let database = try PostgresDatabase()
      let connection = try await database.open()
      let kim = try await connection.makeAccount("kim")
      let large = 700 << 10
      try await connection.insert(bodies(20, bytes: large), into: kim)
      // Some of them do not exist.
      let wanted = Set((1...30).map { RecordAddress(account: kim, key: key($0)) })
      var reads = StagedReads()
      var trips = 0
      while reads.records.count < wanted.count {
        var queries = StoreQueries()
        queries.records = wanted.filter { reads.records[$0] == nil }
        let before = reads
        try await connection.load(queries, into: &reads)
        let found = reads.records.filter { before.records[$0.key] == nil }
        #expect(!found.isEmpty)
        let bytes = found.values.reduce(0) { $0 + ($1?.bytes ?? 0) }
        #expect(bytes < PostgresLoad.recordBytes + large)
        trips += 1
      }
      #expect((4...5).contains(trips))
      for number in 1...30 {
        let record = try #require(reads.records[RecordAddress(account: kim, key: key(number))])
        #expect(record?.sequence == (number <= 20 ? UInt64(number) : nil))
        #expect(
          record.map { $0.body == [UInt8](repeating: UInt8(number - 1), count: large) } ?? true)
      }
      await database.stop()
    }

    @Test("one record that is larger than the bound is answered alone")
    func oneLargeRecord() async throws {
      let database = try PostgresDatabase()
      let connection = try await database.open()
      let kim = try await connection.makeAccount("kim")
      // Rows from before the bound, or of somebody who took it away.
      try await connection.run("ALTER TABLE atrest.record DROP CONSTRAINT record_is_bounded")
      try await connection.insert(bodies(2, bytes: PostgresLoad.recordBytes + 1), into: kim)
      var queries = StoreQueries()
      queries.records = [1, 2].reduce(into: []) {
        $0.insert(RecordAddress(account: kim, key: key($1)))
      }
      var reads = StagedReads()
      try await connection.load(queries, into: &reads)
      #expect(reads.records.count == 1)
      #expect(reads.records.values.first??.body.count == PostgresLoad.recordBytes + 1)
      await database.stop()
    }

    private func feedChunk(
      _ account: AccountID, after sequence: UInt64, on connection: PostgresConnection
    ) async throws -> StagedReads.Chunk<StagedReads.FeedRow> {
      let position = FeedPosition(account: account, sequence: sequence)
      var queries = StoreQueries()
      queries.feedChunks = [position]
      var reads = StagedReads()
      try await connection.load(queries, into: &reads)
      return try #require(reads.feedChunks[position])
    }

    @Test("a chunk of a feed ends at a number of rows, and says whether anything follows")
    func feedRows() async throws {
      let database = try PostgresDatabase()
      let connection = try await database.open()
      let kim = try await connection.makeAccount("kim")
      let count = PostgresLoad.feedRows + 3
      try await connection.insert(bodies(count, bytes: 2), into: kim)
      let first = try await feedChunk(kim, after: 0, on: connection)
      #expect(first.rows.map(\.sequence) == Array(1...UInt64(PostgresLoad.feedRows)))
      #expect(first.rows[6].key == key(7) && first.rows[6].body == [6, 6])
      #expect(!first.isLast)
      for (start, rows) in [(1024, 3), (3, 1024), (2, 1024), (1027, 0), (9999, 0)] {
        let chunk = try await feedChunk(kim, after: UInt64(start), on: connection)
        #expect(chunk.rows.count == rows)
        #expect(chunk.isLast == (start + rows >= count))
      }
      let none = try await feedChunk(kim, after: .max, on: connection)
      #expect(none.rows.isEmpty && none.isLast)
      await database.stop()
    }

    @Test("a chunk of a feed ends at a number of bytes, behind one row at least")
    func feedBytes() async throws {
      let database = try PostgresDatabase()
      let connection = try await database.open()
      let (kim, sam) = (
        try await connection.makeAccount("kim"), try await connection.makeAccount("sam")
      )
      try await connection.insert(bodies(7, bytes: 100 << 10), into: kim)
      try await connection.insert(bodies(2, bytes: 400 << 10), into: sam)
      var sequences: [[UInt64]] = []
      var chunk = try await feedChunk(kim, after: 0, on: connection)
      while !chunk.isLast {
        sequences.append(chunk.rows.map(\.sequence))
        chunk = try await feedChunk(kim, after: sequences.last?.last ?? 0, on: connection)
      }
      #expect(sequences + [chunk.rows.map(\.sequence)] == [[1, 2, 3, 4], [5, 6, 7]])
      let large = try await feedChunk(sam, after: 0, on: connection)
      #expect(large.rows.map(\.sequence) == [1] && !large.isLast)
      // What ended by bytes may have been all.
      let second = try await feedChunk(sam, after: 1, on: connection)
      #expect(second.rows.map(\.sequence) == [2] && !second.isLast)
      let end = try await feedChunk(sam, after: 2, on: connection)
      #expect(end.rows.isEmpty && end.isLast)
      await database.stop()
    }

    @Test("intervals of keys are answered in chunks, and all together up to a bound")
    func ranges() async throws {
      let database = try PostgresDatabase()
      let connection = try await database.open()
      let (kim, sam) = (
        try await connection.makeAccount("kim"), try await connection.makeAccount("sam")
      )
      try await connection.insert(bodies(PostgresLoad.rangeRows + 2, bytes: 2), into: kim)
      try await connection.insert(bodies(40, bytes: 600 << 10), into: sam)
      func load(_ ranges: Set<RecordRange>) async throws -> StagedReads {
        var queries = StoreQueries()
        queries.rangeChunks = ranges
        var reads = StagedReads()
        try await connection.load(queries, into: &reads)
        return reads
      }
      let all = RecordRange(account: kim, interval: KeyInterval())
      let rest = RecordRange(account: kim, interval: KeyInterval(from: key(3)))
      let some = RecordRange(account: kim, interval: KeyInterval(from: key(5), to: key(8)))
      let none = RecordRange(account: kim, interval: KeyInterval(from: key(9), to: key(9)))
      let small = try await load([all, rest, some, none]).rangeChunks
      #expect(small[all]?.rows.map(\.key) == (1...PostgresLoad.rangeRows).map { key($0) })
      #expect(small[all]?.isLast == false)
      #expect(small[rest]?.rows.count == PostgresLoad.rangeRows && small[rest]?.isLast == true)
      #expect(small[some]?.rows.map(\.key) == (5...7).map { key($0) })
      #expect(small[some]?.rows.map(\.body) == (4...6).map { [$0, $0] })
      #expect(small[some]?.isLast == true)
      #expect(small[none]?.rows.isEmpty == true && small[none]?.isLast == true)
      // One of 600 KiB each, and one of everything.
      var wanted = Set(
        (1...40).map {
          RecordRange(account: sam, interval: KeyInterval(from: key($0), to: key($0 + 1)))
        })
      let whole = RecordRange(account: sam, interval: KeyInterval())
      #expect(try await load([whole]).rangeChunks[whole]?.rows.count == 2)
      var trips = 0
      while !wanted.isEmpty {
        let found = try await load(wanted).rangeChunks
        #expect(!found.isEmpty)
        #expect(found.values.allSatisfy { $0.rows.count == 1 && $0.isLast })
        wanted.subtract(found.keys)
        trips += 1
      }
      #expect(trips == 2)
      await database.stop()
    }

    @Test("what is not there is answered, too")
    func nothing() async throws {
      let database = try PostgresDatabase()
      let connection = try await database.open()
      let (ghost, device) = (AccountID(rawValue: 99), ReplicaID(rawValue: 98))
      let address = DeviceAddress(account: ghost, replica: device)
      let position = FeedPosition(account: ghost, sequence: 3)
      let beyond = FeedPosition(account: ghost, sequence: .max)
      let record = RecordAddress(account: ghost, key: [1])
      let range = RecordRange(account: ghost, interval: KeyInterval())
      let due = DueQuery(account: ghost, now: WallTime(milliseconds: noon), limit: -1)
      let purchase = PurchaseKey(environment: "Production", original: "\0")
      let pages = [
        EventPage(account: ghost, before: nil, limit: 5),
        EventPage(account: nil, before: 7, limit: -1),
      ]
      var queries = StoreQueries()
      #expect(queries.isEmpty && PostgresLoad(queries).statements.isEmpty)
      (queries.feedStates, queries.accounts) = ([ghost, .server], [ghost, .server])
      (queries.positions, queries.records) = ([position, beyond], [record])
      (queries.accountNames, queries.everyAccount) = (["", "kim", "a\0b"], true)
      (queries.feedChunks, queries.keyChunks) = ([position, beyond], [position, beyond])
      (queries.rangeChunks, queries.due) = ([range], [due])
      (queries.devices, queries.deviceLists, queries.everyDevice) = ([device], [ghost], true)
      (queries.outboxes, queries.invitations) = ([address], ["BCDF", "\0"])
      (queries.invitationLists, queries.holders) = ([ghost], [purchase])
      (queries.appAccountTokens, queries.appAccounts) = ([ghost], [[1]])
      (queries.lastEvents, queries.eventPages) = ([ghost, .server], Set(pages))
      queries.eventChunks = [0, .max]
      var reads = StagedReads()
      try await connection.load(queries, into: &reads)
      #expect(reads.feedStates.keys.sorted { $0.rawValue < $1.rawValue } == [.server, ghost])
      #expect(reads.feedStates[ghost] == .empty && reads.feedStates[.server]?.head == .start)
      #expect(reads.positions == [position: nil, beyond: nil])
      #expect(reads.accounts == [ghost: nil, .server: nil])
      #expect(reads.accountNames == ["": nil, "kim": nil, "a\0b": nil])
      #expect(reads.everyAccount == [] && reads.everyDevice == [])
      #expect(reads.records == [record: nil])
      #expect(reads.feedChunks.count == 2)
      #expect(reads.feedChunks.values.allSatisfy { $0.rows.isEmpty && $0.isLast })
      #expect(reads.keyChunks.count == 2)
      #expect(reads.keyChunks.values.allSatisfy { $0.rows.isEmpty && $0.isLast })
      #expect(reads.rangeChunks[range]?.isLast == true && reads.due[due]?.isEmpty == true)
      #expect(reads.devices == [device: nil] && reads.deviceLists == [ghost: []])
      #expect(reads.outboxes == [address: .empty])
      #expect(reads.invitations == ["BCDF": nil, "\0": nil])
      #expect(reads.invitationLists == [ghost: []] && reads.holders == [purchase: nil])
      #expect(reads.appAccountTokens == [ghost: nil] && reads.appAccounts == [[1]: nil])
      #expect(reads.lastEvents == [ghost: nil, .server: nil])
      #expect(reads.eventPages == [pages[0]: [], pages[1]: []])
      #expect(reads.eventChunks.count == 2)
      #expect(reads.eventChunks.values.allSatisfy { $0.rows.isEmpty && $0.isLast })
      await database.stop()
    }

    @Test("numbers are never given twice, and ascend from trip to trip")
    func numbers() async throws {
      let database = try PostgresDatabase()
      let (one, two) = (try await database.open(), try await database.open())
      var queries = StoreQueries()
      (queries.eventNumbers, queries.accountNumbers) = (3, ["kim", "sam"])
      var (reads, others) = (StagedReads(), StagedReads())
      try await one.load(queries, into: &reads)
      try await two.load(queries, into: &others)
      try await one.load(queries, into: &reads)
      #expect(reads.eventNumbers == reads.eventNumbers.sorted() && reads.eventNumbers.count == 6)
      #expect(Set(reads.eventNumbers).union(others.eventNumbers).count == 9)
      let accounts = Array(reads.accountNumbers.values) + Array(others.accountNumbers.values)
      #expect(Set(accounts).count == 4 && accounts.allSatisfy { $0.rawValue > 0 })
      await database.stop()
    }

    @Test(
      "rows that cannot be are damage, and end nothing",
      arguments: [
        "UPDATE atrest.account SET head = 5, head_commit = NULL",
        "UPDATE atrest.account SET head = -5",
        "UPDATE atrest.account SET latest_time = -1",
        "UPDATE atrest.device SET outbox_refusals = '\\x01'",
      ])
    func damage(sql: String) async throws {
      let database = try PostgresDatabase()
      let connection = try await database.open()
      let kim = try await connection.makeAccount("kim")
      try await connection.write([kim]) { t throws(StoreError) in
        _ = try t.devices.add(
          DeviceEntry(
            replica: phone, account: kim, name: "phone", tokenHash: [],
            paired: WallTime(milliseconds: noon)))
      }
      var queries = StoreQueries()
      (queries.feedStates, queries.outboxes) = ([kim], [kim[phone]])
      var reads = StagedReads()
      try await connection.load(queries, into: &reads)
      try await connection.run(sql)
      let error = await #expect(throws: StoreError.self) {
        try await connection.load(queries, into: &reads)
      }
      guard case .damaged = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      await database.stop()
    }

    @Test("what sessions prepare follows indexes, however small the tables are")
    func plans() async throws {
      let database = try PostgresDatabase()
      let connection = try await database.open()
      for statement in PostgresStatements.prepared {
        let nulls = statement.parameters.map { _ in "NULL" }.joined(separator: ", ")
        let plan = try await connection.run("EXPLAIN EXECUTE \(statement.name) (\(nulls))")
        #expect(!plan.isEmpty)
        for line in plan {
          #expect(line[0].text?.contains("Seq Scan") == false, "\(statement.name): \(line)")
        }
      }
      await database.stop()
    }
  }
}
