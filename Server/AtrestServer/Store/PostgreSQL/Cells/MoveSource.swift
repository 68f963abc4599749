// SPDX-License-Identifier: Apache-2.0
// The commits of a move in the cell that the account leaves.

import AtrestPostgreSQL
import AtrestReplication

/// A session with the source of a move.
struct MoveSource: Sendable {
  /// An account, as far as a move goes.
  struct Account: Sendable {
    let id: AccountID
    let name: String
    /// The cell that it is being moved to.
    let movingTo: CellNumber?
  }

  let connection: PostgresConnection
  private let cell: CellNumber

  init(_ connection: PostgresConnection, to cell: CellNumber) {
    self.connection = connection
    self.cell = cell
  }

  private var cellValue: PostgresValue { .int8(Int64(cell.rawValue)) }

  func find(_ name: String) async throws(StoreError) -> Account? {
    let statement = PostgresStatement(
      "SELECT id, moving_to FROM atrest.account WHERE name = ANY ($1) AND id > 0",
      [.wanted([name]) { $0 }])
    guard let row = try await connection.rows(statement).first else { return nil }
    return Account(id: try row.account(0), name: name, movingTo: try row.optionalCell(1))
  }

  /// "Move", before an account's number: held by the session of whoever moves the account.
  private static let lockKey: Int64 = 0x4D6F_7665 << 32

  /// Keeps other moves of the account away until the session ends. Waits a moment for one that has
  /// just ended.
  ///
  /// - Returns: False if somebody else moves it.
  func lock(_ account: AccountID) async throws(StoreError) -> Bool {
    let key = Self.lockKey ^ account.rawValue
    do throws(PostgresError) {
      _ = try await connection.run(
        PostgresBatch(
          [
            PostgresStatement("SELECT set_config('lock_timeout', $1, true)", [.text("3s")]),
            PostgresStatement("SELECT pg_advisory_lock($1)", [.int8(key)]),
          ], changes: false))
      return true
    } catch {
      // The lock was not to be had in this time.
      guard error.sqlState == "55P03" else { throw StoreError(error) }
      return false
    }
  }

  /// Freezes the account: waits for whoever writes to it, and lets nobody else.
  ///
  /// - Returns: The pairing codes that ended with it.
  func freeze(_ account: AccountID) async throws(StoreError) -> [String] {
    let results = try await connection.results(
      [
        PostgresStatement(
          """
          WITH frozen AS (
            UPDATE atrest.account SET moving_to = $2 WHERE id = $1 AND moving_to IS NULL
            RETURNING 1)
          SELECT atrest.expect(count(*), 1) FROM frozen
          """, [.int8(account.rawValue), cellValue]),
        PostgresStatement(
          "DELETE FROM atrest.invitation WHERE account = $1 RETURNING handle",
          [.int8(account.rawValue)]),
      ], changes: true)
    return try (results.last?.rows ?? []).map { row throws(StoreError) in
      try PostgresRow(row).text(0)
    }
  }

  func thaw(_ account: AccountID) async throws(StoreError) {
    _ = try await connection.results(
      [
        PostgresStatement(
          """
          WITH thawed AS (
            UPDATE atrest.account SET moving_to = NULL WHERE id = $1 AND moving_to = $2
            RETURNING 1)
          SELECT atrest.expect(count(*), 1) FROM thawed
          """, [.int8(account.rawValue), cellValue])
      ], changes: true)
  }

  /// Removes everything of the frozen account but its events, and leaves word where its devices
  /// went.
  func remove(_ account: AccountID) async throws(StoreError) {
    let parameters: [PostgresValue] = [.int8(account.rawValue), cellValue]
    try await connection.commit(
      [
        PostgresStatement(
          """
          WITH frozen AS (
            SELECT id FROM atrest.account WHERE id = $1 AND moving_to = $2 FOR UPDATE)
          SELECT atrest.expect(count(*), 1) FROM frozen
          """, parameters),
        PostgresStatement(
          """
          INSERT INTO atrest.moved (replica, account, cell)
          SELECT replica, account, $2 FROM atrest.device WHERE account = $1
          ON CONFLICT (replica) DO UPDATE SET account = excluded.account, cell = excluded.cell
          """, parameters),
      ] + [PostgresWrites.removals([account])].compactMap(\.self))
  }
}

extension PostgresConnection {
  /// The longest statement that writes or removes everything of an account.
  private static let longestStatement = Duration.seconds(600)

  /// Commits statements that may take longer than others of the session.
  func commit(_ statements: [PostgresStatement]) async throws(StoreError) {
    let milliseconds = Int64(Self.longestStatement / .milliseconds(1))
    do throws(PostgresError) {
      let transaction = try await PostgresTransaction.begin(
        [
          PostgresStatement(
            "SELECT set_config('statement_timeout', $1, true)", [.text(String(milliseconds))])
        ], on: self
      ).transaction
      _ = try await transaction.commit(statements, within: Self.longestStatement)
    } catch {
      throw StoreError(error)
    }
  }
}
