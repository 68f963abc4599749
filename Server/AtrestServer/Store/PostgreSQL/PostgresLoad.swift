// SPDX-License-Identifier: Apache-2.0
// Loads what a transaction has to read: a statement for each kind of query, whatever their number.

import AtrestPostgreSQL
import AtrestReplication

/// The statements that answer `StoreQueries`, and what their results say.
///
/// Statements are bounded in bytes. What is beyond a bound is left without an entry, so that it is
/// asked again; of each kind, at least one query is answered.
struct PostgresLoad: Sendable {
  /// Bytes of bodies and histories of `records` at which one statement ends.
  static let recordBytes = 4 << 20
  /// A chunk of a feed: a page of an answer, and a little more.
  static let feedRows = 1024
  static let feedBytes = 320 << 10
  /// Chunks of feeds in one trip.
  static let feedChunks = 64
  /// A chunk of an interval of keys, and all chunks of one trip together.
  static let rangeRows = 2048
  static let rangeBytes = 1 << 20
  static let rangesBytes = 16 << 20
  static let keyRows = 10_001
  /// Chunks of keys in one trip.
  static let keyChunks = 16
  static let eventRows = 2000
  /// Chunks of events in one trip.
  static let eventChunks = 16

  /// One statement, and how its result is read.
  struct Part: Sendable {
    typealias Read =
      @Sendable (_ rows: [[PostgresValue]], inout StagedReads) throws(StoreError) -> Void

    let statement: PostgresStatement
    let read: Read

    init(_ statement: PostgresStatement, _ read: @escaping Read) {
      self.statement = statement
      self.read = read
    }
  }

  private let parts: [Part]

  /// Prepares to answer queries. None: no statement.
  init(_ queries: StoreQueries) {
    // In variables: the compiler takes long for one expression.
    let accounts = [
      Self.departures(queries.departures), Self.feedStates(queries.feedStates),
      Self.positions(queries.positions),
      Self.accounts(queries.accounts), Self.accountNames(queries.accountNames),
      Self.accountNumbers(queries.accountNumbers), Self.everyAccount(queries.everyAccount),
    ]
    let records = [
      Self.records(queries.records), Self.feedChunks(queries.feedChunks),
      Self.keyChunks(queries.keyChunks), Self.rangeChunks(queries.rangeChunks),
      Self.due(queries.due),
    ]
    let devices = [
      Self.devices(queries.devices), Self.destinations(queries.destinations),
      Self.deviceLists(queries.deviceLists),
      Self.everyDevice(queries.everyDevice), Self.outboxes(queries.outboxes),
    ]
    let others = [
      Self.invitations(queries.invitations), Self.invitationLists(queries.invitationLists),
      Self.attempts(queries.attempts),
      Self.holders(queries.holders), Self.appAccountTokens(queries.appAccountTokens),
      Self.appAccounts(queries.appAccounts),
    ]
    let events = [
      Self.lastEvents(queries.lastEvents), Self.eventNumbers(queries.eventNumbers),
      Self.settledEvent(queries.settledEvent),
      Self.eventPages(queries.eventPages), Self.allEventPages(queries.eventPages),
      Self.eventChunks(queries.eventChunks),
    ]
    parts = (accounts + records + devices + others + events).compactMap(\.self)
  }

  /// One for each kind of query, two for pages of events.
  var statements: [PostgresStatement] { parts.map(\.statement) }

  /// Adds the answers to what was read before.
  ///
  /// - Parameter results: Those of `statements`, in their order.
  /// - Throws: `StoreError.damaged` for rows that cannot be.
  func read(
    _ results: ArraySlice<PostgresResult>, into reads: inout StagedReads
  ) throws(StoreError) {
    guard results.count == parts.count else { throw .wrongRow("an answer is missing") }
    for (part, result) in zip(parts, results) { try part.read(result.rows, &reads) }
  }

  /// Groups rows by the query that they answer, whose number is the first column.
  static func grouped(
    _ rows: [[PostgresValue]], count: Int
  ) throws(StoreError) -> [ArraySlice<[PostgresValue]>] {
    var groups = [ArraySlice<[PostgresValue]>](repeating: [], count: count)
    var start = 0
    while start < rows.count {
      let index = try PostgresRow(rows[start]).index(0, below: count)
      let number = rows[start].first
      let end = rows[start...].firstIndex { $0.first != number } ?? rows.count
      guard groups[index].isEmpty else { throw .wrongRow("an answer out of order") }
      groups[index] = rows[start..<end]
      start = end
    }
    return groups
  }
}
