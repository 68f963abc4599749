// SPDX-License-Identifier: Apache-2.0
// What becomes of a transaction when others, the server or the network are in its way.

import AtrestSockets
import AtrestTestSupport
import Testing

@testable import AtrestPostgreSQL

extension PostgreSQL {
  @Suite(.timeLimit(.minutes(20))) struct TransactionTests {
    private func insert(into table: String, _ id: Int64) -> PostgresStatement {
      PostgresStatement("INSERT INTO \(table) VALUES ($1)", [.int8(id)])
    }

    private func update(_ table: String, _ id: Int64) -> PostgresStatement {
      PostgresStatement("UPDATE \(table) SET body = 'x' WHERE id = $1", [.int8(id)])
    }

    private func count(_ table: String, on connection: PostgresConnection) async throws -> Int64? {
      try await connection.value("SELECT count(*) FROM \(table)")?.int8
    }

    /// Waits until a session waits for what `event` says, as `pg_stat_activity` names it.
    private func wait(
      for event: String, of process: Int64, on connection: PostgresConnection
    ) async throws {
      let sql = "SELECT coalesce(wait_event, '') FROM pg_stat_activity WHERE pid = $1"
      while try await connection.value(sql, .int8(process)) != .text(event) {
        try Task.checkCancellation()
      }
    }

    @Test("a transaction loads in its first trip and writes and commits in its second")
    func twoTrips() async throws {
      let sessions = try Sessions()
      let connection = try await sessions.open()
      let table = try await sessions.table(on: connection)
      _ = try await connection.run("INSERT INTO \(table) VALUES (1, 'a')")
      let load = PostgresStatement("SELECT body FROM \(table) WHERE id = 1 FOR UPDATE")
      let (transaction, loaded) = try await PostgresTransaction.begin([load], on: connection)
      #expect(loaded.map(\.rows) == [[[.bytea([97])]]])
      let written = try await transaction.commit([
        insert(into: table, 2), update(table, 1),
      ])
      #expect(written.map(\.command) == ["INSERT 0 1", "UPDATE 1"])
      #expect(try await count(table, on: sessions.open()) == 2)
      await sessions.stop()
    }

    @Test("what others set on the backend does not weaken what a transaction promises")
    func pinned() async throws {
      let sessions = try Sessions()
      let connection = try await sessions.open()
      let table = try await sessions.table(on: connection)
      let setting = PostgresStatement("SELECT current_setting('synchronous_commit')")
      _ = try await connection.run("SET synchronous_commit = off")
      let (transaction, opening) = try await PostgresTransaction.begin([setting], on: connection)
      #expect(opening.map(\.rows) == [[[.text("on")]]])
      let last = try await transaction.commit([insert(into: table, 1), setting])
      #expect(last.last?.rows == [[.text("on")]])
      // Of the transaction alone.
      #expect(
        try await connection.run("SELECT current_setting('synchronous_commit')").rows == [
          [.text("off")]
        ])
      await sessions.stop()
    }

    @Test("a session that moves to another backend is refused, and what it began did not happen")
    func otherBackend() async throws {
      let sessions = try Sessions()
      let connection = try await sessions.open()
      let table = try await sessions.table(on: connection)
      let schema = Fresh.name("pool")
      // As if a pool had exchanged the backend.
      for sql in [
        "CREATE SCHEMA \(schema)",
        "CREATE FUNCTION \(schema).pg_backend_pid() RETURNS int4 LANGUAGE sql AS 'SELECT 1'",
        "SET search_path = \(schema), pg_catalog, public",
      ] {
        _ = try await connection.run(sql)
      }
      let error = try await failure {
        _ = try await PostgresTransaction.begin([insert(into: table, 1)], on: connection)
      }
      #expect(error.meaning == .refused)
      #expect(error.userMessage.contains("PgBouncer in transaction mode"))
      #expect(await !connection.isOpen)
      #expect(try await count(table, on: sessions.open()) == 0)
      await sessions.stop()
    }

    @Test(
      "of two transactions that write one row, the later one did not happen, and can be repeated")
    func serialization() async throws {
      let sessions = try Sessions()
      let (one, two) = (try await sessions.open(), try await sessions.open())
      let table = try await sessions.table(on: one)
      _ = try await one.run("INSERT INTO \(table) VALUES (1)")
      let load = PostgresStatement("SELECT body FROM \(table)")
      let first = try await PostgresTransaction.begin([load], .serializable, on: one).transaction
      let second = try await PostgresTransaction.begin([load], .serializable, on: two).transaction
      _ = try await first.commit([update(table, 1)])
      let error = try await failure { try await second.commit([update(table, 1)]) }
      #expect(error.sqlState == "40001")
      #expect(error.meaning == .conflict)
      let again = try await PostgresTransaction.begin([load], .serializable, on: two).transaction
      _ = try await again.commit([update(table, 1)])
      await sessions.stop()
    }

    @Test("of two transactions that wait for each other, one did not happen and one did")
    func deadlock() async throws {
      let sessions = try Sessions()
      let (one, two) = (try await sessions.open(), try await sessions.open())
      let table = try await sessions.table(on: one)
      _ = try await one.run("INSERT INTO \(table) VALUES (1), (2)")
      let first = try await PostgresTransaction.begin([update(table, 1)], on: one).transaction
      let second = try await PostgresTransaction.begin([update(table, 2)], on: two).transaction
      func meaning(
        of transaction: PostgresTransaction, writing id: Int64
      ) async -> PostgresError? {
        do throws(PostgresError) {
          _ = try await transaction.commit([update(table, id)])
          return nil
        } catch {
          return error
        }
      }
      async let firstError = meaning(of: first, writing: 2)
      async let secondError = meaning(of: second, writing: 1)
      let errors = await [firstError, secondError].compactMap { $0 }
      #expect(errors.map(\.sqlState) == ["40P01"])
      #expect(errors.map(\.meaning) == [.conflict])
      await sessions.stop()
    }

    @Test("after an error the transaction is over, nothing of it is there, and the next one begins")
    func failedTransaction() async throws {
      let sessions = try Sessions()
      let connection = try await sessions.open()
      let table = try await sessions.table(on: connection)
      let opening = try await failure {
        try await PostgresTransaction.begin([PostgresStatement("SELECT 1/0")], on: connection)
      }
      #expect(opening.sqlState == "22012")
      let first = try await PostgresTransaction.begin([], on: connection).transaction
      let error = try await failure {
        try await first.commit([insert(into: table, 1), insert(into: table, 1)])
      }
      #expect(error.sqlState == "23505")
      let second = try await PostgresTransaction.begin([], on: connection).transaction
      let middle = try await failure { try await second.run([PostgresStatement("SELECT 1/0")]) }
      #expect(middle.meaning == .failed)
      let third = try await PostgresTransaction.begin([], on: connection).transaction
      _ = try await third.commit([insert(into: table, 3)])
      #expect(try await connection.run("SELECT id FROM \(table)").rows == [[.int8(3)]])
      await sessions.stop()
    }

    @Test("other batches of the connection wait for the transaction, and are no part of it")
    func othersWait() async throws {
      let sessions = try Sessions()
      let connection = try await sessions.open()
      let table = try await sessions.table(on: connection)
      let transaction = try await PostgresTransaction.begin(
        [insert(into: table, 1)], on: connection
      ).transaction
      async let other = connection.run("INSERT INTO \(table) VALUES (2)")
      // Answered, although it was sent after the other one: that one waits.
      _ = try await transaction.run([PostgresStatement("SELECT 1")])
      await transaction.rollBack()
      _ = try await other
      #expect(try await connection.run("SELECT id FROM \(table)").rows == [[.int8(2)]])
      await sessions.stop()
    }

    @Test("a transaction that is forgotten is rolled back at once")
    func forgotten() async throws {
      let sessions = try Sessions()
      let (one, two) = (try await sessions.open(), try await sessions.open())
      let table = try await sessions.table(on: one)
      _ = try await one.run("INSERT INTO \(table) VALUES (1)")
      _ = try await PostgresTransaction.begin([update(table, 1)], on: one)
      _ = try await two.run("SET lock_timeout = '60s'")
      #expect(try await two.run("UPDATE \(table) SET body = 'y'").count == 1)
      #expect(try await one.run("SELECT body FROM \(table)").rows == [[.bytea([121])]])
      await sessions.stop()
    }

    @Test("a session that is ended before COMMIT was sent: the connection, and nothing happened")
    func terminatedBefore() async throws {
      let sessions = try Sessions()
      let closed = Signal<PostgresError>()
      let one = try await sessions.open { closed.send($0) }
      let other = try await sessions.open()
      let table = try await sessions.table(on: one)
      let process = try await one.process
      let transaction = try await PostgresTransaction.begin(
        [insert(into: table, 1)], on: one
      ).transaction
      _ = try await other.run("SELECT pg_terminate_backend($1::int4)", .int8(process))
      #expect(try await closed.next().meaning == .connectionLost)
      let error = try await failure { try await transaction.commit([insert(into: table, 2)]) }
      #expect(error.meaning == .connectionLost)
      #expect(try await count(table, on: other) == 0)
      await sessions.stop()
    }

    @Test("a session that is ended while it writes says so: the COMMIT behind it did not happen")
    func terminatedWhileWriting() async throws {
      let sessions = try Sessions()
      let (one, other) = (try await sessions.open(), try await sessions.open())
      let table = try await sessions.table(on: one)
      let process = try await one.process
      let transaction = try await PostgresTransaction.begin([], on: one).transaction
      async let error = failure {
        try await transaction.commit([
          insert(into: table, 1), PostgresStatement("SELECT pg_sleep(60)"),
        ])
      }
      try await wait(for: "PgSleep", of: process, on: other)
      _ = try await other.run("SELECT pg_terminate_backend($1::int4)", .int8(process))
      #expect(try await error.sqlState == "57P01")
      #expect(try await error.meaning == .connectionLost)
      #expect(try await count(table, on: other) == 0)
      await sessions.stop()
    }

    /// A COMMIT that waits for a standby, and the process that waits.
    private func withWaitingCommit(
      _ body: (PostgresConnection, PostgresConnection, Int64) async throws -> Void
    ) async throws -> (error: PostgresError, rows: Int64?) {
      let sessions = try Sessions(PostgresServer.awaitingStandby)
      let (one, other) = (try await sessions.open(), try await sessions.open())
      _ = try await other.run("SET synchronous_commit = local")
      let table = try await sessions.table(on: other)
      let process = try await one.process
      let transaction = try await PostgresTransaction.begin([], on: one).transaction
      async let error = failure { try await transaction.commit([insert(into: table, 1)]) }
      try await wait(for: "SyncRep", of: process, on: other)
      try await body(one, other, process)
      let result = (try await error, try await count(table, on: other))
      await sessions.stop()
      return result
    }

    @Test("a session that is ended in the middle of COMMIT: unknown, and the row is there")
    func terminatedInCommit() async throws {
      let (error, rows) = try await withWaitingCommit { _, other, process in
        _ = try await other.run("SELECT pg_terminate_backend($1::int4)", .int8(process))
      }
      #expect(error.meaning == .unknown)
      #expect(rows == 1)
    }

    @Test("a COMMIT that gives up waiting for its standby succeeds with a warning: unknown")
    func cancelledInCommit() async throws {
      let (error, rows) = try await withWaitingCommit { _, other, process in
        _ = try await other.run("SELECT pg_cancel_backend($1::int4)", .int8(process))
      }
      #expect(error.meaning == .unknown)
      #expect(rows == 1)
    }

    @Test("a COMMIT whose standby is away is given up in time: unknown, and nothing waits on")
    func expiredInCommit() async throws {
      let sessions = try Sessions(PostgresServer.awaitingStandby)
      var limits = PostgresLimits.patient
      limits.batchDeadline = .milliseconds(500)
      limits.cancelDeadline = .seconds(60)
      let other = try await sessions.open()
      _ = try await other.run("SET synchronous_commit = local")
      let table = try await sessions.table(on: other)
      let one = try await sessions.open(limits: limits)
      let transaction = try await PostgresTransaction.begin(
        [], on: one, within: .seconds(60)
      ).transaction
      let error = try await failure { try await transaction.commit([insert(into: table, 1)]) }
      #expect(error.meaning == .unknown)
      // It has answered: nothing waits any more, and its locks are free.
      #expect(await one.isOpen)
      #expect(try await count(table, on: other) == 1)
      await sessions.stop()
    }

    @Test("what is run in a transaction that has failed fails as it did")
    func runAfterFailure() async throws {
      let sessions = try Sessions()
      let connection = try await sessions.open()
      let transaction = try await PostgresTransaction.begin([], on: connection).transaction
      let wrong = PostgresStatement("SELECT 1 / 0")
      let first = try await failure { try await transaction.run([wrong]) }
      let second = try await failure { try await transaction.run([PostgresStatement("SELECT 1")]) }
      #expect(first == second && first.sqlState == "22012")
      await sessions.stop()
    }

    @Test("a connection that is closed here in the middle of COMMIT: unknown")
    func closedInCommit() async throws {
      let (error, _) = try await withWaitingCommit { one, _, _ in await one.close() }
      #expect(error.meaning == .unknown)
    }

    @Test(
      "the network fails between COMMIT and its answer: unknown, whether or not it happened",
      arguments: [(Proxy.Fault.cutAfterCommit, Int64(1)), (.cutBeforeCommit, 0)])
    func cut(fault: Proxy.Fault, rows: Int64) async throws {
      let sessions = try Sessions()
      let proxy = try Proxy(to: sessions.server)
      let (one, other) = (try await sessions.open(proxy.url), try await sessions.open())
      let table = try await sessions.table(on: other)
      let transaction = try await PostgresTransaction.begin([], on: one).transaction
      proxy.fail(fault)
      let error = try await failure { try await transaction.commit([insert(into: table, 1)]) }
      #expect(error.meaning == .unknown)
      #expect(try await count(table, on: other) == rows)
      await sessions.stop()
      proxy.stop()
    }

    @Test("a transaction that has failed fails again, whatever it is asked next, and may be ended")
    func failed() async throws {
      let sessions = try Sessions()
      let connection = try await sessions.open()
      let transaction = try await PostgresTransaction.begin([], on: connection).transaction
      let first = try await failure {
        try await transaction.run([PostgresStatement("SELECT 1/0")])
      }
      #expect(first.sqlState == "22012")
      let run = try await failure { try await transaction.run([PostgresStatement("SELECT 1")]) }
      let commit = try await failure { try await transaction.commit([]) }
      #expect(run == first && commit == first)
      await transaction.rollBack()
      #expect(try await connection.run("SELECT 1::int8").rows == [[.int8(1)]])
      await sessions.stop()
    }

    @Test("a server that has become read-only is a lost connection")
    func readOnly() async throws {
      let sessions = try Sessions()
      let closed = Signal<PostgresError>()
      let connection = try await sessions.open { closed.send($0) }
      let table = try await sessions.table(on: connection)
      _ = try await connection.run("SET default_transaction_read_only = on")
      let transaction = try await PostgresTransaction.begin([], on: connection).transaction
      let error = try await failure { try await transaction.commit([insert(into: table, 1)]) }
      #expect(error.sqlState == "25006")
      #expect(error.meaning == .connectionLost)
      #expect(try await closed.next() == error)
      await sessions.stop()
    }

    @Test(
      "what the server answers has one meaning",
      arguments: [
        ("40001", PostgresError.Meaning.conflict), ("40P01", .conflict), ("23505", .conflict),
        ("57P01", .connectionLost),
        ("57P02", .connectionLost), ("57P03", .connectionLost), ("08006", .connectionLost),
        ("53300", .connectionLost), ("25006", .connectionLost), ("53100", .diskFull),
        ("08007", .unknown), ("40003", .unknown), ("57014", .busy), ("55P03", .busy),
        ("25P02", .failed), ("22000", .failed), ("XX000", .failed),
      ])
    func meanings(state: String, meaning: PostgresError.Meaning) async throws {
      let sessions = try Sessions()
      let connection = try await sessions.open()
      let error = try await failure {
        try await connection.run(
          "DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '\(state)'; END $$")
      }
      #expect(error.sqlState == state)
      #expect(error.meaning == meaning)
      await sessions.stop()
    }
  }
}
