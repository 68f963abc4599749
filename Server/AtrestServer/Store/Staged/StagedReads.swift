// SPDX-License-Identifier: Apache-2.0
// What was read for a transaction before it runs.

import AtrestReplication
import AtrestWire

/// The answers to `StoreQueries`: what the database held when they were read. Each member has an
/// entry for every query that was answered; an inner nil says that there is no such row.
package struct StagedReads: Sendable {
  // Accounts.
  package var feedStates: [AccountID: FeedState] = [:]
  /// The name of the commit of a sequence, as `AccountStore.position` has it.
  package var positions: [FeedPosition: Cursor?] = [:]
  package var accounts: [AccountID: AccountEntry?] = [:]
  package var accountNames: [String: AccountID?] = [:]
  package var accountNumbers: [String: AccountID] = [:]
  /// Ascending by name.
  package var everyAccount: [AccountEntry]?

  // Records.
  package var records: [RecordAddress: StoredRecord?] = [:]
  package var feedChunks: [FeedPosition: Chunk<FeedRow>] = [:]
  package var keyChunks: [FeedPosition: Chunk<KeyRow>] = [:]
  package var rangeChunks: [RecordRange: Chunk<RangeRow>] = [:]
  package var due: [DueQuery: [DueRow]] = [:]

  // Devices.
  package var devices: [ReplicaID: DeviceEntry?] = [:]
  /// Oldest first.
  package var deviceLists: [AccountID: [DeviceEntry]] = [:]
  /// By the accounts' names, oldest first.
  package var everyDevice: [DeviceEntry]?
  package var outboxes: [DeviceAddress: DeviceOutbox] = [:]

  // Invitations.
  package var invitations: [String: InvitationEntry?] = [:]
  /// All of an account, used ones included.
  package var invitationLists: [AccountID: [InvitationEntry]] = [:]

  // Purchases.
  package var holders: [PurchaseKey: PurchaseHolder?] = [:]
  package var appAccountTokens: [AccountID: [UInt8]?] = [:]
  /// Which account has a token.
  package var appAccounts: [[UInt8]: AccountID?] = [:]

  // Events.
  /// The last event of an account, or of the server: nil for none.
  package var lastEvents: [AccountID: EventEntry?] = [:]
  /// Numbers for new events, ascending: greater than those of all events of the accounts that are
  /// locked.
  package var eventNumbers: [UInt64] = []
  /// Newest first.
  package var eventPages: [EventPage: [EventEntry]] = [:]
  /// Ascending, from above a number on.
  package var eventChunks: [UInt64: Chunk<EventEntry>] = [:]

  /// Rows from some place on, as many as were worth reading at once.
  package struct Chunk<Row: Sendable>: Sendable {
    package var rows: [Row]
    /// Whether nothing follows. Otherwise there is at least one row.
    package var isLast: Bool

    package init(rows: [Row], isLast: Bool) {
      self.rows = rows
      self.isLast = isLast
    }
  }

  package struct FeedRow: Sendable {
    package let sequence: UInt64
    package let key: [UInt8]
    package let body: [UInt8]

    package init(sequence: UInt64, key: [UInt8], body: [UInt8]) {
      self.sequence = sequence
      self.key = key
      self.body = body
    }
  }

  package struct KeyRow: Sendable {
    package let sequence: UInt64
    package let key: [UInt8]

    package init(sequence: UInt64, key: [UInt8]) {
      self.sequence = sequence
      self.key = key
    }
  }

  package struct RangeRow: Sendable {
    package let key: [UInt8]
    package let body: [UInt8]

    package init(key: [UInt8], body: [UInt8]) {
      self.key = key
      self.body = body
    }
  }

  package struct DueRow: Sendable {
    package let key: [UInt8]
    package let record: StoredRecord

    package init(key: [UInt8], record: StoredRecord) {
      self.key = key
      self.record = record
    }
  }

  package struct PurchaseHolder: Hashable, Sendable {
    package let account: AccountID
    package let since: WallTime
  }
}
