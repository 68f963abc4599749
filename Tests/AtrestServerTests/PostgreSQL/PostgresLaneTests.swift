// SPDX-License-Identifier: Apache-2.0
// Groups of jobs: what one account does to the others, what a group holds, and what a daemon writes
// that nobody waits for.

import AtrestHTTP2
import AtrestPostgreSQL
import AtrestRPC
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

extension Postgres {
  @Suite(.timeLimit(.minutes(20))) struct LaneTests {
    private let database: PostgresDatabase
    private let connection: PostgresConnection
    private let kim: AccountID
    private let sam: AccountID

    init() async throws {
      database = try PostgresDatabase()
      connection = try await database.open()
      kim = try await connection.makeAccount("kim")
      sam = try await connection.makeAccount("sam")
      let store = try database.openStore()
      try store.makeDevice(phone, kim)
      try store.makeDevice(tablet, kim)
      store.close()
    }

    private func count(_ table: String) async throws -> Int64? {
      try await connection.run("SELECT count(*) FROM atrest.\(table)").first?.first?.int8
    }

    @Test("an account whose row somebody holds is told to come back, and the others are served")
    func lockedAccount() async throws {
      var session = PostgresSession()
      session.lockTimeout = .milliseconds(100)
      let daemon = try await PostgresDaemon(database, session: session)
      let holder = try await PostgresTransaction.begin(
        [PostgresLocks.statement(for: [kim])], on: connection
      ).transaction
      let results = try await daemon.runTogether([kim, sam]) { account, batch throws(StoreError) in
        try batch.transaction.accounts.feedState(of: account).head
      }
      guard case .failure(.busy)? = results[kim], case .success? = results[sam] else {
        Issue.record("\(results)")
        return
      }
      await holder.rollBack()
      let head = try await daemon.run(by: .account(kim)) { [kim] batch throws(StoreError) in
        try batch.transaction.accounts.feedState(of: kim).head
      }
      #expect(head == .start)
      await daemon.stop()
      await database.stop()
    }

    @Test("a row that conflicts for ever fails its own account only")
    func conflictingAccount() async throws {
      let daemon = try await PostgresDaemon(database)
      try await connection.insert([[1]], into: kim)
      // The feed's head is below a record.
      try await connection.run("UPDATE atrest.account SET head = 0, head_commit = NULL")
      let results = try await daemon.runTogether([kim, sam]) { account, batch throws(StoreError) in
        try batch.transaction.insert([9], body: [1], sequence: 1, of: account)
      }
      guard case .failure(.busy)? = results[kim], case .success? = results[sam] else {
        Issue.record("\(results)")
        return
      }
      await daemon.stop()
      await database.stop()
    }

    @Test("jobs that load more than a group holds have transactions of their own")
    func largeRecords() async throws {
      let large = [[UInt8]](repeating: [UInt8](repeating: 7, count: 60_000), count: 300)
      for account in [kim, sam] { try await connection.insert(large, into: account) }
      let daemon = try await PostgresDaemon(database)
      func commits(ofFirst count: Int) async throws -> Set<String> {
        let results = try await daemon.runTogether([kim, sam]) {
          account, batch throws(StoreError) in
          let addresses = (1...count).map { RecordAddress(account: account, key: key($0)) }
          return try batch.transaction.records.load(addresses, limitBytes: .max).count
        }
        #expect(try results.values.map { try $0.get() } == [count, count])
        let rows = try await connection.run("SELECT xmin::text FROM atrest.account WHERE id > 0")
        return Set(rows.compactMap { $0.first?.text })
      }
      #expect(try await commits(ofFirst: 3).count == 1)
      #expect(try await commits(ofFirst: 300).count == 2)
      await daemon.stop()
      await database.stop()
    }

    @Test("an account of many records is removed in slices: all of it, and nobody else's")
    func removal() async throws {
      let rows = 2 * PostgresRemoval.sliceRows + 7
      for account in [kim, sam] {
        try await connection.insert([[UInt8]](repeating: [1], count: rows), into: account)
      }
      let daemon = try await PostgresDaemon(database)
      for isErased in [false, true] {
        let account = isErased ? sam : kim
        try await daemon.run(by: .account(account), use: .clears) { batch throws(StoreError) in
          try batch.remove(account)
        }
        #expect(try await count("account") == (isErased ? 1 : 2))
        #expect(try await count("removal") == 1)
        #expect(try await count("record") == Int64((isErased ? 1 : 2) * rows - 2000))
        if isErased {
          let isDone = await withCheckedContinuation { done in
            daemon.backend.queue.erase { done.resume(returning: $0) }
          }
          #expect(isDone)
        } else {
          // A daemon that died with it leaves it to the round of housekeeping.
          _ = await daemon.backend.claim()
        }
        #expect(try await count("removal") == 0)
        #expect(try await count("record") == Int64(isErased ? 0 : rows))
      }
      #expect(try await count("feed_commit") == 0)
      #expect(try await count("device") == 0)
      await daemon.stop()
      await database.stop()
    }

    @Test("numbers that cannot be are an error of their account", arguments: ["live", "bytes"])
    func hostileNumbers(column: String) async throws {
      let daemon = try await PostgresDaemon(database)
      let session = try await daemon.session(phone)
      try await connection.run("UPDATE atrest.account SET \(column) = $1", .int8(.max))
      await #expect(throws: Status.self) {
        try await daemon.exchange(session, request(nil, water(1)))
      }
      try await connection.run("UPDATE atrest.account SET \(column) = 0")
      _ = try await daemon.exchange(session, request(nil, water(1)))
      await daemon.stop()
      await database.stop()
    }

    @Test("records larger than a session holds cannot be written")
    func hostileBodies() async throws {
      await #expect(throws: PostgresError.self) {
        try await connection.run(
          """
          INSERT INTO atrest.record (account, key, sequence, body, history)
          VALUES (1, 'x', 1, decode(repeat('00', 2000000), 'hex'), '')
          """)
      }
      await database.stop()
    }

    @Test("a round that begins in the future begins now, and the next one is not due")
    func futureRound() async throws {
      let daemon = try await PostgresDaemon(database)
      try await connection.run("UPDATE atrest.housekeeping SET begun_ms = $1", .int8(.max))
      #expect(await daemon.backend.claim() != nil)
      #expect(await daemon.backend.claim() == nil)
      #expect(await daemon.backend.claim() == nil)
      await daemon.stop()
      await database.stop()
    }

    @Test("what devices acknowledged is written before the end")
    func lastNotes() async throws {
      let daemon = try await PostgresDaemon(database)
      let (session, other) = (try await daemon.session(phone), try await daemon.session(tablet))
      let cursor = try await daemon.exchange(session, request(nil, water(1))).cursor
      // A pull, which writes nothing itself.
      _ = try await daemon.exchange(other, request(cursor))
      await daemon.stop()
      let rows = try await connection.run(
        "SELECT acknowledged_sequence FROM atrest.device WHERE replica = $1",
        .int8(Int64(tablet.rawValue)))
      #expect(rows == [[.int8(1)]])
      await database.stop()
    }

    @Test("a daemon whose database a newer one has migrated opens no session with it")
    func newerFormat() async throws {
      let daemon = try await PostgresDaemon(database)
      let newer = Int64(PostgresSchema.version + 1)
      try await connection.run("UPDATE atrest.meta SET version = $1", .int8(newer))
      await #expect(
        throws: StoreError.newerVersion(
          path: "The database", found: Int(newer), supported: PostgresSchema.version)
      ) {
        try await daemon.run(by: .account(kim)) { _ throws(StoreError) in }
      }
      await daemon.stop()
      await database.stop()
    }
  }
}
