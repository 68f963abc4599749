// SPDX-License-Identifier: Apache-2.0
// The contract for whole stores: their rows, the same for every engine, in pages. For tools.

import AtrestReplication

/// Rows in pages, ascending by `ArchiveKey`.
package protocol ArchiveRows: Actor {
  /// The next rows of a table, ascending by key. None: there are no more.
  ///
  /// - Parameter key: Only rows after it.
  /// - Throws: `StoreError.damaged` for a row that cannot be read.
  func page(
    of table: ArchiveTable, after key: ArchiveKey
  ) async throws(StoreError) -> [ArchiveRow]
}

/// Everything durable of a store, but for pairing codes, which end after five minutes.
///
/// Nothing else writes to the store while it is open. Tables are read and written ascending by
/// `ArchiveKey`, in pages of bounded size, so that memory is bounded and work can be resumed.
package protocol StoreArchive: ArchiveRows {
  /// The random number that the store was given when it was made.
  nonisolated var name: UInt64 { get }
  /// The format in which it was found.
  nonisolated var format: Int { get }
  /// See `EventLog.scope`.
  nonisolated var eventScope: EventScope { get }

  /// What belongs to no row.
  func summary() async throws(StoreError) -> ArchiveSummary

  /// The unfinished copy that the store holds, or nil.
  func unfinishedCopy() async throws(StoreError) -> ArchiveProgress?

  /// Marks an empty store as an unfinished copy, which no daemon serves.
  ///
  /// - Parameters:
  ///   - source: The name of the store that is copied.
  ///   - summary: The source's.
  /// - Returns: False if the store is not empty; nothing happens then.
  func beginCopy(of source: UInt64, _ summary: ArchiveSummary) async throws(StoreError) -> Bool

  /// Appends the next rows of a table, and notes that they are there: both or neither.
  ///
  /// Events get new hashes, and new numbers where the engine's are in a row. What else a row holds
  /// is kept as it is.
  ///
  /// - Parameter rows: At least one, as `page` gave them.
  func append(_ rows: [ArchiveRow], to table: ArchiveTable) async throws(StoreError)

  /// Takes the mark away: from then on the store may be served.
  func finishCopy() async throws(StoreError)

  /// Closes the store. Later calls throw. Idempotent.
  func close() async
}

/// The tables of an archive, in the order in which they are copied.
package enum ArchiveTable: Int, CaseIterable, Sendable {
  /// Accounts, each with its purchases.
  case accounts = 1
  case devices, commits, records, events
}

/// The place of a row in its table.
package struct ArchiveKey: Hashable, Comparable, Sendable {
  /// The number of the row's account; 0 for events.
  package var account: Int64
  /// A device's identity, a sequence, or the number of an event: as a signed number.
  package var number: Int64

  package init(account: Int64, number: Int64) {
    self.account = account
    self.number = number
  }

  /// Before every row.
  package static let start = ArchiveKey(account: .min, number: .min)

  package static func < (a: ArchiveKey, b: ArchiveKey) -> Bool {
    (a.account, a.number) < (b.account, b.number)
  }
}

/// What belongs to no row.
package struct ArchiveSummary: Hashable, Sendable {
  /// The greatest number that an account was ever given; 0 for none.
  package var lastAccount: Int64
  /// What the store's clock showed when it was written to last. No part of a digest: each engine
  /// has a clock of its own.
  package var clock: WallTime
  /// How many accounts there are.
  package var accounts: Int
  /// How many records there are by the accounts' counters.
  package var records: Int

  package init(lastAccount: Int64, clock: WallTime, accounts: Int, records: Int) {
    self.lastAccount = lastAccount
    self.clock = clock
    self.accounts = accounts
    self.records = records
  }
}

/// How far a copy has come.
package struct ArchiveProgress: Hashable, Sendable {
  /// The name of the store that is copied.
  package var source: UInt64
  /// The table that was written last; nil: none was.
  package var table: ArchiveTable?
  /// The last row of it that was written, by the source's key.
  package var key: ArchiveKey

  package init(source: UInt64, table: ArchiveTable?, key: ArchiveKey) {
    self.source = source
    self.table = table
    self.key = key
  }
}

/// What one page holds at most: one page is read while another is written.
package struct ArchivePages: Sendable {
  /// Bytes of bodies and histories, exceeded by at most one record.
  package var bytes = 4 << 20
  package var records = 4096
  package var commits = 10_000
  package var accounts = 1000
  /// A device's refusals may have 48 KiB.
  package var devices = 128
  package var events = 2000

  package init() {}
}
