// SPDX-License-Identifier: Apache-2.0
// What was read for a transaction before it runs.

import AtrestReplication
import AtrestWire

/// The answers to `StoreQueries`: what the database held when they were read. Each member has an
/// entry for every query that was answered; an inner nil says that there is no such row.
struct StagedReads: Sendable {
  // Accounts.
  var feedStates: [AccountID: FeedState] = [:]
  /// The name of the commit of a sequence, as `AccountStore.position` has it.
  var positions: [FeedPosition: Cursor?] = [:]
  var accounts: [AccountID: AccountEntry?] = [:]
  var accountNames: [String: AccountID?] = [:]
  var accountNumbers: [String: AccountID] = [:]
  /// Ascending by name.
  var everyAccount: [AccountEntry]?

  // Records.
  var records: [RecordAddress: StoredRecord?] = [:]
  var feedChunks: [FeedPosition: Chunk<FeedRow>] = [:]
  var keyChunks: [FeedPosition: Chunk<KeyRow>] = [:]
  var rangeChunks: [RecordRange: Chunk<RangeRow>] = [:]
  var due: [DueQuery: [DueRow]] = [:]

  // Devices.
  var devices: [ReplicaID: DeviceEntry?] = [:]
  /// Oldest first.
  var deviceLists: [AccountID: [DeviceEntry]] = [:]
  /// By the accounts' names, oldest first.
  var everyDevice: [DeviceEntry]?
  var outboxes: [DeviceAddress: DeviceOutbox] = [:]

  // Invitations.
  var invitations: [String: InvitationEntry?] = [:]
  /// All of an account, used ones included.
  var invitationLists: [AccountID: [InvitationEntry]] = [:]

  // Attempts. By the database's clock, which is one for all daemons.
  var attempts: [[UInt8]: (bucket: AttemptBucket, now: WallTime)] = [:]

  // Purchases.
  var holders: [PurchaseKey: PurchaseHolder?] = [:]
  var appAccountTokens: [AccountID: [UInt8]?] = [:]
  /// Which account has a token.
  var appAccounts: [[UInt8]: AccountID?] = [:]

  // Events.
  /// The last event of an account, or of the server: nil for none.
  var lastEvents: [AccountID: EventEntry?] = [:]
  /// Numbers for new events, ascending: greater than those of all events of the accounts that are
  /// locked.
  var eventNumbers: [UInt64] = []
  /// Newest first.
  var eventPages: [EventPage: [EventEntry]] = [:]
  /// Ascending, from above a number on.
  var eventChunks: [UInt64: Chunk<EventEntry>] = [:]

  /// Rows from some place on, as many as were worth reading at once.
  struct Chunk<Row: Sendable>: Sendable {
    var rows: [Row]
    /// Whether nothing follows. Otherwise there is at least one row.
    var isLast: Bool
  }

  struct FeedRow: Sendable {
    let sequence: UInt64
    let key: [UInt8]
    let body: [UInt8]
  }

  struct KeyRow: Sendable {
    let sequence: UInt64
    let key: [UInt8]
  }

  struct RangeRow: Sendable {
    let key: [UInt8]
    let body: [UInt8]
  }

  struct DueRow: Sendable {
    let key: [UInt8]
    let record: StoredRecord
  }

  struct PurchaseHolder: Hashable, Sendable {
    let account: AccountID
    let since: WallTime
  }
}
