// SPDX-License-Identifier: Apache-2.0
// The table `replica`: one row, read when a transaction begins and written when it ends.

import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation
import GRDB

import struct AtrestReplication.Cursor

extension ReplicaState {
  /// Reads the row.
  init(_ database: Database) throws {
    guard
      let row = try Row.fetchOne(
        database.cachedStatement(
          sql: """
            SELECT id, clock, cursor_commit, cursor_sequence, account, server, token, last_sync,
              server_offset, head_commit, head_sequence, must_reconcile, taken_number, taken_token,
              last_number, renewal, joining, joining_link, server_clock_doubtful,
              access_ended
            FROM replica WHERE one = 1
            """))
    else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
    let clock = HybridTime(rawValue: UInt64(bitPattern: try row.decode(atIndex: 1)))
    guard clock <= .latest else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
    let lastSync = try row.decode(Int64?.self, atIndex: 7)
    let demand: Int64 = try row.decode(atIndex: 11)
    let link: String? = try row.decode(atIndex: 17)
    let joining = try row.optionalBytes(at: 16)
    self.init()
    self.replica = ReplicaID(rawValue: UInt64(bitPattern: try row.decode(atIndex: 0)))
    self.clock = HybridClock(latest: clock)
    cursor = row.cursor(at: 2)
    account = try row.decode(atIndex: 4)
    server = try row.decode(atIndex: 5)
    token = try row.decode(atIndex: 6)
    self.lastSync = lastSync.map(WallTime.init)
    serverOffset = ServerOffset(milliseconds: try row.decode(atIndex: 8))
    head = row.cursor(at: 9)
    mustReconcile = demand == 0 ? nil : UInt64(bitPattern: demand)
    takenThrough = OutboxPosition(
      number: UInt64(clamping: try row.decode(Int64.self, atIndex: 12)),
      token: UInt64(bitPattern: try row.decode(Int64.self, atIndex: 13)))
    lastNumber = UInt64(clamping: try row.decode(Int64.self, atIndex: 14))
    renewal = try row.optionalBytes(at: 15)
    self.joining = joining.flatMap { nonce in link.map { PendingJoin(link: $0, nonce: nonce) } }
    isServerClockDoubtful = try row.decode(atIndex: 18)
    hasAccessEnded = try row.decode(atIndex: 19)
  }

  /// Writes the row.
  func write(_ database: Database) throws {
    try database.cachedStatement(
      sql: """
        UPDATE replica SET id = ?, clock = ?, cursor_commit = ?, cursor_sequence = ?, account = ?,
          server = ?, token = ?, last_sync = ?, server_offset = ?, head_commit = ?,
          head_sequence = ?, must_reconcile = ?, taken_number = ?, taken_token = ?,
          last_number = ?, renewal = ?, joining = ?, joining_link = ?, server_clock_doubtful = ?,
          access_ended = ? WHERE one = 1
        """
    ).execute(arguments: [
      Int64(bitPattern: replica.rawValue), Int64(bitPattern: clock.latest.rawValue),
      cursor.map { Int64(bitPattern: $0.commit) }, cursor.map { Int64(bitPattern: $0.sequence) },
      account, server, token, lastSync?.milliseconds, serverOffset.milliseconds,
      head.map { Int64(bitPattern: $0.commit) }, head.map { Int64(bitPattern: $0.sequence) },
      Int64(bitPattern: mustReconcile ?? 0), Int64(clamping: takenThrough.number),
      Int64(bitPattern: takenThrough.token),
      Int64(clamping: lastNumber), renewal.map { Data($0) }, joining.map { Data($0.nonce) },
      joining?.link,
      isServerClockDoubtful, hasAccessEnded,
    ])
  }
}

extension ReplicaState {
  /// The account that the replica belongs to; nil if unpaired.
  var pairing: Pairing? {
    guard let server, let account else { return nil }
    return Pairing(server: server, account: account)
  }
}

extension Row {
  /// A cursor from two adjacent columns.
  fileprivate func cursor(at index: Int) -> Cursor? {
    let commit: Int64? = self[index]
    let sequence: Int64? = self[index + 1]
    guard let commit, let sequence else { return nil }
    return Cursor(commit: UInt64(bitPattern: commit), sequence: UInt64(bitPattern: sequence))
  }
}
