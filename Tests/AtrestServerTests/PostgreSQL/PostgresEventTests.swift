// SPDX-License-Identifier: Apache-2.0
// Verifying the log of several servers: numbers have gaps, and are given before they are committed.

import AtrestHTTP2
import AtrestPostgreSQL
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

extension Postgres {
  @Suite(.timeLimit(.minutes(20))) struct EventTests {
    private func check(
      _ daemon: PostgresDaemon, through number: UInt64 = 0
    ) async throws -> CheckEventsResponse {
      let admin = AdminService(
        queue: daemon.backend.queue, backups: nil, registry: daemon.backend.registry,
        devices: daemon.devices, environment: daemon.world.environment, address: { "" })
      let bytes = CheckEventsRequest(through: number).packed
      let outcome = await outcome { later throws(Status) in
        try admin.checkEvents(bytes, answer: later)
      }
      return try CheckEventsResponse(unpacking: try outcome.reply)
    }

    @Test("what was noted of a log with gaps is found again, however it went on")
    func gaps() async throws {
      let database = try PostgresDatabase()
      let connection = try await database.open()
      let kim = try await connection.makeAccount("kim")
      let daemon = try await PostgresDaemon(database)
      func append(_ account: AccountID?) async throws {
        try await connection.write { t throws(StoreError) in
          try t.events.append([
            NewEvent(.backupMade, of: account, at: WallTime(milliseconds: noon))
          ])
        }
        try await connection.run("SELECT nextval('atrest.event_number')")
      }
      for account in [nil, kim, nil] { try await append(account) }
      let noted = try await check(daemon)
      #expect(noted.events == 3 && noted.broken == 0)
      try await append(kim)
      #expect(try await check(daemon).events == 4)
      let then = try await check(daemon, through: noted.events)
      #expect(then.events == noted.events && then.hash == noted.hash)
      await daemon.stop()
      await database.stop()
    }

    @Test("a check waits for events that have numbers and are not committed")
    func underWay() async throws {
      let database = try PostgresDatabase()
      let (connection, other) = (try await database.open(), try await database.open())
      let accounts = [
        try await connection.makeAccount("kim"), try await connection.makeAccount("sam"),
      ]
      let daemon = try await PostgresDaemon(database)
      let draw = try #require(PostgresLoad.eventNumbers(1))
      let (first, drawn) = try await PostgresTransaction.begin(
        [PostgresLocks.statement(for: [accounts[0]]), draw.statement], on: connection)
      let number = try PostgresRow(try #require(drawn.last?.rows.first)).bits(0)
      try await other.write { t throws(StoreError) in
        try t.events.append([
          NewEvent(.backupMade, of: accounts[1], at: WallTime(milliseconds: noon))
        ])
      }
      async let answer = check(daemon)
      let waiting = """
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event = 'advisory'
        """
      while try await other.run(waiting) != [[.int8(1)]] { try Task.checkCancellation() }
      var chain = EventChain()
      let entry = chain.append(
        NewEvent(.backupMade, of: accounts[0], at: WallTime(milliseconds: noon)), number: number)
      let write = try #require(PostgresWrites.events([accounts[0]: [entry]]))
      _ = try await first.commit([write])
      #expect(try await answer.events == 2)
      #expect(try await answer.broken == 0)
      await daemon.stop()
      await database.stop()
    }
  }
}
