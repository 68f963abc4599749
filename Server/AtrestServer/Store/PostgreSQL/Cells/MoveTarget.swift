// SPDX-License-Identifier: Apache-2.0
// The commits of a move in the cell that the account arrives in.

import AtrestPostgreSQL
import AtrestReplication

/// An account on its way into a cell.
struct Arrival: Sendable {
  /// What is copied while nobody can find it, in this order. Its own row, its purchases and its
  /// events follow when it goes live.
  static let tables: [ArchiveTable] = [.devices, .commits, .records]

  /// Its number in the target.
  let account: AccountID
  /// Its number in the source.
  let origin: AccountID
  /// The table that is being copied.
  var stage: ArchiveTable
  /// The last row of it that was copied, under the number in the target.
  var key: ArchiveKey
  let isLive: Bool
}

/// A session with the target of a move.
struct MoveTarget: Sendable {
  let connection: PostgresConnection
  private let cell: CellNumber

  init(_ connection: PostgresConnection, from cell: CellNumber) {
    self.connection = connection
    self.cell = cell
  }

  private var cellValue: PostgresValue { .int8(Int64(cell.rawValue)) }

  // MARK: What is there

  private static let columns = "account, from_account, stage, place, is_live"

  /// The account, if it is on its way here.
  func arrival(of account: AccountID) async throws(StoreError) -> Arrival? {
    try await arrival(
      PostgresStatement(
        "SELECT \(Self.columns) FROM atrest.arrival WHERE from_cell = $1 AND from_account = $2",
        [cellValue, .int8(account.rawValue)]))
  }

  /// The account that became live and was not settled.
  func liveArrival(named name: String) async throws(StoreError) -> Arrival? {
    try await arrival(
      PostgresStatement(
        """
        SELECT \(Self.columns) FROM atrest.arrival
        WHERE from_cell = $1 AND name = ANY ($2) AND is_live
        """, [cellValue, .wanted([name]) { $0 }]))
  }

  private func arrival(_ statement: PostgresStatement) async throws(StoreError) -> Arrival? {
    guard let row = try await connection.rows(statement).first else { return nil }
    guard let stage = ArchiveTable(rawValue: Int(try row.integer(2))),
      Arrival.tables.contains(stage)
    else { throw .wrongRow("an arrival's stage cannot be") }
    let account = try row.account(0)
    let place = try row.optionalInteger(3)
    return Arrival(
      account: account, origin: try row.account(1), stage: stage,
      key: place.map { ArchiveKey(account: account.rawValue, number: $0) } ?? .start,
      isLive: try row.flag(4))
  }

  func hasAccount(_ name: String) async throws(StoreError) -> Bool {
    let statement = PostgresStatement(
      """
      SELECT EXISTS (SELECT FROM atrest.account WHERE name = ANY ($1))
        OR EXISTS (SELECT FROM atrest.arrival WHERE name = ANY ($1) AND from_cell <> $2)
      """, [.wanted([name]) { $0 }, cellValue])
    return try await connection.rows(statement).first?.flag(0) ?? false
  }

  /// Whether one of the devices is here already.
  func hasDevices(_ rows: [ArchiveRow]) async throws(StoreError) -> Bool {
    let statement = PostgresStatement(
      "SELECT EXISTS (SELECT FROM atrest.device WHERE replica = ANY ($1))",
      [.integers(rows, \.key.number)])
    return try await connection.rows(statement).first?.flag(0) ?? false
  }

  // MARK: On its way

  /// Reserves the account's name, and draws its number.
  ///
  /// - Returns: Nil if the name is taken.
  func reserve(
    _ name: String, for origin: AccountID
  ) async throws(StoreError) -> Arrival? {
    let stage = ArchiveTable.devices
    let results = try await connection.results(
      [
        PostgresStatement(
          """
          INSERT INTO atrest.arrival (account, name, from_cell, from_account, stage)
          SELECT nextval('atrest.account_number'), $1, $2, $3, $4
          WHERE NOT EXISTS (SELECT FROM atrest.account WHERE name = $1)
          ON CONFLICT DO NOTHING RETURNING account
          """,
          [.text(name), cellValue, .int8(origin.rawValue), .int8(Int64(stage.rawValue))])
      ], changes: true)
    guard let row = results.first?.rows.first else { return nil }
    return Arrival(
      account: try PostgresRow(row).account(0), origin: origin, stage: stage, key: .start,
      isLive: false)
  }

  /// Appends a page, and notes that it is there: both or neither, and only once.
  func append(
    _ rows: [ArchiveRow], _ table: ArchiveTable, _ arrival: inout Arrival
  ) async throws(StoreError) {
    guard let last = rows.last else { return }
    let place = arrival.key == .start ? PostgresValue.null : .int8(arrival.key.number)
    let note = PostgresStatement(
      """
      WITH noted AS (
        UPDATE atrest.arrival SET stage = $1, place = $2
        WHERE account = $3 AND NOT is_live AND stage = $4 AND place IS NOT DISTINCT FROM $5::int8
        RETURNING 1)
      SELECT atrest.expect(count(*), 1) FROM noted
      """,
      [
        .int8(Int64(table.rawValue)), .int8(last.key.number), .int8(arrival.account.rawValue),
        .int8(Int64(arrival.stage.rawValue)), place,
      ])
    _ = try await connection.results(
      [note] + PostgresArchiveStatements.insertion(of: rows), changes: true)
    (arrival.stage, arrival.key) = (table, last.key)
  }

  /// Removes what was copied of an account that is not live.
  func discard(_ arrival: Arrival) async throws(StoreError) {
    let parameters = [PostgresValue.int8(arrival.account.rawValue)]
    try await connection.commit(
      [
        PostgresStatement(
          """
          WITH removed AS (
            DELETE FROM atrest.arrival WHERE account = $1 AND NOT is_live RETURNING 1)
          SELECT atrest.expect(count(*), 1) FROM removed
          """, parameters)
      ] + [PostgresWrites.removals([arrival.account])].compactMap(\.self))
  }

  /// Forgets where a live account came from: the source has it no more.
  func settle(_ arrival: Arrival) async throws(StoreError) {
    _ = try await connection.results(
      [
        PostgresStatement(
          "DELETE FROM atrest.arrival WHERE account = $1 AND is_live",
          [.int8(arrival.account.rawValue)])
      ], changes: true)
  }

  // MARK: Live

  /// Makes the account live, if its copy is like the original.
  ///
  /// One transaction inserts what makes it visible, compares all of it, and commits.
  ///
  /// - Parameter original: Shown under the account's number here.
  /// - Returns: See `MovedRows.digest`.
  func goLive(
    _ arrival: Arrival, like original: MovedRows, _ pages: ArchivePages
  ) async throws(AccountMoveError) -> [UInt8] {
    let account: ArchivedAccount
    do throws(StoreError) {
      guard case .account(let row)? = try await original.page(of: .accounts, after: .start).first
      else { throw .wrongRow("an account is missing") }
      account = row
    } catch {
      throw .source(error)
    }
    if let refusal = try await refusal(of: account) { throw refusal }
    let transaction = try await begin(arrival, account)
    try await copyEvents(of: original, as: arrival.account, in: transaction)
    let copy = MovedRows(
      of: arrival.account, shownAs: arrival.account, on: connection, pages, in: transaction)
    let (digest, differences) = try await original.compare(with: copy)
    guard differences.isEmpty else {
      await transaction.rollBack()
      throw .differs(differences)
    }
    do throws(PostgresError) { _ = try await transaction.commit([]) } catch {
      throw .target(StoreError(error))
    }
    return digest
  }

  /// What of the account somebody else has here.
  private func refusal(
    of account: ArchivedAccount
  ) async throws(AccountMoveError) -> AccountMoveError? {
    let statement = PostgresStatement(
      """
      SELECT EXISTS (SELECT FROM atrest.account WHERE name = $1),
        EXISTS (SELECT FROM atrest.account WHERE app_account_token = $2::bytea),
        EXISTS (
          SELECT FROM unnest($3, $4) AS q (environment, original)
          JOIN atrest.purchase AS p USING (environment, original))
      """,
      [
        .text(account.name), account.appAccountToken.map { .bytea($0) } ?? .null,
        .texts(account.purchases, \.key.environment), .texts(account.purchases, \.key.original),
      ])
    do throws(StoreError) {
      guard let row = try await connection.rows(statement).first else { return nil }
      if try row.flag(0) { return .nameTaken }
      if try row.flag(1) { return .tokenTaken }
      return try row.flag(2) ? .purchaseTaken : nil
    } catch {
      throw .target(error)
    }
  }

  private func begin(
    _ arrival: Arrival, _ account: ArchivedAccount
  ) async throws(AccountMoveError) -> PostgresTransaction {
    let id = PostgresValue.int8(arrival.account.rawValue)
    let opening =
      [
        PostgresStatement(
          """
          WITH live AS (
            UPDATE atrest.arrival SET is_live = true WHERE account = $1 AND NOT is_live
            RETURNING 1)
          SELECT atrest.expect(count(*), 1) FROM live
          """, [id])
      ] + PostgresArchiveStatements.insertion(of: [.account(account)]) + [
        // Devices of an account that comes back are here again.
        PostgresStatement(
          """
          DELETE FROM atrest.moved WHERE replica IN (
            SELECT replica FROM atrest.device WHERE account = $1)
          """, [id])
      ]
    do throws(PostgresError) {
      return try await PostgresTransaction.begin(opening, on: connection).transaction
    } catch {
      throw .target(StoreError(error))
    }
  }

  /// Each page gets the next numbers, and continues a chain of its own.
  private func copyEvents(
    of original: MovedRows, as account: AccountID, in transaction: PostgresTransaction
  ) async throws(AccountMoveError) {
    var reader = ArchiveReader(original, .events)
    var chain = EventChain()
    while true {
      let page: [ArchiveRow]
      do throws(StoreError) { page = try await reader.nextPage() } catch { throw .source(error) }
      guard !page.isEmpty else { return }
      do {
        let drawn = try await transaction.run([
          PostgresStatement(
            "SELECT nextval('atrest.event_number') FROM generate_series(1, $1)",
            [.int8(Int64(page.count))])
        ])
        let numbers = try (drawn.first?.rows ?? []).map { try PostgresRow($0).bits(0) }.sorted()
        var entries: [EventEntry] = []
        for (row, number) in zip(page, numbers) {
          guard case .event(let entry) = row else { continue }
          entries.append(chain.append(entry.event, number: number))
        }
        _ = try await transaction.run(
          [PostgresWrites.events([account: entries])].compactMap(\.self))
      } catch let error as StoreError {
        throw .target(error)
      } catch let error as PostgresError {
        throw .target(StoreError(error))
      } catch {
        throw .target(.failed(reason: "unexpected error"))
      }
    }
  }
}
