// SPDX-License-Identifier: Apache-2.0
// Batches of statements on one connection.

import AtrestSockets
import AtrestTestSupport
import Testing

@testable import AtrestPostgreSQL

extension PostgreSQL {
  @Suite(.timeLimit(.minutes(20))) struct BatchTests {
    @Test("the statements of a batch are answered in order, and so are batches sent at once")
    func order() async throws {
      let sessions = try Sessions()
      let connection = try await sessions.open()
      try await withThrowingTaskGroup(of: (Int64, [Int64?]).self) { group in
        for batch in Int64(0)..<50 {
          group.addTask {
            let statements = (0..<5).map {
              PostgresStatement("SELECT $1::int8 * 10 + $2", [.int8(batch), .int8($0)])
            }
            let results = try await connection.run(PostgresBatch(statements, changes: false))
            return (batch, results.map { $0.rows.first?.first?.int8 })
          }
        }
        for try await (batch, answers) in group {
          #expect(answers == (0..<5).map { batch * 10 + $0 })
        }
      }
      await sessions.stop()
    }

    @Test("an error skips the rest of its batch, undoes its beginning, and leaves the next alone")
    func error() async throws {
      let sessions = try Sessions()
      let connection = try await sessions.open()
      let table = try await sessions.table(on: connection)
      async let bad = failure {
        try await connection.run(
          PostgresBatch([
            PostgresStatement("INSERT INTO \(table) VALUES (1)"),
            PostgresStatement("INSERT INTO \(table) VALUES (1)"),
            PostgresStatement("INSERT INTO \(table) VALUES (2)"),
          ]))
      }
      async let good = connection.run("INSERT INTO \(table) VALUES (3)")
      let error = try await bad
      #expect(error.sqlState == "23505")
      #expect(error.meaning == .conflict)
      #expect(try await good.count == 1)
      let rest = try await connection.run("SELECT id FROM \(table)")
      #expect(rest.rows == [[.int8(3)]])
      await sessions.stop()
    }

    @Test("an error shows no value, neither of a parameter nor of a row")
    func noValues() async throws {
      let sessions = try Sessions()
      let connection = try await sessions.open()
      let table = Fresh.name("secret")
      _ = try await connection.run("CREATE TABLE \(table) (word text UNIQUE, CHECK (word <> 'no'))")
      _ = try await connection.run("INSERT INTO \(table) VALUES ($1)", .text("topsecret"))
      for sql in [
        "INSERT INTO \(table) VALUES ($1)",  // The key is in DETAIL.
        "SELECT $1::text::int8",  // The value is in the message.
      ] {
        let error = try await failure { try await connection.run(sql, .text("topsecret")) }
        #expect(!error.userMessage.contains("topsecret"), "\(error.userMessage)")
        #expect(!"\(error)".contains("topsecret") && !error.reason.contains("topsecret"))
        #expect(error.sqlState != nil)
      }
      await sessions.stop()
    }

    @Test("10,000 byte strings pass through unnest and back, the empty and the null ones, too")
    func unnest() async throws {
      let sessions = try Sessions()
      let connection = try await sessions.open()
      let table = try await sessions.table(on: connection)
      var random = SeededRandom(seed: 16)
      let bodies: [[UInt8]?] = (0..<10_000).map { number in
        switch number % 4 {
        case 0: nil
        case 1: []
        default: (0..<Int.random(in: 1...300, using: &random)).map { _ in .random(in: 0...255) }
        }
      }
      let inserted = try await connection.run(
        "INSERT INTO \(table) SELECT * FROM unnest($1::int8[], $2::bytea[])",
        .int8Array((0..<10_000).map { Int64($0) }), .byteaArray(bodies))
      #expect(inserted.count == 10_000)
      let all = try await connection.run("SELECT body FROM \(table) ORDER BY id")
      #expect(all.rows.map { $0.first?.bytea } == bodies)
      #expect(all.rows.first?.first == .null)
      let together = try await connection.run("SELECT array_agg(body ORDER BY id) FROM \(table)")
      #expect(together.rows == [[.byteaArray(bodies)]])
      await sessions.stop()
    }

    @Test(
      "a value comes back as it was sent",
      arguments: [
        PostgresValue.bool(true), .bool(false), .int8(.min), .int8(.max), .text(""),
        .text("Grüße, 世界"), .bytea([]), .bytea([0, 255, 92]), .int8Array([]),
        .int8Array([nil, 0, -1]), .textArray([]), .textArray(["", nil, "a,\"b\"}"]),
        .byteaArray([]), .byteaArray([[], nil, [0]]),
      ])
    func roundTrip(value: PostgresValue) async throws {
      let sessions = try Sessions()
      let connection = try await sessions.open()
      #expect(try await connection.value("SELECT $1", value) == value)
      await sessions.stop()
    }

    @Test("a statement that the session prepared is run by its name, with rows and without")
    func prepared() async throws {
      let sessions = try Sessions()
      let add = PreparedStatement(
        name: "add_numbers", sql: "SELECT $1 + n FROM unnest($2) AS n",
        parameters: [.int8, .int8Array])
      var session = PostgresSession()
      session.prepared = [add]
      let connection = try await sessions.open(session: session)
      for numbers: [Int64?] in [[1, 2, 3], [], [7]] {
        let statement = PostgresStatement(add, [.int8(10), .int8Array(numbers)])
        let results = try await connection.run(PostgresBatch([statement, statement]))
        for result in results { #expect(result.rows == numbers.map { [.int8(($0 ?? 0) + 10)] }) }
      }
      let names = try await connection.run("SELECT name FROM pg_prepared_statements ORDER BY 1")
      #expect(names.rows == [[.text("add_numbers")], [.text(PostgresPin.prepared.name)]])
      await sessions.stop()
    }

    @Test("an answer beyond the bound is refused, and the connection with it")
    func largeAnswer() async throws {
      let sessions = try Sessions()
      var limits = PostgresLimits.patient
      limits.resultBytes = 1 << 20
      let closed = Signal<PostgresError>()
      let connection = try await sessions.open(limits: limits) { closed.send($0) }
      let fits = "SELECT repeat('x', 1000) FROM generate_series(1, 900)"
      #expect(try await connection.run(fits).rows.count == 900)
      let batch = PostgresBatch(
        [PostgresStatement("SELECT repeat('x', 1000) FROM generate_series(1, 100000)")],
        changes: false)
      let error = try await failure { try await connection.run(batch) }
      #expect(error.meaning == .failed)
      #expect(error.reason.contains("larger than 1048576 bytes"))
      _ = try await closed.next()
      let after = try await failure { try await connection.run(fits) }
      #expect(after.meaning == .connectionLost)
      await sessions.stop()
    }

    @Test(
      "requests and answers larger than any buffer of the system pass at the same time",
      arguments: [true, false])
    func bothDirections(isEncrypted: Bool) async throws {
      let sessions = try Sessions()
      let url = isEncrypted ? sessions.server.encryptedURL : sessions.server.url
      let connection = try await sessions.open(url)
      let body = [UInt8](repeating: 7, count: 4 << 20)
      let echo = PostgresStatement("SELECT $1::bytea", [.bytea(body)])
      let results = try await connection.run(
        PostgresBatch(Array(repeating: echo, count: 6), changes: false))
      #expect(results.count == 6)
      #expect(results.allSatisfy { $0.rows == [[.bytea(body)]] })
      await sessions.stop()
    }

    @Test("more batches than the queue takes are refused, and those in it are answered")
    func fullQueue() async throws {
      let sessions = try Sessions()
      var limits = PostgresLimits.patient
      limits.batches = 3
      let connection = try await sessions.open(limits: limits)
      let other = try await sessions.open()
      let key = try await other.process
      _ = try await other.run("SELECT pg_advisory_lock($1)", .int8(key))
      let outcomes = try await withThrowingTaskGroup(of: PostgresError.Meaning?.self) { group in
        for _ in 0..<5 {
          group.addTask {
            do {
              let statement = PostgresStatement("SELECT pg_advisory_xact_lock($1)", [.int8(key)])
              _ = try await connection.run(PostgresBatch([statement]))
              return nil
            } catch let error as PostgresError {
              return error.meaning
            }
          }
        }
        var outcomes: [PostgresError.Meaning?] = []
        for try await outcome in group {
          outcomes.append(outcome)
          if outcomes.count == 2 { _ = try await other.run("SELECT pg_advisory_unlock_all()") }
        }
        return outcomes
      }
      #expect(outcomes == [.busy, .busy, nil, nil, nil])
      await sessions.stop()
    }

    @Test("a column of a type that is not read fails the statement, and says which type")
    func unreadable() async throws {
      let sessions = try Sessions()
      let connection = try await sessions.open()
      let batch = PostgresBatch([PostgresStatement("SELECT 1.5")], changes: false)
      let error = try await failure { try await connection.run(batch) }
      #expect(error.meaning == .failed)
      #expect(error.reason.contains("1700"))
      await sessions.stop()
    }
  }
}
