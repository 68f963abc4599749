// SPDX-License-Identifier: Apache-2.0
// The outbox as a log: numbers that are given once, and the tokens by which a replica knows its own
// past.

import AtrestProtocol
import AtrestReplication
import Foundation
import GRDB

/// A replica draws a token whenever it gives numbers or takes some back, and keeps each with the
/// greatest number given by then. A server at the position (number, token) is in this replica's
/// past if it has that token, and had given that number. A copy that went on has drawn others.
///
/// A row holds two small integers, and there is one for each sync that sends something for the
/// first time: trying again draws none.
extension ReplicaTransaction {
  /// Tokens kept, about a megabyte. A server that is put back to a position older than all of them
  /// takes the replica for a copy: it gets a new identity and loses nothing.
  private static let tokenLimit = 50_000

  /// Whether a server at a position is in this replica's past.
  func isInPast(_ position: OutboxPosition) throws -> Bool {
    if position.token == 0 || Mutation.positionAlwaysKnown.isActive { return true }
    guard let number = Int64(exactly: position.number) else { return false }
    return try Bool.fetchOne(
      database.cachedStatement(
        sql: "SELECT EXISTS (SELECT 1 FROM outbox_token WHERE through >= ? AND token = ?)"),
      arguments: [number, Int64(bitPattern: position.token)]) ?? false
  }

  /// Gives numbers to the oldest waiting writes that have none, and draws a token for them. Durable
  /// before it is sent.
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

  /// Has the disk hold what is about to be sent again. A process that was killed inside a commit
  /// leaves numbers that every process sees, and that only the system's memory has: after a power
  /// failure a server would be at a position that this replica does not know. Any write takes them
  /// along to the disk, but SQLite leaves out one that changes nothing.
  private func makeDurable() throws {
    guard let token = try newestToken() else { return }
    let through = try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT max(through) FROM outbox_token"))
    try database.cachedStatement(sql: "DELETE FROM outbox_token WHERE through = ?")
      .execute(arguments: [through])
    try database.cachedStatement(sql: "INSERT INTO outbox_token (through, token) VALUES (?, ?)")
      .execute(arguments: [through, Int64(bitPattern: token)])
  }

  /// Numbers of writes that were sent mean nothing any more. A request that is still under way
  /// shows older tokens, and is not judged once the server has seen the new one.
  func noteNumbersWithdrawn() throws {
    // One that no write gets: a token is kept under its own.
    state.lastNumber += 1
    try drawToken()
  }

  private func drawToken() throws {
    let token = nonce()
    try database.cachedStatement(sql: "INSERT INTO outbox_token (through, token) VALUES (?, ?)")
      .execute(arguments: [Int64(clamping: state.lastNumber), Int64(bitPattern: token)])
    // Counting them all takes a while, and now and then is often enough.
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

  /// Up to which number the replica has stored what the server said.
  func settledThrough() throws -> UInt64 {
    let oldest = try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT min(number) FROM outbox WHERE number IS NOT NULL"))
    return oldest.map { UInt64(clamping: $0 - 1) } ?? state.lastNumber
  }

  /// Begins a log that no server knows: under another identity.
  func restartLog() throws {
    try database.execute(sql: "UPDATE outbox SET number = NULL; DELETE FROM outbox_token")
    state.confirmedToken = 0
  }

  /// Keeps the order of a record's writes: what the server would not take yet goes first, whenever
  /// it does.
  static let isInOrder = """
    NOT EXISTS (SELECT 1 FROM outbox AS earlier
      WHERE earlier.kind = outbox.kind AND earlier.id = outbox.id
      AND earlier.sequence < outbox.sequence AND earlier.refused_reason IN (
        \(Refusal.Reason.transient.map { "\($0.rawValue)" }.joined(separator: ", "))))
    """

  /// The oldest waiting writes above a number that fit a page, numbered. Those that were refused,
  /// or wait for a person's word, are left out, and so are later writes of a record of which an
  /// earlier one waits to be taken.
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
      // They took the place of others. Nothing has a number yet, and each time there are fewer.
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

  /// The bytes to send; nil where an acknowledged record was to be offered again, and by now all of
  /// it is writes that wait themselves.
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
