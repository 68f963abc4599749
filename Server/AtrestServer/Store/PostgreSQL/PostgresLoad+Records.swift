// SPDX-License-Identifier: Apache-2.0
// Loads records: by key, in the order of feeds or of keys, and those that are due.

import AtrestPostgreSQL
import AtrestReplication

extension PostgresLoad {
  static func records(_ addresses: Set<RecordAddress>) -> Part? {
    guard !addresses.isEmpty else { return nil }
    let asked = Array(addresses)
    let statement = PostgresStatement(
      PostgresStatements.records,
      [
        .integers(asked, \.account.rawValue), .bytes(asked, \.key), .int8(Int64(recordBytes)),
      ])
    return Part(statement) { rows, reads throws(StoreError) in
      var answered = 0
      // There is none where a number is passed over.
      func pass(to end: Int) {
        while answered < end {
          reads.records.updateValue(nil, forKey: asked[answered])
          answered += 1
        }
      }
      for values in rows {
        let row = PostgresRow(values)
        let index = try row.index(0, below: asked.count)
        guard index >= answered else { throw .wrongRow("an answer out of order") }
        pass(to: index)
        guard let body = try row.optionalBytes(2) else { return }
        let record = StoredRecord(
          sequence: try row.bits(1), body: body, due: try row.optionalTime(3),
          history: try row.bytes(4))
        reads.records.updateValue(record, forKey: asked[index])
        reads.recordBytes += record.bytes
        answered = index + 1
      }
      pass(to: asked.count)
    }
  }

  static func feedChunks(_ positions: Set<FeedPosition>) -> Part? {
    guard !positions.isEmpty else { return nil }
    let asked = Array(positions.prefix(feedChunks))
    let statement = PostgresStatement(
      PostgresStatements.feedChunks,
      [
        .integers(asked, \.account.rawValue), .integers(asked) { Int64(clamping: $0.sequence) },
        .int8(Int64(feedRows + 1)), .int8(Int64(feedBytes)),
      ])
    return Part(statement) { rows, reads throws(StoreError) in
      for (position, rows) in zip(asked, try grouped(rows, count: asked.count)) {
        var chunk = StagedReads.Chunk<StagedReads.FeedRow>(rows: [], isLast: true)
        chunk.rows.reserveCapacity(rows.count)
        var bytes = 0
        for values in rows.prefix(feedRows) {
          let row = PostgresRow(values)
          let body = try row.bytes(3)
          bytes += body.count
          chunk.rows.append(
            StagedReads.FeedRow(sequence: try row.bits(1), key: try row.bytes(2), body: body))
        }
        // Where it ended by bytes there may be no more rows: the next chunk is empty then.
        chunk.isLast = rows.count <= feedRows && bytes < feedBytes
        reads.feedChunks[position] = chunk
      }
    }
  }

  static func keyChunks(_ positions: Set<FeedPosition>) -> Part? {
    guard !positions.isEmpty else { return nil }
    let asked = Array(positions.prefix(keyChunks))
    let statement = PostgresStatement(
      """
      SELECT q.n, r.sequence, r.key FROM unnest($1, $2) WITH ORDINALITY AS q (account, after, n)
      CROSS JOIN LATERAL (
        SELECT sequence, key FROM atrest.record
        WHERE account = q.account AND sequence > q.after ORDER BY sequence LIMIT $3) AS r
      ORDER BY q.n, r.sequence
      """,
      [
        .integers(asked, \.account.rawValue), .integers(asked) { Int64(clamping: $0.sequence) },
        .int8(Int64(keyRows)),
      ])
    return Part(statement) { rows, reads throws(StoreError) in
      for (position, rows) in zip(asked, try grouped(rows, count: asked.count)) {
        let keys = try rows.map { values throws(StoreError) in
          let row = PostgresRow(values)
          return StagedReads.KeyRow(sequence: try row.bits(1), key: try row.bytes(2))
        }
        reads.keyChunks[position] = StagedReads.Chunk(rows: keys, isLast: keys.count < keyRows)
      }
    }
  }

  /// Longer than any key, and no key is greater.
  private static let afterEveryKey = [UInt8](repeating: 0xFF, count: 256)

  /// Reconciling asks for thousands of small intervals at once, and for whole accounts: chunks have
  /// a bound, and so have all of them together. The first row beyond that comes without its bytes.
  static func rangeChunks(_ ranges: Set<RecordRange>) -> Part? {
    guard !ranges.isEmpty else { return nil }
    let asked = Array(ranges)
    let statement = PostgresStatement(
      """
      SELECT n, CASE WHEN before < $6 THEN key END, CASE WHEN before < $6 THEN body END, is_last
      FROM (
        SELECT *, sum(size) OVER w - size AS before, lag(size, 1, 0) OVER w AS previous
        FROM (
          SELECT q.n, c.key, c.body, c.size, c.is_last
          FROM unnest($1, $2, $3) WITH ORDINALITY AS q (account, first, after, n)
          CROSS JOIN LATERAL (
            SELECT *, row_number() OVER w AS number, lead(key) OVER w IS NULL AS is_last,
              sum(size) OVER w - size AS before
            FROM (
              SELECT key, body, octet_length(key) + octet_length(body) AS size FROM atrest.record
              WHERE account = q.account AND key >= q.first AND key < q.after
              ORDER BY key LIMIT $4) AS rows
            WINDOW w AS (ORDER BY key ROWS UNBOUNDED PRECEDING)) AS c
          WHERE c.number < $4 AND c.before < $5) AS chunks
        WINDOW w AS (ORDER BY n, key ROWS UNBOUNDED PRECEDING)) AS summed
      WHERE before - previous < $6 ORDER BY n, key
      """,
      [
        .integers(asked, \.account.rawValue), .bytes(asked, \.interval.begin),
        .bytes(asked) { $0.interval.end.isEmpty ? afterEveryKey : $0.interval.end },
        .int8(Int64(rangeRows + 1)), .int8(Int64(rangeBytes)), .int8(Int64(rangesBytes)),
      ])
    return Part(statement) { rows, reads throws(StoreError) in
      for (range, rows) in zip(asked, try grouped(rows, count: asked.count)) {
        var chunk = StagedReads.Chunk<StagedReads.RangeRow>(rows: [], isLast: true)
        chunk.rows.reserveCapacity(rows.count)
        for values in rows {
          let row = PostgresRow(values)
          guard let key = try row.optionalBytes(1) else {
            // What follows is beyond the bound.
            chunk.isLast = false
            if !chunk.rows.isEmpty { reads.rangeChunks[range] = chunk }
            return
          }
          chunk.rows.append(StagedReads.RangeRow(key: key, body: try row.bytes(2)))
          chunk.isLast = try row.flag(3)
        }
        reads.rangeChunks[range] = chunk
      }
    }
  }

  static func due(_ queries: Set<DueQuery>) -> Part? {
    guard !queries.isEmpty else { return nil }
    let asked = Array(queries)
    let statement = PostgresStatement(
      #"""
      SELECT q.n, r.key, r.sequence, r.body, r.due_ms, r.history
      FROM unnest($1, $2, $3) WITH ORDINALITY AS q (account, now, most, n)
      CROSS JOIN LATERAL (
        SELECT key, sequence, body, due_ms, history FROM atrest.record
        WHERE account = q.account AND due_ms <= q.now
        LIMIT q.most) AS r
      ORDER BY q.n
      """#,
      [
        .integers(asked, \.account.rawValue), .integers(asked, \.now.milliseconds),
        .integers(asked) { Int64(max(0, $0.limit)) },
      ])
    return Part(statement) { rows, reads throws(StoreError) in
      for (query, rows) in zip(asked, try grouped(rows, count: asked.count)) {
        reads.due[query] = try rows.map { values throws(StoreError) in
          let row = PostgresRow(values)
          return StagedReads.DueRow(
            key: try row.bytes(1),
            record: StoredRecord(
              sequence: try row.bits(2), body: try row.bytes(3), due: try row.optionalTime(4),
              history: try row.bytes(5)))
        }
      }
    }
  }
}
