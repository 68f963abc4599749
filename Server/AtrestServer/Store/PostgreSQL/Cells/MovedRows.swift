// SPDX-License-Identifier: Apache-2.0
// Reads one account's rows in a cell, under the number that it has, or will have, in another.

import AtrestPostgreSQL
import AtrestReplication

/// The rows of one account. Nothing else writes them meanwhile.
actor MovedRows: ArchiveRows {
  private let account: AccountID
  private let shown: AccountID
  private let connection: PostgresConnection
  /// Nil: each page is read by itself.
  private let transaction: PostgresTransaction?
  private let pages: ArchivePages

  /// - Parameters:
  ///   - account: Its number in the cell.
  ///   - shown: The number in the rows that are read.
  ///   - transaction: In which they are read.
  init(
    of account: AccountID, shownAs shown: AccountID, on connection: PostgresConnection,
    _ pages: ArchivePages, in transaction: PostgresTransaction? = nil
  ) {
    self.account = account
    self.shown = shown
    self.connection = connection
    self.pages = pages
    self.transaction = transaction
  }

  func page(
    of table: ArchiveTable, after key: ArchiveKey
  ) async throws(StoreError) -> [ArchiveRow] {
    let isStart = key.account < shown.rawValue && table != .events
    let place =
      isStart
      ? ArchiveKey(account: account.rawValue - 1, number: .max)
      : ArchiveKey(account: account.rawValue, number: key.number)
    let statement = PostgresArchiveStatements.page(
      of: table, after: place, pages, .account(account))
    let found = try await rows(statement)
    var purchases: [PostgresRow] = []
    if table == .accounts, !found.isEmpty {
      purchases = try await rows(PostgresArchiveStatements.purchases(of: [account]))
    }
    return try ArchiveRow.rows(of: table, found, purchases: purchases).map { $0.renumbered(shown) }
  }

  private func rows(_ statement: PostgresStatement) async throws(StoreError) -> [PostgresRow] {
    guard let transaction else { return try await connection.rows(statement) }
    do throws(PostgresError) {
      return (try await transaction.run([statement]).first?.rows ?? []).map { PostgresRow($0) }
    } catch {
      throw StoreError(error)
    }
  }
}

// MARK: - Comparing

extension MovedRows {
  /// A digest over everything of the account but the numbers and hashes of its events: the same in
  /// each cell that it is in, if its rows are shown under one number.
  func digest() async throws(StoreError) -> [UInt8] {
    var digest = ArchiveDigest()
    var walk = ArchiveWalk(self, isChecking: false)
    while let account = try await walk.next() { digest.add(account) }
    var events = ArchiveReader(self, .events)
    while let event = try await events.next() { digest.add(event) }
    return digest.finalized()
  }

  /// Compares the account with its copy, whose events must also be a chain. Both are shown under
  /// the number of the copy.
  ///
  /// Reads both to their ends, whatever differs.
  ///
  /// - Returns: The digest of both; or the parts that differ.
  /// - Throws: `AccountMoveError.source` or `target`.
  func compare(
    with copy: MovedRows
  ) async throws(AccountMoveError) -> (digest: [UInt8], differences: [ArchivePart]) {
    var (digest, differences) = (ArchiveDigest(), Set<ArchivePart>())
    var ours = ArchiveWalk(self, isChecking: false)
    var theirs = ArchiveWalk(copy, isChecking: false)
    while true {
      let (a, b): (WalkedAccount?, WalkedAccount?)
      do throws(StoreError) { a = try await ours.next() } catch { throw .source(error) }
      do throws(StoreError) { b = try await theirs.next() } catch { throw .target(error) }
      guard a != nil || b != nil else { break }
      differences.formUnion(ArchivePart.allCases.filter { a?.digests[$0] != b?.digests[$0] })
      if let a { digest.add(a) }
    }
    var events = ArchiveReader(self, .events)
    var copies = ArchiveReader(copy, .events)
    var chain = EventChain()
    while true {
      let (a, b): (ArchiveRow?, ArchiveRow?)
      do throws(StoreError) { a = try await events.next() } catch { throw .source(error) }
      do throws(StoreError) { b = try await copies.next() } catch { throw .target(error) }
      guard a != nil || b != nil else { break }
      if let a { digest.add(a) }
      guard let a, let b, a.isSame(as: b), case .event(let entry) = b,
        chain.follows(entry, isDense: false)
      else {
        differences.insert(.events)
        continue
      }
    }
    return (digest.finalized(), ArchivePart.allCases.filter(differences.contains))
  }
}

extension ArchiveRow {
  /// The same row of an account with another number.
  func renumbered(_ id: AccountID) -> ArchiveRow {
    switch self {
    case .account(var row):
      row.id = id
      return .account(row)
    case .device(var row):
      row.device.account = id
      return .device(row)
    case .commit(var row):
      row.account = id
      return .commit(row)
    case .record(var row):
      row.address.account = id
      return .record(row)
    case .event(var entry):
      entry.event.account = id
      return .event(entry)
    }
  }
}
