// SPDX-License-Identifier: Apache-2.0
// Transactions that find out what they need, and what becomes of them when others are in their way.

import AtrestPostgreSQL
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

extension Postgres {
  @Suite(.timeLimit(.minutes(20))) struct UnitOfWorkTests {
    private let now = WallTime(milliseconds: noon)

    @Test("work whose reads and locks are known runs once, other work until it has all")
    func runs() async throws {
      let database = try PostgresDatabase()
      let connection = try await database.open()
      let kim = try await connection.makeAccount("kim")
      try await connection.insert([[7]], into: kim)
      let runs = Runs()
      let work = { @Sendable (t: StagedTransaction) throws(StoreError) -> [UInt8]? in
        runs.note()
        let head = try t.accounts.feedState(of: kim).head
        return try t.record(key(Int(head.sequence)), of: kim)?.body
      }
      var queries = StoreQueries()
      queries.feedStates = [kim]
      queries.records = [RecordAddress(account: kim, key: key(1))]
      let known = try await PostgresUnitOfWork.write(
        accounts: [kim], queries: queries, on: connection, body: work)
      #expect(known == [7] && runs.count == 1)
      // For the lock, for the state, for the record, and the one that counts.
      #expect(try await connection.write([], work) == [7])
      #expect(runs.count == 5)
      let read = try await PostgresUnitOfWork.read(
        queries: StoreQueries(), on: connection, body: work)
      #expect(read == [7] && runs.count == 8)
      await database.stop()
    }

    @Test("whoever locked an account writes its row, also if nothing of it changed")
    func touch() async throws {
      let database = try PostgresDatabase()
      let connection = try await database.open()
      let kim = try await connection.makeAccount("kim")
      func row() async throws -> [[PostgresValue]] {
        try await connection.run(
          "SELECT xmin::text, clock_ms, head FROM atrest.account WHERE id = $1",
          .int8(kim.rawValue))
      }
      let before = try await row()
      for _ in 0..<2 {
        let last = try await row()
        try await PostgresUnitOfWork.write(
          accounts: [kim], queries: StoreQueries(), on: connection
        ) { _ throws(StoreError) in }
        let after = try await row()
        #expect(after != last && after[0][2] == before[0][2])
      }
      await database.stop()
    }

    @Test("what is kept for a time is dated by the database, whatever the server's clock shows")
    func clock() async throws {
      let database = try PostgresDatabase()
      let connection = try await database.open()
      let kim = try await connection.makeAccount("kim")
      let before = try #require(try await PostgresRound.time(on: connection))
      let state = try await PostgresUnitOfWork.read(queries: StoreQueries(), on: connection) {
        t throws(StoreError) in try t.accounts.feedState(of: kim)
      }
      let after = try #require(try await PostgresRound.time(on: connection))
      let clock = try #require(state.clock)
      #expect((before...after).contains(clock))
      let feed = try await connection.write([kim]) { t throws(StoreError) in
        try AccountFeed(account: kim, in: t, commit: 1, at: WallTime(milliseconds: .max)).time
      }
      #expect(feed < after.advanced(by: 3_600_000))
      await database.stop()
    }

    @Test("whoever finds an account gone writes the row of the server, and nobody else does")
    func absentAccount() async throws {
      let database = try PostgresDatabase()
      let connection = try await database.open()
      let (kim, sam) = (
        try await connection.makeAccount("kim"), try await connection.makeAccount("sam")
      )
      try await connection.write([kim]) { t throws(StoreError) in try t.accounts.remove(kim) }
      func row() async throws -> [[PostgresValue]] {
        try await connection.run("SELECT xmin::text FROM atrest.account WHERE id = 0")
      }
      let before = try await row()
      try await connection.write([sam]) { _ throws(StoreError) in }
      #expect(try await row() == before)
      // A removal that is repeated: the first one may be on this server alone.
      try await connection.write([kim, sam]) { t throws(StoreError) in
        #expect(try t.accounts.find(kim) == nil)
      }
      #expect(try await row() != before)
      await database.stop()
    }

    @Test("events of a hundred accounts cost a trip for the locks and one for the chains")
    func manyChains() async throws {
      let database = try PostgresDatabase()
      let connection = try await database.open()
      let accounts = try await connection.write { t throws(StoreError) in
        var accounts: [AccountID] = []
        for number in 0..<100 {
          let id = try t.accounts.add(name: "a\(number)", created: WallTime(milliseconds: noon))
          accounts.append(id ?? .server)
        }
        return accounts
      }
      let (runs, now) = (Runs(), now)
      try await connection.write { t throws(StoreError) in
        runs.note()
        try t.events.append(accounts.map { NewEvent(.restoreNoticed, of: $0, at: now) })
      }
      #expect(runs.count <= 3)
      #expect(try await connection.run("SELECT count(*) FROM atrest.event") == [[.int8(100)]])
      await database.stop()
    }

    @Test("what throws leaves nothing behind, and the connection takes the next transaction")
    func fails() async throws {
      let database = try PostgresDatabase()
      let connection = try await database.open()
      let kim = try await connection.makeAccount("kim")
      await #expect(throws: StoreError.failed(reason: "on purpose")) {
        try await connection.write([kim]) { t throws(StoreError) in
          try t.insert([1], body: [2], sequence: 1, of: kim)
          throw .failed(reason: "on purpose")
        }
      }
      await #expect(throws: StoreError.failed(reason: "a write in a transaction that reads")) {
        try await PostgresUnitOfWork.read(queries: StoreQueries(), on: connection) {
          t throws(StoreError) in try t.insert([1], body: [2], sequence: 1, of: kim)
        }
      }
      let record = try await connection.write([kim]) { t throws(StoreError) in
        try t.record([1], of: kim)
      }
      #expect(record == nil)
      await database.stop()
    }

    @Test("reads are of one snapshot, however many trips they take")
    func snapshot() async throws {
      let database = try PostgresDatabase()
      let (connection, other) = (try await database.open(), try database.openStore())
      let kim = try await connection.makeAccount("kim")
      try await connection.insert([[7]], into: kim)
      let runs = Runs()
      let (head, record) = try await PostgresUnitOfWork.read(
        queries: StoreQueries(), on: connection
      ) { t throws(StoreError) in
        let head = try t.accounts.feedState(of: kim).head
        if runs.note() == 1 {
          try other.transaction { t throws(StoreError) in
            try t.overwrite(key(1), by: StoredRecord(sequence: 2, body: [8]), of: kim)
            try t.setHead(2, of: kim)
          }
        }
        return (head, try t.record(key(1), of: kim))
      }
      #expect(head.sequence == 1 && record == StoredRecord(sequence: 1, body: [7]))
      other.close()
      await database.stop()
    }

    @Test("two that write one account follow each other, and no change is lost")
    func sameAccount() async throws {
      let database = try PostgresDatabase()
      let connections = [try await database.open(), try await database.open()]
      let kim = try await connections[0].makeAccount("kim")
      let rounds = 40
      let runs = Runs()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for connection in connections {
          group.addTask {
            for _ in 0..<rounds {
              try await connection.write([kim]) { t throws(StoreError) in
                let head = try t.accounts.feedState(of: kim).head.sequence
                let known = try t.record([1], of: kim)
                let record = StoredRecord(
                  sequence: head + 1, body: [(known?.body.first ?? 0) + 1])
                try t.overwrite([1], by: record, of: kim)
                try t.setHead(head + 1, of: kim)
                runs.note()
              }
            }
          }
        }
        try await group.waitForAll()
      }
      let (state, record) = try await connections[0].write { t throws(StoreError) in
        (try t.accounts.feedState(of: kim), try t.record([1], of: kim))
      }
      #expect(state.head.sequence == UInt64(2 * rounds))
      #expect(record?.body == [UInt8(2 * rounds)])
      // The lock keeps them apart: no work was done in vain.
      #expect(runs.count == 2 * rounds)
      await database.stop()
    }

    @Test("two that lock the same accounts in both orders never wait for each other")
    func bothOrders() async throws {
      let database = try PostgresDatabase()
      let connections = [try await database.open(), try await database.open()]
      let accounts = [
        try await connections[0].makeAccount("kim"), try await connections[0].makeAccount("sam"),
      ]
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (connection, order) in zip(connections, [accounts, accounts.reversed()]) {
          group.addTask {
            for _ in 0..<40 {
              try await connection.write { t throws(StoreError) in
                for account in order {
                  let head = try t.accounts.feedState(of: account).head.sequence
                  try t.setHead(head + 1, of: account)
                }
              }
            }
          }
        }
        try await group.waitForAll()
      }
      for account in accounts {
        let head = try await connections[0].write { t throws(StoreError) in
          try t.accounts.feedState(of: account).head.sequence
        }
        #expect(head == 80)
      }
      let deadlocks = try await connections[1].run(
        "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
      #expect(deadlocks == [[.int8(0)]])
      await database.stop()
    }

    @Test("of two that take one purchase the later one sees who has it, and takes it over")
    func samePurchase() async throws {
      let database = try PostgresDatabase()
      let (one, other) = (try database.openStore(), try database.openStore())
      let (kim, sam) = (try one.makeAccount("kim"), try one.makeAccount("sam"))
      let first = PurchaseKey(environment: "Production", original: "1")
      let held = PurchaseKey(environment: "Production", original: "2")
      let now = now
      try one.transaction { t throws(StoreError) in
        try t.purchases.setHolder(kim, since: now, of: held)
      }
      for purchase in [first, held] {
        var seen: [AccountID?] = []
        try one.transaction { t throws(StoreError) in
          seen.append(try t.purchases.holder(of: purchase)?.account)
          try t.purchases.setHolder(kim, since: now, of: purchase)
          guard seen.last != sam else { return }
          try other.transaction { t throws(StoreError) in
            try t.purchases.setHolder(sam, since: now, of: purchase)
          }
        }
        #expect(seen.first != sam && seen.last == sam)
        let holder = try other.transaction { t throws(StoreError) in
          try t.purchases.holder(of: purchase)?.account
        }
        #expect(holder == kim)
      }
      one.close()
      other.close()
      await database.stop()
    }

    @Test("of two that take one name, identity, handle or token the later one is told so")
    func sameKey() async throws {
      let database = try PostgresDatabase()
      let (one, other) = (try database.openStore(), try database.openStore())
      let (kim, sam) = (try one.makeAccount("kim"), try one.makeAccount("sam"))
      let now = now
      func takeAll(
        _ t: any StoreTransaction, _ account: AccountID
      ) throws(StoreError) -> [Bool] {
        [
          try t.accounts.add(name: "new", created: now) != nil,
          try t.devices.add(
            DeviceEntry(
              replica: phone, account: account, name: "", tokenHash: [], paired: now)),
          try t.invitations.add(
            InvitationEntry(
              handle: "BCDF", secretHash: [], account: account, expires: now, triesLeft: 1)),
          try t.purchases.appAccountToken(of: account, orElse: [1]) != nil,
        ]
      }
      var taken: [Bool] = []
      var isFirst = true
      try one.transaction { t throws(StoreError) in
        taken = try takeAll(t, kim)
        guard isFirst else { return }
        isFirst = false
        let theirs = try other.transaction { t throws(StoreError) in try takeAll(t, sam) }
        #expect(theirs == [true, true, true, true])
      }
      #expect(taken == [false, false, false, false])
      one.close()
      other.close()
      await database.stop()
    }

    @Test("what conflicts each time is given up, and nothing happened")
    func conflicts() async throws {
      let database = try PostgresDatabase()
      let connection = try await database.open()
      let kim = try await connection.makeAccount("kim")
      try await connection.insert([[1]], into: kim)
      for previous in [nil, 9] as [UInt64?] {
        let runs = Runs()
        let change = RecordChange(
          address: RecordAddress(account: kim, key: key(1)), previous: previous,
          record: StoredRecord(sequence: 10, body: [2]))
        let error = await #expect(throws: StoreError.self) {
          try await connection.write([kim]) { t throws(StoreError) in
            runs.note()
            try t.records.write([change])
          }
        }
        guard case .busy = error else {
          Issue.record("\(String(describing: error))")
          continue
        }
        #expect(runs.count == PostgresUnitOfWork.attempts)
      }
      let record = try await connection.write([kim]) { t throws(StoreError) in
        try t.record(key(1), of: kim)
      }
      #expect(record == StoredRecord(sequence: 1, body: [1]))
      await database.stop()
    }

    @Test("nothing is written to an account that was removed meanwhile")
    func removedAccount() async throws {
      let database = try PostgresDatabase()
      let connection = try await database.open()
      let kim = try await connection.makeAccount("kim")
      try await connection.write([kim]) { t throws(StoreError) in try t.accounts.remove(kim) }
      await #expect(
        throws: StoreError.busy(
          reason: "a row was changed meanwhile, SQLSTATE 40001")
      ) {
        try await connection.insert([[1]], into: kim)
      }
      #expect(try await connection.run("SELECT count(*) FROM atrest.record") == [[.int8(0)]])
      await database.stop()
    }

    @Test("a session that ended says that nothing was done, and one that was closed says so")
    func lostConnection() async throws {
      let database = try PostgresDatabase()
      let (connection, other) = (try await database.open(), try await database.open())
      let kim = try await connection.makeAccount("kim")
      let process = try await connection.run("SELECT pg_backend_pid()")
      try await other.run("SELECT pg_terminate_backend($1::int4)", process[0][0])
      let error = await #expect(throws: StoreError.self) {
        try await connection.insert([[1]], into: kim)
      }
      guard case .unavailable = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      await other.close()
      await #expect(throws: StoreError.closed) { try await other.insert([[1]], into: kim) }
      await database.stop()
    }
  }
}
