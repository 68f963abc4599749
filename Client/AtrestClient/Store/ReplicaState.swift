// SPDX-License-Identifier: Apache-2.0
// The one row that says who this replica is and where it stands.

import Foundation
import GRDB
import Replication
import SyncProtocol

import struct SyncProtocol.Cursor

/// A request to join an account whose answer may have been lost: repeated under its name, it gives the same identity.
struct PendingJoin: Hashable {
  /// The pairing link, whole. A secret until used.
  var link: String
  /// The request's name. A secret: the token is made of it.
  var nonce: [UInt8]
}

/// Who a replica is and where it stands. Read at the start of a transaction, written at its end.
struct ReplicaState: Hashable {
  var replica = ReplicaID.none
  var clock = HybridClock()
  var cursor: Cursor?
  var account: String?
  var server: String?
  var token: String?
  /// By the server's clock, as this device knows it.
  var lastSync: WallTime?
  var serverOffset = ServerOffset()
  /// The account's head, as the newest answer told it.
  var seen: Cursor?
  /// Names a demand to compare everything held with the server; nil: there is none.
  var mustReconcile: UInt64?
  var tokens = TokenTrail()
  /// Names a request for a new identity that may be under way: repeated, it gives the same one. A secret.
  var renewal: [UInt8]?
  /// A request to join an account that may be under way.
  var joining: PendingJoin?

  /// Forgets what one server knows this replica by and where it stood there.
  mutating func leave() {
    cursor = nil
    seen = nil
    mustReconcile = nil
    tokens = TokenTrail()
    renewal = nil
  }

  /// Whom it belongs to; nil if nobody.
  var pairing: Pairing? {
    guard let server, let account else { return nil }
    return Pairing(server: server, account: account)
  }

  /// Whether the server is known to have lost something that was not given back to it yet.
  var isAfterLoss: Bool { mustReconcile.map { $0 & 1 == 1 } ?? false }

  static func read(_ database: Database) throws -> ReplicaState {
    guard
      let row = try Row.fetchOne(
        database.cachedStatement(
          sql: """
            SELECT id, clock, epoch, sequence, account, server, token, last_sync, server_offset,
              seen_epoch, seen_sequence, must_reconcile, token_held, token_attempts, renewal,
              joining, joining_link
            FROM replica WHERE one = 1
            """))
    else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
    let clock = HybridTime(rawValue: UInt64(bitPattern: try row.decode(atIndex: 1)))
    guard clock <= .latest else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
    let lastSync = try row.decode(Int64?.self, atIndex: 7)
    let demand: Int64 = try row.decode(atIndex: 11)
    let held = try row.decode(Int64?.self, atIndex: 12)
    let link: String? = try row.decode(atIndex: 16)
    let joining = try row.optionalBytes(at: 15)
    return ReplicaState(
      replica: ReplicaID(rawValue: UInt64(bitPattern: try row.decode(atIndex: 0))),
      clock: PlantedBug.clockForgotten.isPlanted ? HybridClock() : HybridClock(latest: clock),
      cursor: row.place(at: 2), account: try row.decode(atIndex: 4),
      server: try row.decode(atIndex: 5), token: try row.decode(atIndex: 6),
      lastSync: lastSync.map(WallTime.init),
      serverOffset: ServerOffset(milliseconds: try row.decode(atIndex: 8)),
      seen: row.place(at: 9), mustReconcile: demand == 0 ? nil : UInt64(bitPattern: demand),
      tokens: TokenTrail(
        held: held.map { UInt64(bitPattern: $0) }, attempts: try row.numbers(at: 13)),
      renewal: try row.optionalBytes(at: 14),
      joining: joining.flatMap { nonce in link.map { PendingJoin(link: $0, nonce: nonce) } })
  }

  func write(_ database: Database) throws {
    try database.cachedStatement(
      sql: """
        UPDATE replica SET id = ?, clock = ?, epoch = ?, sequence = ?, account = ?, server = ?,
          token = ?, last_sync = ?, server_offset = ?, seen_epoch = ?, seen_sequence = ?,
          must_reconcile = ?, token_held = ?, token_attempts = ?, renewal = ?, joining = ?,
          joining_link = ? WHERE one = 1
        """
    ).execute(arguments: [
      Int64(bitPattern: replica.rawValue), Int64(bitPattern: clock.latest.rawValue),
      cursor.map { Int64(bitPattern: $0.epoch) }, cursor.map { Int64(bitPattern: $0.sequence) },
      account, server, token, lastSync?.milliseconds, serverOffset.milliseconds,
      seen.map { Int64(bitPattern: $0.epoch) }, seen.map { Int64(bitPattern: $0.sequence) },
      Int64(bitPattern: mustReconcile ?? 0), tokens.held.map { Int64(bitPattern: $0) },
      tokens.attempts.reduce(into: Data()) { data, token in
        withUnsafeBytes(of: token.littleEndian) { data.append(contentsOf: $0) }
      }, renewal.map { Data($0) }, joining.map { Data($0.nonce) }, joining?.link,
    ])
  }
}

extension Row {
  /// A place in a feed from two columns, side by side.
  fileprivate func place(at index: Int) -> Cursor? {
    let epoch: Int64? = self[index]
    let sequence: Int64? = self[index + 1]
    guard let epoch, let sequence else { return nil }
    return Cursor(epoch: UInt64(bitPattern: epoch), sequence: UInt64(bitPattern: sequence))
  }

  /// Numbers of eight bytes each.
  fileprivate func numbers(at index: Int) throws -> [UInt64] {
    let bytes = try bytes(at: index)
    guard bytes.count % 8 == 0, bytes.count <= TokenTrail.attemptLimit * 8 else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT)
    }
    return stride(from: 0, to: bytes.count, by: 8).map { start in
      bytes[start..<(start + 8)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
  }
}
