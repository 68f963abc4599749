// SPDX-License-Identifier: Apache-2.0
// How wrong pairing codes are read and written: by a hash of the address, never by the address.

import AtrestPostgreSQL
import AtrestReplication

/// The database never sees an address: it gets a hash, and keeps a hash of that and of its own
/// salt. Rows are gone when their buckets are full again, twelve minutes at the latest. The server
/// has a bucket as well, so there are no more than two rows for each of its tokens since.
extension PostgresLoad {
  static func attempts(_ keys: Set<[UInt8]>) -> Part? {
    guard !keys.isEmpty else { return nil }
    let asked = Array(keys)
    let statement = PostgresStatement(
      """
      SELECT q.n, a.spent, a.since_ms, (extract(epoch FROM clock_timestamp()) * 1000)::int8
      FROM unnest($1) WITH ORDINALITY AS q (hash, n)
      LEFT JOIN atrest.pairing_attempt AS a
        ON a.key = sha256((SELECT salt FROM atrest.meta) || q.hash)
      """, [.bytes(asked, Secret.hash)])
    return Part(statement) { rows, reads throws(StoreError) in
      for values in rows {
        let row = PostgresRow(values)
        let key = asked[try row.index(0, below: asked.count)]
        let full = AttemptLimiter.bucket(of: key)
        let spent = try row.optionalInteger(1).map { Int(clamping: $0) } ?? 0
        let since = try row.optionalTime(2) ?? WallTime(milliseconds: 0)
        reads.attempts[key] = (
          AttemptBucket(like: full, spent: spent, since: since), try row.time(3)
        )
      }
      guard asked.allSatisfy({ reads.attempts[$0] != nil }) else {
        throw .wrongRow("an attempt without an answer")
      }
    }
  }
}

extension PostgresWrites {
  /// Forgets those that are over as well.
  static func attempts(_ buckets: [[UInt8]: AttemptBucket]) -> PostgresStatement? {
    guard !buckets.isEmpty else { return nil }
    let rows = Array(buckets)
    return PostgresStatement(
      """
      WITH over AS (
        DELETE FROM atrest.pairing_attempt
        WHERE full_ms <= extract(epoch FROM clock_timestamp()) * 1000
          AND key NOT IN (
            SELECT sha256((SELECT salt FROM atrest.meta) || q.hash) FROM unnest($1) AS q (hash)))
      INSERT INTO atrest.pairing_attempt (key, spent, since_ms, full_ms)
      SELECT sha256((SELECT salt FROM atrest.meta) || q.hash), q.spent, q.since_ms, q.full_ms
      FROM unnest($1, $2, $3, $4) AS q (hash, spent, since_ms, full_ms)
      ON CONFLICT (key) DO UPDATE
        SET spent = excluded.spent, since_ms = excluded.since_ms, full_ms = excluded.full_ms
      """,
      [
        .bytes(rows) { Secret.hash($0.key) }, .integers(rows) { Int64($0.value.spent) },
        .integers(rows, \.value.since.milliseconds), .integers(rows, \.value.full.milliseconds),
      ])
  }
}
