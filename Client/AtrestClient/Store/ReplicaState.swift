// SPDX-License-Identifier: Apache-2.0
// The single row with the replica's identity and its cursor in the account's feed.

import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation
import GRDB

import struct AtrestReplication.Cursor

/// A join request whose answer may have been lost. Repeated with the same nonce, it yields the same
/// identity.
struct PendingJoin: Hashable {
  /// The whole pairing link. A secret until used.
  var link: String
  /// The request's nonce. A secret: the token is derived from it.
  var nonce: [UInt8]
}

/// A replica's identity and sync position. Read at the start of a transaction, written at its end.
struct ReplicaState: Hashable {
  var replica = ReplicaID.none
  var clock = HybridClock()
  var cursor: Cursor?
  var account: String?
  var server: String?
  var token: String?
  /// By the server's clock as estimated on this device.
  var lastSync: WallTime?
  var serverOffset = ServerOffset()
  /// The account's head according to the newest answer.
  var lastKnownHead: Cursor?
  /// Identifies a pending demand to reconcile with the server; nil if there is none. Bit 0 is set
  /// after a loss.
  var mustReconcile: UInt64?
  /// The token of the outbox position that the server reported last; 0 before the first.
  var confirmedToken: UInt64 = 0
  /// The greatest number issued to an outbox entry.
  var lastNumber: UInt64 = 0
  /// The nonce of a request for a new identity that may be in flight. Repeated, it yields the same
  /// identity. A secret.
  var renewal: [UInt8]?
  /// A join request that may be in flight.
  var joining: PendingJoin?
  /// Whether the server last reported that its own clock is doubtful.
  var isServerClockDoubtful = false

  /// Drops the secrets for one server. Cursor and outbox position stay: the same account knows
  /// them, and any other answers `restarted`.
  mutating func leave() {
    renewal = nil
  }

  /// The account that the replica belongs to; nil if unpaired.
  var pairing: Pairing? {
    guard let server, let account else { return nil }
    return Pairing(server: server, account: account)
  }

  /// Whether the server is known to have lost something that was not restored to it yet.
  var isAfterLoss: Bool { mustReconcile.map { $0 & 1 == 1 } ?? false }

  static func read(_ database: Database) throws -> ReplicaState {
    guard
      let row = try Row.fetchOne(
        database.cachedStatement(
          sql: """
            SELECT id, clock, cursor_commit, cursor_sequence, account, server, token, last_sync,
              server_offset, head_commit, head_sequence, must_reconcile, confirmed_token,
              last_number, renewal, joining, joining_link, server_clock_doubtful
            FROM replica WHERE one = 1
            """))
    else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
    let clock = HybridTime(rawValue: UInt64(bitPattern: try row.decode(atIndex: 1)))
    guard clock <= .latest else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
    let lastSync = try row.decode(Int64?.self, atIndex: 7)
    let demand: Int64 = try row.decode(atIndex: 11)
    let link: String? = try row.decode(atIndex: 16)
    let joining = try row.optionalBytes(at: 15)
    return ReplicaState(
      replica: ReplicaID(rawValue: UInt64(bitPattern: try row.decode(atIndex: 0))),
      clock: HybridClock(latest: clock),
      cursor: row.cursor(at: 2), account: try row.decode(atIndex: 4),
      server: try row.decode(atIndex: 5), token: try row.decode(atIndex: 6),
      lastSync: lastSync.map(WallTime.init),
      serverOffset: ServerOffset(milliseconds: try row.decode(atIndex: 8)),
      lastKnownHead: row.cursor(at: 9),
      mustReconcile: demand == 0 ? nil : UInt64(bitPattern: demand),
      confirmedToken: UInt64(bitPattern: try row.decode(Int64.self, atIndex: 12)),
      lastNumber: UInt64(clamping: try row.decode(Int64.self, atIndex: 13)),
      renewal: try row.optionalBytes(at: 14),
      joining: joining.flatMap { nonce in link.map { PendingJoin(link: $0, nonce: nonce) } },
      isServerClockDoubtful: try row.decode(atIndex: 17))
  }

  func write(_ database: Database) throws {
    try database.cachedStatement(
      sql: """
        UPDATE replica SET id = ?, clock = ?, cursor_commit = ?, cursor_sequence = ?, account = ?,
          server = ?, token = ?, last_sync = ?, server_offset = ?, head_commit = ?,
          head_sequence = ?, must_reconcile = ?, confirmed_token = ?, last_number = ?,
          renewal = ?, joining = ?, joining_link = ?, server_clock_doubtful = ? WHERE one = 1
        """
    ).execute(arguments: [
      Int64(bitPattern: replica.rawValue), Int64(bitPattern: clock.latest.rawValue),
      cursor.map { Int64(bitPattern: $0.commit) }, cursor.map { Int64(bitPattern: $0.sequence) },
      account, server, token, lastSync?.milliseconds, serverOffset.milliseconds,
      lastKnownHead.map { Int64(bitPattern: $0.commit) },
      lastKnownHead.map { Int64(bitPattern: $0.sequence) },
      Int64(bitPattern: mustReconcile ?? 0), Int64(bitPattern: confirmedToken),
      Int64(clamping: lastNumber), renewal.map { Data($0) }, joining.map { Data($0.nonce) },
      joining?.link,
      isServerClockDoubtful,
    ])
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
