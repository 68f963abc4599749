// SPDX-License-Identifier: Apache-2.0
// The tables of the PostgreSQL store in memory: what a statement reads and what it writes.

import AtrestPostgreSQL
import AtrestReplication
import AtrestServer
import AtrestWire

/// What is committed in a database. A copy is a snapshot.
///
/// The columns and their constraints are those of `PostgresSchema`; reads and writes mean what the
/// statements of `PostgresLoad` and `PostgresWrites` do.
struct SharedTables {
  struct Account {
    var name: String
    var created: WallTime
    var state = FeedState.empty
    var token: [UInt8]?
  }

  struct Device {
    var entry: DeviceEntry
    var outbox = DeviceOutbox.empty
  }

  /// A named commit.
  struct Commit {
    var sequence: UInt64
    var name: UInt64
  }

  /// The row that stands for the server itself.
  static let server = AccountID(rawValue: 0)

  var accounts: [AccountID: Account] = [
    server: Account(name: "", created: WallTime(milliseconds: 0))
  ]
  var records: [AccountID: [[UInt8]: StoredRecord]] = [:]
  /// Ascending.
  var commits: [AccountID: [Commit]] = [:]
  var devices: [ReplicaID: Device] = [:]
  var invitations: [String: InvitationEntry] = [:]
  var holders: [PurchaseKey: StagedReads.PurchaseHolder] = [:]
  /// Ascending.
  var events: [EventEntry] = []
  /// By what an address is hashed to.
  var attempts: [[UInt8]: AttemptBucket] = [:]

  // MARK: What the world looks at

  /// The rows of a feed, ascending.
  func feed(
    of account: AccountID, after sequence: UInt64
  ) -> [(sequence: UInt64, key: [UInt8], body: [UInt8])] {
    (records[account] ?? [:]).filter { $0.value.sequence > sequence }
      .map { ($0.value.sequence, $0.key, $0.value.body) }.sorted { $0.0 < $1.0 }
  }

  func head(of account: AccountID) -> Cursor { accounts[account]?.state.head ?? .start }

  /// The name of the commit that a sequence belongs to.
  func position(of sequence: UInt64, account: AccountID) -> Cursor? {
    guard sequence > 0 else { return .start }
    return commits[account]?.first { $0.sequence >= sequence }
      .map { Cursor(commit: $0.name, sequence: sequence) }
  }

  func devices(of account: AccountID) -> [DeviceEntry] {
    devices.values.map(\.entry).filter { $0.account == account }
      .sorted { ($0.paired, $0.replica.rawValue) < ($1.paired, $1.replica.rawValue) }
  }

  func entry(of id: AccountID) -> AccountEntry? {
    guard let row = accounts[id], id != Self.server else { return nil }
    return AccountEntry(
      id: id, name: row.name, created: row.created, head: row.state.head,
      devices: devices(of: id).count { $0.revoked == nil }, records: row.state.holdings.records,
      bytes: row.state.holdings.bytes)
  }
}
