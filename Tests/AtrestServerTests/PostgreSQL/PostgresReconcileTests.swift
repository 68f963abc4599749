// SPDX-License-Identifier: Apache-2.0
// Comparing accounts through a lane: however many records they have, and whatever history the
// database has come to.

import AtrestHTTP2
import AtrestPostgreSQL
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

extension Postgres {
  @Suite(.timeLimit(.minutes(20))) struct ReconcileTests {
    private let database: PostgresDatabase
    private let connection: PostgresConnection
    private let kim: AccountID

    init() async throws {
      database = try PostgresDatabase()
      connection = try await database.open()
      kim = try await connection.makeAccount("kim")
      let store = try database.openStore()
      try store.makeDevice(phone, kim)
      store.close()
    }

    private func bodies(_ numbers: Range<Int>) -> [[UInt8]] { numbers.map { water($0).packed } }

    private func sum(_ bodies: [[UInt8]]) -> Fingerprint {
      bodies.reduce(into: Fingerprint()) { $0.add(Fingerprint.fastHash(ofRecord: $1)) }
    }

    private func whole(_ sum: Fingerprint) -> [KeyRange] {
      [KeyRange(end: [], content: .fingerprint(sum))]
    }

    @Test("an account of 10,000 records is compared to the end")
    func large() async throws {
      let all = bodies(0..<10_000)
      try await connection.insert(all, into: kim)
      let daemon = try await PostgresDaemon(database)
      let session = try await daemon.session(phone)
      // Equal, then not: the first begins with nothing in memory.
      for (theirs, parts) in [(sum(all), 0...0), (sum(bodies(0..<9000)), 12...16)] {
        let answer = try await daemon.reconcile(session, whole(theirs))
        #expect(parts.contains(answer.ranges.count))
        guard let last = answer.ranges.last else { continue }
        #expect(last.end.isEmpty)
        let ours = answer.ranges.reduce(into: Fingerprint()) { ours, range in
          if case .fingerprint(let part) = range.content { ours.add(part) }
        }
        #expect(ours == sum(all))
      }
      await daemon.stop()
      await database.stop()
    }

    @Test("many small ranges that all differ take few trips")
    func manyRanges() async throws {
      try await connection.insert(bodies(0..<4000), into: kim)
      let daemon = try await PostgresDaemon(database)
      let session = try await daemon.session(phone)
      for content in [.items([]), .fingerprint(Fingerprint(count: 99, sum: 1))]
        as [KeyRange.Content]
      {
        let asked = (1...1000).map {
          KeyRange(end: $0 == 1000 ? [] : key($0 * 4), content: content)
        }
        let answer = try await daemon.reconcile(session, asked)
        #expect(!answer.ranges.isEmpty && answer.ranges.count <= 1000)
      }
      await daemon.stop()
      await database.stop()
    }

    @Test("what a database lost is missed by the server that had compared it before")
    func lostHistory() async throws {
      let all = bodies(0..<300)
      try await connection.insert(Array(all.prefix(200)), into: kim)
      try await connection.write([kim]) { [kim] t throws(StoreError) in
        for number in 201...300 {
          try t.insert(
            key(number), body: all[number - 1], sequence: UInt64(number), of: kim)
        }
        try t.setHead(300, of: kim)
      }
      let daemon = try await PostgresDaemon(database)
      let session = try await daemon.session(phone)
      #expect(try await daemon.reconcile(session, whole(sum(all))).ranges.isEmpty)
      // A standby that lagged becomes the primary, under the same server.
      try await connection.run("DELETE FROM atrest.record WHERE sequence > 200")
      try await connection.run("DELETE FROM atrest.feed_commit WHERE sequence > 200")
      try await connection.run(
        """
        UPDATE atrest.account SET (head, head_commit) =
          (SELECT sequence, name FROM atrest.feed_commit ORDER BY sequence DESC LIMIT 1)
        WHERE id = $1
        """, .int8(kim.rawValue))
      let answer = try await daemon.reconcile(session, whole(sum(all)))
      #expect(!answer.ranges.isEmpty)
      // Others write, until the feed is as long as it was.
      try await connection.write([kim]) { [kim] t throws(StoreError) in
        for number in 201...320 {
          try t.insert(key(1000 + number), body: [1], sequence: UInt64(number), of: kim)
        }
        try t.setHead(Cursor(commit: 7, sequence: 320), of: kim)
      }
      let later = try await daemon.reconcile(session, whole(sum(all)))
      #expect(!later.ranges.isEmpty)
      await daemon.stop()
      await database.stop()
    }
  }
}
