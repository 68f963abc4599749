// SPDX-License-Identifier: Apache-2.0
// The outbox as a log: numbers issued once, and the tokens by which a replica recognises its own
// past.

import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation
import GRDB

/// A replica draws a token whenever it issues or withdraws numbers, and stores it with the greatest
/// number issued by then. A server position (number, token) is in this replica's past if the
/// replica has that token and had issued that number. A copy that went on has drawn other tokens.
///
/// A row is two small integers. Each sync that sends something new adds one; retries add none.
extension ReplicaTransaction {
  /// The most tokens kept, about a megabyte. If a server is restored to a position older than all
  /// of them, it takes the replica for a copy. The replica then gets a new identity and loses
  /// nothing.
  private static let tokenLimit = 50_000

  /// Whether a server position is in this replica's past.
  func isInPast(_ position: OutboxPosition) throws -> Bool {
    if position.token == 0 { return true }
    guard let number = Int64(exactly: position.number) else { return false }
    return try Bool.fetchOne(
      database.cachedStatement(
        sql: "SELECT EXISTS (SELECT 1 FROM outbox_token WHERE through >= ? AND token = ?)"),
      arguments: [number, Int64(bitPattern: position.token)]) ?? false
  }

  /// Numbers the oldest unnumbered entries and draws a token for them. Both must be durable before
  /// the entries are sent.
  ///
  /// - Parameter sequences: The entries, in the order in which they are to be sent.
  func number(_ sequences: [Int64]) throws {
    guard !sequences.isEmpty else { return }
    let statement = try database.cachedStatement(
      sql: "UPDATE outbox SET number = ? WHERE sequence = ?")
    for sequence in sequences {
      state.lastNumber += 1
      try statement.execute(arguments: [Int64(clamping: state.lastNumber), sequence])
    }
    try drawToken()
  }

  /// Forces the WAL to disk before entries are sent again. A process killed during a commit can
  /// leave numbers that other processes see but that only the page cache has. After a power failure
  /// the server would then be at a position that this replica does not know. Any write syncs them
  /// too, but SQLite skips a write that changes nothing.
  private func makeDurable() throws {
    guard let token = try newestToken() else { return }
    let through = try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT max(through) FROM outbox_token"))
    try database.cachedStatement(sql: "DELETE FROM outbox_token WHERE through = ?")
      .execute(arguments: [through])
    try database.cachedStatement(sql: "INSERT INTO outbox_token (through, token) VALUES (?, ?)")
      .execute(arguments: [through, Int64(bitPattern: token)])
  }

  /// Invalidates the numbers of sent entries by drawing a new token. The server does not judge a
  /// request in flight with older tokens once it has seen the new one.
  func noteNumbersWithdrawn() throws {
    // Skips a number, because each token is stored under a number of its own.
    state.lastNumber += 1
    try drawToken()
  }

  private func drawToken() throws {
    let token = nonce()
    try database.cachedStatement(sql: "INSERT INTO outbox_token (through, token) VALUES (?, ?)")
      .execute(arguments: [Int64(clamping: state.lastNumber), Int64(bitPattern: token)])
    // Counting all tokens is slow, so prune only now and then.
    if token & 0xFFF == 0 { try pruneTokens() }
  }

  private func pruneTokens() throws {
    try database.execute(
      sql: """
        DELETE FROM outbox_token WHERE through <= (
          SELECT through FROM outbox_token ORDER BY through DESC LIMIT 1 OFFSET ?)
        """, arguments: [Self.tokenLimit])
  }

  /// The newest token; nil before the first.
  func newestToken() throws -> UInt64? {
    try Int64.fetchOne(
      database.cachedStatement(
        sql: "SELECT token FROM outbox_token ORDER BY through DESC LIMIT 1")
    ).map { UInt64(bitPattern: $0) }
  }

  /// The greatest number up to which all of the server's answers are stored.
  func settledThrough() throws -> UInt64 {
    let oldest = try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT min(number) FROM outbox WHERE number IS NOT NULL"))
    return oldest.map { UInt64(clamping: $0 - 1) } ?? state.lastNumber
  }

  /// Starts a log that no server knows, under a new identity.
  func restartLog() throws {
    try database.execute(sql: "UPDATE outbox SET number = NULL; DELETE FROM outbox_token")
    state.confirmedToken = 0
  }

  /// Keeps a record's writes in order: a write waits for an earlier one that the server refused
  /// temporarily.
  static let isInOrder = """
    NOT EXISTS (SELECT 1 FROM outbox AS earlier
      WHERE earlier.kind = outbox.kind AND earlier.id = outbox.id
      AND earlier.sequence < outbox.sequence AND earlier.refused_reason IN (
        \(Refusal.Reason.transient.map { "\($0.rawValue)" }.joined(separator: ", "))))
    """

  /// The oldest waiting entries above a number that fit a page, numbered. Leaves out refused and
  /// held entries, and later entries of a record whose earlier one was refused temporarily.
  func page(after last: UInt64, of records: Int = Page.records) throws -> OutboxPage {
    var page = OutboxPage()
    let settled = try settledThrough()
    var bytes = 0
    var numbers: [UInt64] = []
    var unnumbered: [Int64] = []
    var superfluous: [Int64] = []
    let columns = "sequence, kind, id, offer, restored, number"
    for (condition, bound) in [
      ("number > ? AND refused_reason IS NULL ORDER BY number", Int64(clamping: last)),
      (
        "number IS NULL AND sequence > ? AND refused_reason IS NULL AND \(Self.isInOrder) ORDER BY sequence",
        0
      ),
    ] {
      let rows = try Row.fetchCursor(
        database.cachedStatement(sql: "SELECT \(columns) FROM outbox WHERE \(condition) LIMIT ?"),
        arguments: [bound, records - page.sequences.count])
      while let row = try rows.next() {
        let sequence: Int64 = try row.decode(atIndex: 0)
        guard let offer = try self.offer(of: row) else {
          superfluous.append(sequence)
          continue
        }
        bytes += offer.count
        if bytes > Page.recordBytes, !page.offers.isEmpty { break }
        page.sequences.append(sequence)
        page.offers.append(offer)
        if let number = try row.decode(Int64?.self, atIndex: 5) {
          numbers.append(UInt64(clamping: number))
        } else {
          unnumbered.append(sequence)
        }
      }
      if bytes > Page.recordBytes || page.sequences.count == records { break }
    }
    guard superfluous.isEmpty else {
      // Entries whose content other waiting writes now carry. Nothing is numbered yet, and each
      // pass has fewer entries, so the recursion ends.
      for sequence in superfluous { try dequeue(sequence) }
      return try self.page(after: last, of: records)
    }
    guard !page.offers.isEmpty else { return page }
    numbers += (0..<unnumbered.count).map { state.lastNumber + UInt64($0) + 1 }
    if unnumbered.isEmpty { try makeDurable() } else { try number(unnumbered) }
    guard let token = try newestToken() else { throw ReplicaError.damaged(path: path) }
    page.segment = OutboxSegment(
      confirmed: state.confirmedToken, token: token, settledThrough: settled,
      numbers: numbers)
    return page
  }

  /// The bytes to send. nil if an acknowledged record was to be offered again but by now consists
  /// only of waiting writes.
  private func offer(of row: Row) throws -> [UInt8]? {
    if let bytes = try row.optionalBytes(at: 3) { return bytes }
    let kind = try row.decode(UInt32.self, atIndex: 1)
    let key = RecordKey(kind: RecordKind(rawValue: kind), id: try row.bytes(at: 2))
    guard let record = try record(key) else { throw ReplicaError.damaged(path: path) }
    guard var offer = try held(record) else { return nil }
    offer.isRestored = try row.decode(Bool.self, atIndex: 4)
    return offer.encoded
  }
}
