// SPDX-License-Identifier: Apache-2.0
// Removes the rows of accounts that are gone, in slices that end in time whatever they held.

import AtrestPostgreSQL
import AtrestReplication

/// The removal of accounts.
///
///     account ── one transaction ──▶ gone, its first rows with it ── slices ──▶ nothing is left
///
/// An account near its quota has more rows than one statement deletes within its time. So its
/// removal deletes the account with everything but its feed, and as much of that as one slice
/// holds; an account of the usual size is gone with that. What is left belongs to a number that is
/// never given again, is noted in `atrest.removal`, and goes in transactions of its own. A daemon
/// that dies with it leaves it to the others' next round.
enum PostgresRemoval {
  /// Rows of one slice: a second's work on a slow disk, if they are large.
  static let sliceRows = 2000

  /// Removes accounts, with everything but events.
  static func statement(for ids: [Int64]) -> PostgresStatement {
    PostgresStatement(
      """
      WITH records AS (\(deletion(of: "record", from: "unnest($2)"))),
        commits AS (\(deletion(of: "feed_commit", from: "unnest($2)"))),
        invitations AS (DELETE FROM atrest.invitation WHERE account = ANY ($2)),
        devices AS (DELETE FROM atrest.device WHERE account = ANY ($2)),
        purchases AS (DELETE FROM atrest.purchase WHERE account = ANY ($2)),
        rest AS (
          INSERT INTO atrest.removal (account)
          SELECT account FROM (
            (SELECT account FROM records GROUP BY account HAVING count(*) >= $1)
            UNION (SELECT account FROM commits GROUP BY account HAVING count(*) >= $1))
            AS unfinished)
      DELETE FROM atrest.account WHERE id = ANY ($2)
      """, [.int8(Int64(sliceRows)), .int8Array(ids)])
  }

  /// Removes what is left of accounts that are gone, but for what others are removing.
  static func goOn(on connection: PostgresConnection) async throws(PostgresError) {
    let slice = PostgresStatement(
      """
      WITH one AS MATERIALIZED (
        SELECT account FROM atrest.removal ORDER BY account LIMIT 1 FOR UPDATE SKIP LOCKED),
      records AS (\(deletion(of: "record", from: "one"))),
      commits AS (\(deletion(of: "feed_commit", from: "one"))),
      done AS (
        DELETE FROM atrest.removal WHERE account IN (SELECT account FROM one)
          AND (SELECT count(*) FROM records) < $1 AND (SELECT count(*) FROM commits) < $1)
      SELECT account FROM one
      """, [.int8(Int64(sliceRows))])
    while try await !(connection.run(PostgresBatch([slice])).first?.rows ?? []).isEmpty {}
  }

  /// Deletes the first rows of each account of a set. $1: how many.
  private static func deletion(of table: String, from accounts: String) -> String {
    """
    DELETE FROM atrest.\(table) WHERE (account, sequence) IN (
      SELECT r.account, r.sequence FROM \(accounts) AS q (account) CROSS JOIN LATERAL (
        SELECT account, sequence FROM atrest.\(table)
        WHERE account = q.account ORDER BY sequence LIMIT $1) AS r)
    RETURNING account
    """
  }
}
