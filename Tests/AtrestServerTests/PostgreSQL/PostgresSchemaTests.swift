// SPDX-License-Identifier: Apache-2.0
// How a database comes to have the store's tables, and which databases are refused.

import AtrestPostgreSQL
import AtrestReplication
import AtrestTestSupport
import Testing

@testable import AtrestServer

extension Postgres {
  @Suite(.timeLimit(.minutes(20))) struct SchemaTests {
    private func tables(_ connection: PostgresConnection) async throws -> [[PostgresValue]] {
      try await connection.run(
        """
        SELECT n.nspname || '.' || c.relname FROM pg_class AS c
        JOIN pg_namespace AS n ON n.oid = c.relnamespace
        WHERE n.nspname NOT LIKE 'pg_%' AND n.nspname <> 'information_schema' ORDER BY 1
        """)
    }

    private func error(
      _ connection: PostgresConnection, cell: CellNumber? = nil
    ) async -> StoreError? {
      do throws(StoreError) {
        try await PostgresSchema.migrate(on: connection, cell: cell)
        return nil
      } catch {
        return error
      }
    }

    @Test("a database is migrated once, and has its name for good")
    func twice() async throws {
      let database = try PostgresDatabase(isEmpty: true)
      let connection = try await database.open(PostgresSession())
      try await connection.run("CREATE TABLE public.account (id int8)")
      try await PostgresSchema.migrate(on: connection, name: .max)
      let made = try await tables(connection)
      #expect(made.contains([.text("atrest.record")]) && made.contains([.text("public.account")]))
      try await PostgresSchema.migrate(on: connection, name: 5)
      #expect(try await tables(connection) == made)
      let meta = try await connection.run("SELECT version, name FROM atrest.meta")
      #expect(meta == [[.int8(Int64(PostgresSchema.version)), .int8(-1)]])
      await database.stop()
    }

    @Test("of several that migrate at once one does it, and the others find it done")
    func atOnce() async throws {
      let database = try PostgresDatabase(isEmpty: true)
      var connections: [PostgresConnection] = []
      for _ in 0..<4 { connections.append(try await database.open(PostgresSession())) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (number, connection) in connections.enumerated() {
          group.addTask {
            try await PostgresSchema.migrate(on: connection, name: UInt64(number + 1))
          }
        }
        try await group.waitForAll()
      }
      #expect(try await connections[0].run("SELECT count(*) FROM atrest.meta") == [[.int8(1)]])
      await database.stop()
    }

    @Test("a new database becomes the cell that it is opened as, and is refused as another one")
    func cells() async throws {
      let database = try PostgresDatabase(isEmpty: true)
      let connection = try await database.open(PostgresSession())
      let (three, four) = (
        try #require(CellNumber(3)), try #require(CellNumber(4))
      )
      try await PostgresSchema.migrate(on: connection, cell: three)
      for (asked, expected) in [
        (three, nil), (nil, nil), (four, .wrongCell(found: three, expected: four)),
        (.sole, .wrongCell(found: three, expected: .sole)),
      ] as [(CellNumber?, StoreError?)] {
        #expect(await error(connection, cell: asked) == expected)
      }
      #expect(try await connection.run("SELECT cell FROM atrest.meta") == [[.int8(3)]])
      await #expect(throws: StoreError.wrongCell(found: three, expected: .sole)) {
        try await PostgresBackend.open(
          PostgresAddress(parsing: database.url), environment: World().environment, logger: quiet)
      }
      await database.stop()
      let other = try PostgresDatabase()
      let second = try await other.open(PostgresSession())
      #expect(await error(second, cell: three) == .wrongCell(found: .sole, expected: three))
      await other.stop()
    }

    @Test("an older format is migrated when no daemon uses it, and left as it is before")
    func inUse() async throws {
      let database = try PostgresDatabase()
      let connection = try await database.open(PostgresSession())
      try await connection.run("ALTER TABLE atrest.record DROP CONSTRAINT record_is_bounded")
      try await connection.run("DROP TABLE atrest.removal, atrest.pairing_attempt")
      try await connection.run("ALTER TABLE atrest.meta DROP COLUMN salt")
      try await connection.run(
        "ALTER TABLE atrest.account DROP COLUMN deletions, DROP COLUMN deletions_since_ms")
      try await connection.run("UPDATE atrest.meta SET version = 1")
      let before = try await tables(connection)
      var session = PostgresSession()
      session.sharedLock = .serving
      let daemon = try await database.open(session)
      #expect(await error(connection) == .inUse(directory: "The database", process: nil))
      #expect(try await tables(connection) == before)
      await daemon.close()
      // The server ends a session a moment after it was closed.
      var refusal = await error(connection)
      while refusal == .inUse(directory: "The database", process: nil) {
        try Task.checkCancellation()
        refusal = await error(connection)
      }
      #expect(refusal == nil)
      let meta = try await connection.run("SELECT version FROM atrest.meta")
      #expect(meta == [[.int8(Int64(PostgresSchema.version))]])
      try database.openStore().close()
      await database.stop()
    }

    @Test("a newer format is refused and left as it is")
    func newer() async throws {
      let database = try PostgresDatabase()
      let connection = try await database.open(PostgresSession())
      let newer = PostgresSchema.version + 1
      try await connection.run("UPDATE atrest.meta SET version = $1", .int8(Int64(newer)))
      try await connection.run("DROP TABLE atrest.purchase")
      let before = try await tables(connection)
      #expect(
        await error(connection)
          == .newerVersion(
            path: "The database", found: newer, supported: PostgresSchema.version))
      #expect(throws: StoreError.self) { try database.openStore() }
      #expect(try await tables(connection) == before)
      await database.stop()
    }

    @Test(
      "a schema of our name that holds something else is refused and left as it is",
      arguments: [
        ["CREATE TABLE atrest.record (id int8)"], ["CREATE TABLE atrest.meta (version text)"],
        ["CREATE TABLE atrest.meta (version int8, name int8, cell int8)"],
        [
          "CREATE TABLE atrest.meta (version int8, name int8, cell int8)",
          "INSERT INTO atrest.meta VALUES (0, 1, 0)",
        ],
      ])
    func foreign(statements: [String]) async throws {
      let database = try PostgresDatabase(isEmpty: true)
      let connection = try await database.open(PostgresSession())
      try await connection.run("CREATE SCHEMA atrest")
      for statement in statements { try await connection.run(statement) }
      let before = try await tables(connection)
      #expect(await error(connection) == .notAStore(path: "The database"))
      #expect(try await tables(connection) == before)
      await database.stop()
    }

    @Test(
      "events are neither changed nor removed",
      arguments: [
        "UPDATE atrest.event SET detail = 1", "DELETE FROM atrest.event", "TRUNCATE atrest.event",
      ])
    func events(sql: String) async throws {
      let database = try PostgresDatabase()
      let connection = try await database.open()
      try await connection.write { t throws(StoreError) in
        try t.events.append([NewEvent(.backupMade, of: nil, at: WallTime(milliseconds: noon))])
      }
      await #expect(throws: PostgresError.self) { try await connection.run(sql) }
      #expect(try await connection.run("SELECT count(*) FROM atrest.event") == [[.int8(1)]])
      await database.stop()
    }
  }
}
