// SPDX-License-Identifier: Apache-2.0
// The audit log in SQLite. Triggers refuse to change or delete its rows.

import AtrestDomain
import AtrestReplication
import AtrestWire
import Foundation
import GRDB

final class SQLiteEvents: EventLog {
  let scope = EventScope.store
  private let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) {
    self.connection = connection
  }

  func append(_ events: [NewEvent]) throws(StoreError) {
    try connection.perform { db in
      let newest = try Row.fetchOne(
        db, sql: "SELECT number, hash FROM event ORDER BY number DESC LIMIT 1")
      var chain = EventChain()
      if let newest {
        chain = EventChain(
          after: UInt64(bitPattern: try newest.value(Int64.self, of: "number")),
          hash: [UInt8](try newest.value(Data.self, of: "hash")))
      }
      for event in events {
        let entry = chain.append(event)
        try db.execute(
          sql: "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
          arguments: [
            Int64(bitPattern: entry.number), event.account?.rawValue ?? 0, event.at.milliseconds,
            event.kind.rawValue, Int64(bitPattern: event.actor.rawValue),
            Int64(bitPattern: event.subject.rawValue), event.detail, Int64(event.count),
            Data(entry.hash),
          ])
      }
    }
  }

  func page(
    of account: AccountID?, before number: UInt64?, limit: Int
  ) throws(StoreError) -> [EventEntry] {
    try connection.perform { db in
      let end = Int64(clamping: number ?? .max)
      let rows =
        if let account {
          try Row.fetchAll(
            db,
            sql: """
              SELECT * FROM event WHERE account = ? AND number < ? ORDER BY number DESC LIMIT ?
              """, arguments: [account.rawValue, end, limit])
        } else {
          try Row.fetchAll(
            db, sql: "SELECT * FROM event WHERE number < ? ORDER BY number DESC LIMIT ?",
            arguments: [end, limit])
        }
      return try rows.map { try EventEntry($0) }
    }
  }

  /// One transaction after the other writes.
  func settledNumber() -> UInt64? { nil }

  func scan(after number: UInt64, _ visit: (EventEntry) -> Bool) throws(StoreError) {
    try connection.perform { db in
      let rows = try Row.fetchCursor(
        db, sql: "SELECT * FROM event WHERE number > ? ORDER BY number",
        arguments: [Int64(clamping: number)])
      while let row = try rows.next() {
        guard visit(try EventEntry(row)) else { return }
      }
    }
  }
}

extension EventEntry {
  fileprivate init(_ row: Row) throws {
    func replica(_ column: String) throws -> ReplicaID {
      ReplicaID(rawValue: UInt64(bitPattern: try row.value(Int64.self, of: column)))
    }
    let account: Int64 = try row.value(of: "account")
    let event = NewEvent(
      AccountEvent.Kind(rawValue: try row.value(of: "kind")),
      of: account == 0 ? nil : AccountID(rawValue: account),
      at: WallTime(milliseconds: try row.value(of: "at_ms")), actor: try replica("actor"),
      subject: try replica("subject"), detail: try row.value(of: "detail"),
      count: UInt32(clamping: try row.value(Int64.self, of: "count")))
    self.init(
      number: UInt64(bitPattern: try row.value(Int64.self, of: "number")), event: event,
      hash: [UInt8](try row.value(Data.self, of: "hash")))
  }
}
