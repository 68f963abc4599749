// SPDX-License-Identifier: Apache-2.0
// Specifies which accounts a round of housekeeping visits, and when.

import AtrestPostgreSQL
import AtrestReplication
import AtrestTestSupport
import Testing

@testable import AtrestServer

extension Postgres {
  @Suite(.timeLimit(.minutes(20))) struct RoundTests {
    private static let hour = PostgresRound.milliseconds

    /// Inserts a record.
    private func fill(
      _ account: AccountID, due: Int64?, _ connection: PostgresConnection
    ) async throws {
      try await connection.run(
        """
        INSERT INTO atrest.record (account, key, sequence, body, due_ms, history)
        VALUES ($1, $2, 3, '', $3, '')
        """, .int8(account.rawValue), .bytea([0, 0, 0, 1, 7]), due.map { .int8($0) } ?? .null)
    }

    private func claim(
      at now: Int64 = noon, page: Int = 100, kept: Int = 4, _ connection: PostgresConnection
    ) async throws -> [AccountID]? {
      try await PostgresRound.claim(
        at: WallTime(milliseconds: now), pageAccounts: page, keptCommits: kept, on: connection)
    }

    @Test("an account is visited if a record of it is due, and not before")
    func due() async throws {
      let database = try PostgresDatabase()
      let connection = try await database.open()
      var (count, expected): (Int, [AccountID]) = (0, [])
      func add(_ isVisited: Bool) async throws -> AccountID {
        count += 1
        let account = try await connection.makeAccount("account \(count)")
        if isVisited { expected.append(account) }
        return account
      }
      try await fill(add(false), due: nil, connection)
      for index in 0..<2 {
        _ = try await connection.makeAccount("empty \(index)")
      }
      try await fill(add(true), due: noon, connection)
      try await fill(add(false), due: noon + 1, connection)
      try await fill(add(true), due: noon - 1, connection)
      #expect(try await claim(connection) == expected)
      await database.stop()
    }

    @Test("an account is visited if it has names of commits to prune, and was written to lately")
    func commits() async throws {
      let database = try PostgresDatabase()
      let connection = try await database.open()
      var expected: [AccountID] = []
      for (index, (count, clock, isVisited)) in [
        (4, noon, false), (5, noon, true), (5, noon - 3 * Self.hour, false),
      ].enumerated() {
        let account = try await connection.makeAccount("account \(index)")
        try await connection.run(
          """
          INSERT INTO atrest.feed_commit (account, sequence, name)
          SELECT $1, n, n FROM generate_series(1, $2) AS n
          """, .int8(account.rawValue), .int8(Int64(count)))
        try await connection.run(
          "UPDATE atrest.account SET head = $2, clock_ms = $3 WHERE id = $1",
          .int8(account.rawValue), .int8(Int64(count)), .int8(clock))
        if isVisited { expected.append(account) }
      }
      #expect(try await claim(connection) == expected)
      await database.stop()
    }

    @Test("a page is claimed once in a round, and the next round begins an hour after this one")
    func pages() async throws {
      let database = try PostgresDatabase()
      let connection = try await database.open()
      var accounts: [AccountID] = []
      for index in 0..<5 {
        let account = try await connection.makeAccount("account \(index)")
        // The third page has nobody to visit.
        if index != 4 { try await fill(account, due: 0, connection) }
        accounts.append(account)
      }
      var found: [[AccountID]] = []
      while let page = try await claim(page: 2, connection) { found.append(page) }
      #expect(found == [Array(accounts[..<2]), Array(accounts[2..<4]), []])
      #expect(try await claim(at: noon + Self.hour - 1, page: 2, connection) == nil)
      #expect(try await claim(at: noon + Self.hour, page: 2, connection) == Array(accounts[..<2]))
      await database.stop()
    }
  }
}
