// SPDX-License-Identifier: Apache-2.0
// The one row that says who this replica is and where it stands.

import GRDB
import Replication
import SyncProtocol

import struct SyncProtocol.Cursor

/// Who a replica is and where it stands. Read at the start of a transaction, written at its end.
struct ReplicaState: Hashable {
  var replica = ReplicaID.none
  var clock = HybridClock()
  var cursor: Cursor?
  var account: String?
  var server: String?
  var token: String?
  var lastSync: WallTime?
  /// Server's clock minus this device's, in milliseconds.
  var serverOffset: Int64 = 0

  /// Smaller differences between two clocks are the network's as likely as the clocks'. Milliseconds.
  static let offsetTolerance: Int64 = 2000

  /// This device's time, corrected by what the server said if that is far off.
  func corrected(_ wall: WallTime) -> WallTime {
    guard serverOffset.magnitude > ReplicaState.offsetTolerance.magnitude else { return wall }
    let (sum, overflow) = wall.milliseconds.addingReportingOverflow(serverOffset)
    return overflow ? wall : WallTime(milliseconds: sum)
  }

  /// Learns the server's time.
  mutating func observe(server: WallTime, at now: WallTime) {
    let (offset, overflow) = server.milliseconds.subtractingReportingOverflow(now.milliseconds)
    serverOffset = overflow ? 0 : offset
  }

  static func read(_ database: Database) throws -> ReplicaState {
    guard
      let row = try Row.fetchOne(
        database.cachedStatement(
          sql: """
            SELECT id, clock, epoch, sequence, account, server, token, last_sync, server_offset
            FROM replica WHERE one = 1
            """))
    else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
    let clock = HybridTime(rawValue: UInt64(bitPattern: try row.decode(atIndex: 1)))
    guard clock <= .latest else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
    let epoch: Int64? = row[2]
    let sequence: Int64? = row[3]
    var cursor: Cursor?
    if let epoch, let sequence {
      cursor = Cursor(
        epoch: UInt64(bitPattern: epoch), sequence: UInt64(bitPattern: sequence))
    }
    let lastSync: Int64? = row[7]
    return ReplicaState(
      replica: ReplicaID(rawValue: UInt64(bitPattern: try row.decode(atIndex: 0))),
      clock: HybridClock(latest: clock),
      cursor: cursor, account: row[4], server: row[5], token: row[6],
      lastSync: lastSync.map(WallTime.init), serverOffset: try row.decode(atIndex: 8))
  }

  func write(_ database: Database) throws {
    try database.cachedStatement(
      sql: """
        UPDATE replica SET id = ?, clock = ?, epoch = ?, sequence = ?, account = ?, server = ?,
          token = ?, last_sync = ?, server_offset = ? WHERE one = 1
        """
    ).execute(arguments: [
      Int64(bitPattern: replica.rawValue), Int64(bitPattern: clock.latest.rawValue),
      cursor.map { Int64(bitPattern: $0.epoch) }, cursor.map { Int64(bitPattern: $0.sequence) },
      account, server, token, lastSync?.milliseconds, serverOffset,
    ])
  }
}
