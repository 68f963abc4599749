// SPDX-License-Identifier: Apache-2.0
// Finds the accounts in which housekeeping may have something to do, for servers that share it.

import AtrestPostgreSQL
import AtrestReplication

/// A round of housekeeping over the accounts of a database: pages of accounts, each of which one
/// server claims.
///
/// A visit locks an account and commits, so an account is visited only if something of it may be
/// due: most accounts of a large database are not, in most rounds.
enum PostgresRound {
  /// From the beginning of one round to that of the next, in milliseconds.
  static let milliseconds: Int64 = 3_600_000
  /// Accounts of a page. To look at one takes a few microseconds.
  static let pageAccounts = 10_000

  /// What the database's clock shows.
  static func time(on connection: PostgresConnection) async throws(PostgresError) -> WallTime? {
    let statement = PostgresStatement("SELECT (extract(epoch FROM now()) * 1000)::int8", [])
    let row = try await connection.run(PostgresBatch([statement])).first?.rows.first
    guard case .int8(let milliseconds)? = row?.first else { return nil }
    return WallTime(milliseconds: milliseconds)
  }

  /// Claims the next page.
  ///
  /// At the end the place is 0 again: the next round begins an hour after this one began. A server
  /// that dies with its page leaves it to the next round. A round that seems to begin in more than
  /// an hour was begun by a clock that was wrong, and is no reason to wait.
  ///
  /// - Parameter now: The database's clock, so that no server's wrong clock ends anything.
  /// - Returns: The accounts of the page that have to be visited, in order of their ids; nil at the
  ///   end of the round, and while none is due.
  /// - Throws: `PostgresError`. Nobody claimed the page then.
  static func claim(
    at now: WallTime, pageAccounts: Int = pageAccounts, keptCommits: Int = Housekeeping.keptCommits,
    on connection: PostgresConnection
  ) async throws(PostgresError) -> [AccountID]? {
    let statement = PostgresStatement(
      sql,
      [
        .int8(now.milliseconds), .int8(milliseconds), .int8(Int64(pageAccounts)),
        .int8(Int64(keptCommits)),
      ])
    let row = try await connection.run(PostgresBatch([statement])).first?.rows.first
    guard let row, row.count == 2, case .int8Array(let accounts) = row[1], row[0] != .null else {
      return nil
    }
    return accounts.compactMap { $0.map(AccountID.init) }
  }

  /// Due is what `DueQuery` finds. Names of commits can only be too many in an account that was
  /// written to since the round before, whose clock the write has raised. The page's beginning is a
  /// subquery of one value, which an index can be entered with; of a join all accounts are read.
  private static let sql = #"""
    WITH place AS (SELECT last_account, begun_ms FROM atrest.housekeeping FOR UPDATE),
    page AS (
      SELECT id, head, clock_ms FROM atrest.account
      WHERE id > (SELECT last_account FROM place)
        AND (SELECT last_account > 0 OR begun_ms NOT BETWEEN $1 - $2 + 1 AND $1 + $2 FROM place)
      ORDER BY id LIMIT $3),
    moved AS (
      UPDATE atrest.housekeeping AS h SET last_account = coalesce((SELECT max(id) FROM page), 0),
        begun_ms = CASE WHEN h.last_account = 0 THEN $1 ELSE h.begun_ms END
      FROM place AS p WHERE p.last_account > 0 OR p.begun_ms NOT BETWEEN $1 - $2 + 1 AND $1 + $2)
    SELECT (SELECT max(id) FROM page), ARRAY (
      SELECT id FROM page AS a
      WHERE EXISTS (
          SELECT FROM atrest.record AS r
          WHERE r.account = a.id AND r.due_ms <= $1)
        OR a.head > $4 AND a.clock_ms > $1 - 2 * $2 AND EXISTS (
          SELECT FROM atrest.feed_commit AS c WHERE c.account = a.id OFFSET $4)
      ORDER BY id)
    """#
}
