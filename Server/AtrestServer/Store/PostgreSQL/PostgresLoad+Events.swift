// SPDX-License-Identifier: Apache-2.0
// Loads the audit log, and draws numbers for new events.

import AtrestDomain
import AtrestPostgreSQL
import AtrestReplication
import AtrestWire

extension PostgresLoad {
  static let eventColumns =
    "e.number, e.account, e.at_ms, e.kind, e.actor, e.subject, e.detail, e.count, e.hash"

  static func lastEvents(_ accounts: Set<AccountID>) -> Part? {
    guard !accounts.isEmpty else { return nil }
    let asked = Array(accounts)
    let statement = PostgresStatement(
      """
      SELECT q.n, \(eventColumns) FROM unnest($1) WITH ORDINALITY AS q (account, n)
      CROSS JOIN LATERAL (
        SELECT * FROM atrest.event WHERE account = q.account ORDER BY number DESC LIMIT 1) AS e
      """, [.integers(asked, \.rawValue)])
    return Part(statement) { rows, reads throws(StoreError) in
      for account in asked { reads.lastEvents.updateValue(nil, forKey: account) }
      for values in rows {
        let row = PostgresRow(values)
        let account = asked[try row.index(0, below: asked.count)]
        reads.lastEvents.updateValue(try EventEntry(row, at: 1), forKey: account)
      }
    }
  }

  /// "AtrEvnt": shared by whoever has drawn numbers, until they are committed or gone. Whoever
  /// holds it alone knows that no number given before is still under way.
  private static let numbersLock: Int64 = 0x41_7472_4576_6E74

  static func eventNumbers(_ count: Int) -> Part? {
    guard count > 0 else { return nil }
    let statement = PostgresStatement(
      """
      WITH lock AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared($2)::text AS held)
      SELECT nextval('atrest.event_number') FROM lock, generate_series(1, $1) WHERE held = ''
      """, [.int8(Int64(count)), .int8(numbersLock)])
    return Part(statement) { rows, reads throws(StoreError) in
      let numbers = try rows.map { values throws(StoreError) in try PostgresRow(values).bits(0) }
      guard numbers.count == count else { throw .wrongRow("a number is missing") }
      // A sequence only grows, also from trip to trip.
      reads.eventNumbers += numbers.sorted()
    }
  }

  /// Waits for those that have drawn numbers. For a tool that reads the whole log.
  static func settledEvent(_ isAsked: Bool) -> Part? {
    guard isAsked else { return nil }
    let statement = PostgresStatement(
      """
      WITH lock AS MATERIALIZED (SELECT pg_advisory_xact_lock($1)::text AS held)
      SELECT coalesce(pg_sequence_last_value('atrest.event_number'), 0) FROM lock WHERE held = ''
      """, [.int8(numbersLock)])
    return Part(statement) { rows, reads throws(StoreError) in
      guard let row = rows.first else { throw .wrongRow("an answer is missing") }
      reads.settledEvent = try PostgresRow(row).bits(0)
    }
  }

  /// Pages of single accounts.
  static func eventPages(_ pages: Set<EventPage>) -> Part? {
    let asked = pages.filter { $0.account != nil }.map(\.self)
    guard !asked.isEmpty else { return nil }
    let statement = PostgresStatement(
      """
      SELECT q.n, \(eventColumns)
      FROM unnest($1, $2, $3) WITH ORDINALITY AS q (account, before, most, n)
      CROSS JOIN LATERAL (
        SELECT * FROM atrest.event WHERE account = q.account AND number < q.before
        ORDER BY number DESC LIMIT q.most) AS e
      ORDER BY q.n, e.number DESC
      """,
      [
        .integers(asked) { $0.account?.rawValue }, .integers(asked, \.end),
        .integers(asked, \.most),
      ])
    return Part(statement) { rows, reads throws(StoreError) in
      try read(rows, asked, into: &reads)
    }
  }

  /// Pages of all accounts.
  static func allEventPages(_ pages: Set<EventPage>) -> Part? {
    let asked = pages.filter { $0.account == nil }.map(\.self)
    guard !asked.isEmpty else { return nil }
    let statement = PostgresStatement(
      """
      SELECT q.n, \(eventColumns) FROM unnest($1, $2) WITH ORDINALITY AS q (before, most, n)
      CROSS JOIN LATERAL (
        SELECT * FROM atrest.event WHERE number < q.before ORDER BY number DESC LIMIT q.most) AS e
      ORDER BY q.n, e.number DESC
      """, [.integers(asked, \.end), .integers(asked, \.most)])
    return Part(statement) { rows, reads throws(StoreError) in
      try read(rows, asked, into: &reads)
    }
  }

  private static func read(
    _ rows: [[PostgresValue]], _ pages: [EventPage], into reads: inout StagedReads
  ) throws(StoreError) {
    for (page, rows) in zip(pages, try grouped(rows, count: pages.count)) {
      reads.eventPages[page] = try rows.map { values throws(StoreError) in
        try EventEntry(PostgresRow(values), at: 1)
      }
    }
  }

  static func eventChunks(_ starts: Set<UInt64>) -> Part? {
    guard !starts.isEmpty else { return nil }
    let asked = Array(starts.prefix(eventChunks))
    let statement = PostgresStatement(
      """
      SELECT q.n, \(eventColumns) FROM unnest($1) WITH ORDINALITY AS q (after, n)
      CROSS JOIN LATERAL (
        SELECT * FROM atrest.event WHERE number > q.after ORDER BY number LIMIT $2) AS e
      ORDER BY q.n, e.number
      """, [.integers(asked) { Int64(clamping: $0) }, .int8(Int64(eventRows))])
    return Part(statement) { rows, reads throws(StoreError) in
      for (start, rows) in zip(asked, try grouped(rows, count: asked.count)) {
        let events = try rows.map { values throws(StoreError) in
          try EventEntry(PostgresRow(values), at: 1)
        }
        reads.eventChunks[start] = StagedReads.Chunk(
          rows: events, isLast: events.count < eventRows)
      }
    }
  }
}

extension EventPage {
  /// The number before which the page ends, as PostgreSQL compares it.
  fileprivate var end: Int64 { Int64(clamping: before ?? .max) }
  fileprivate var most: Int64 { Int64(max(0, limit)) }
}

extension EventEntry {
  /// From `PostgresLoad.eventColumns`, behind others.
  init(_ row: PostgresRow, at column: Int) throws(StoreError) {
    let account = try row.account(column + 1)
    let event = NewEvent(
      AccountEvent.Kind(rawValue: Int(try row.integer(column + 3))),
      of: account == .server ? nil : account, at: try row.time(column + 2),
      actor: try row.replica(column + 4), subject: try row.replica(column + 5),
      detail: try row.integer(column + 6), count: UInt32(clamping: try row.integer(column + 7)))
    self.init(number: try row.bits(column), event: event, hash: try row.bytes(column + 8))
  }
}
