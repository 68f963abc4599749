// SPDX-License-Identifier: Apache-2.0
// The tables `outbox` and `outbox_token`. Numbers and tokens are stored as signed integers.

import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation
import GRDB

extension SQLiteTables {
  private static let columns =
    "sequence, kind, id, offer, restored, number, refused_reason, refused_message"

  private static func row(_ row: StatementColumns) throws -> OutboxRow {
    var eligible = try eligibleRow(row)
    if let reason = try row.optionalInteger(6) {
      eligible.refusal = OutboxRefusal(
        reason: RefusalReason(rawValue: Int(truncatingIfNeeded: reason)),
        message: String(decoding: try row.optionalBytes(7) ?? [], as: UTF8.self))
    }
    return eligible
  }

  /// The row of an entry that is not refused.
  private static func eligibleRow(_ row: StatementColumns) throws -> OutboxRow {
    OutboxRow(
      sequence: try row.integer(0), key: try row.key(1),
      offer: try row.optionalBytes(3), isRestoring: try row.integer(4) != 0,
      number: try row.optionalInteger(5).map { UInt64(clamping: $0) })
  }

  func appendOutbox(
    _ key: RecordKey, _ offer: [UInt8]?, isRestoring: Bool
  ) throws(ReplicaError) {
    try execute(
      "INSERT INTO outbox (kind, id, offer, restored) VALUES (?, ?, ?, ?)",
      [key.kind.rawValue, Data(key.id), offer.map { Data($0) }, isRestoring])
  }

  func outboxRow(_ sequence: Int64) throws(ReplicaError) -> OutboxRow? {
    try first("SELECT \(Self.columns) FROM outbox WHERE sequence = ?", [sequence], Self.row)
  }

  func outboxRows(of key: RecordKey) throws(ReplicaError) -> [OutboxRow] {
    try all(
      "SELECT \(Self.columns) FROM outbox WHERE kind = ? AND id = ? ORDER BY sequence",
      [key.kind.rawValue, Data(key.id)], Self.row)
  }

  func forEachOutboxRow(
    _ visit: (OutboxRow) throws(ReplicaError) -> Void
  ) throws(ReplicaError) {
    try forEach("SELECT \(Self.columns) FROM outbox ORDER BY sequence", [], Self.row) {
      row throws(ReplicaError) in
      try visit(row)
      return true
    }
  }

  func forEachNumberedRow(
    after number: UInt64, limit: Int, _ visit: (OutboxRow) throws(ReplicaError) -> Bool
  ) throws(ReplicaError) {
    try forEach(
      """
      SELECT \(Self.columns) FROM outbox WHERE number > ? AND refused_reason IS NULL
      ORDER BY number LIMIT ?
      """, [Int64(clamping: number), limit], Self.eligibleRow, visit)
  }

  func forEachUnnumberedRow(
    notBehind reasons: [RefusalReason], limit: Int,
    _ visit: (OutboxRow) throws(ReplicaError) -> Bool
  ) throws(ReplicaError) {
    let listed = reasons.map { "\($0.rawValue)" }.joined(separator: ", ")
    try forEach(
      """
      SELECT \(Self.columns) FROM outbox
      WHERE number IS NULL AND refused_reason IS NULL AND NOT EXISTS (
        SELECT 1 FROM outbox AS earlier
        WHERE earlier.kind = outbox.kind AND earlier.id = outbox.id
        AND earlier.sequence < outbox.sequence AND earlier.refused_reason IN (\(listed)))
      ORDER BY sequence LIMIT ?
      """, [limit], Self.eligibleRow, visit)
  }

  func refusedRows() throws(ReplicaError) -> [(sequence: Int64, reason: RefusalReason)] {
    try all(
      """
      SELECT sequence, refused_reason FROM outbox WHERE refused_reason IS NOT NULL
      ORDER BY sequence
      """, []
    ) {
      (try $0.integer(0), RefusalReason(rawValue: Int(truncatingIfNeeded: try $0.integer(1))))
    }
  }

  func outboxCount() throws(ReplicaError) -> Int {
    try first("SELECT count(*) FROM outbox", []) { Int(truncatingIfNeeded: try $0.integer(0)) } ?? 0
  }

  func hasNumberedRow() throws(ReplicaError) -> Bool {
    try first("SELECT EXISTS (SELECT 1 FROM outbox WHERE number IS NOT NULL)", []) {
      try $0.integer(0) != 0
    } ?? false
  }

  func setOffer(_ offer: [UInt8], at sequence: Int64) throws(ReplicaError) {
    try execute("UPDATE outbox SET offer = ? WHERE sequence = ?", [Data(offer), sequence])
  }

  func setNumber(_ number: UInt64?, at sequence: Int64) throws(ReplicaError) {
    try execute(
      "UPDATE outbox SET number = ? WHERE sequence = ?",
      [number.map { Int64(clamping: $0) }, sequence])
  }

  func removeNumbers() throws(ReplicaError) {
    try execute("UPDATE outbox SET number = NULL")
  }

  func setRefusal(_ refusal: OutboxRefusal?, at sequence: Int64) throws(ReplicaError) {
    try execute(
      "UPDATE outbox SET refused_reason = ?, refused_message = ? WHERE sequence = ?",
      [refusal?.reason.rawValue, refusal?.message, sequence])
  }

  func removeOutboxRow(_ sequence: Int64) throws(ReplicaError) {
    try execute("DELETE FROM outbox WHERE sequence = ?", [sequence])
  }

  func removeOutboxRows(numberedThrough number: UInt64) throws(ReplicaError) {
    try execute(
      """
      DELETE FROM outbox WHERE number <= ?1 AND NOT EXISTS (
        SELECT 1 FROM outbox AS again
        WHERE again.kind = outbox.kind AND again.id = outbox.id
        AND again.restored AND (again.number IS NULL OR again.number > ?1))
      """, [Int64(clamping: number)])
  }

  // MARK: Tokens

  func newestToken() throws(ReplicaError) -> OutboxPosition? {
    try first("SELECT through, token FROM outbox_token ORDER BY through DESC LIMIT 1", []) {
      OutboxPosition(
        number: UInt64(clamping: try $0.integer(0)),
        token: UInt64(bitPattern: try $0.integer(1)))
    }
  }

  func hasToken(atOrAfter position: OutboxPosition) throws(ReplicaError) -> Bool {
    try first(
      "SELECT EXISTS (SELECT 1 FROM outbox_token WHERE through >= ? AND token = ?)",
      [Int64(clamping: position.number), Int64(bitPattern: position.token)]
    ) { try $0.integer(0) != 0 } ?? false
  }

  func insertToken(_ position: OutboxPosition) throws(ReplicaError) {
    try execute(
      "INSERT INTO outbox_token (through, token) VALUES (?, ?)",
      [Int64(clamping: position.number), Int64(bitPattern: position.token)])
  }

  func removeTokens(butNewest count: Int) throws(ReplicaError) {
    try execute(
      """
      DELETE FROM outbox_token WHERE through <= (
        SELECT through FROM outbox_token ORDER BY through DESC LIMIT 1 OFFSET ?)
      """, [count])
  }

  /// Writes the newest token again. Any write forces the WAL to disk, but SQLite skips one that
  /// changes nothing.
  func makeDurable() throws(ReplicaError) {
    guard let newest = try newestToken() else { return }
    try execute(
      "DELETE FROM outbox_token WHERE through = ?", [Int64(clamping: newest.number)])
    try insertToken(newest)
  }
}
