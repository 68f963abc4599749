// SPDX-License-Identifier: Apache-2.0
// What was read for a transaction before it runs.

import AtrestReplication
import AtrestWire

/// The answers to `StoreQueries`: what the database held when they were read. Each member has an
/// entry for every query that was answered; an inner nil says that there is no such row.
package struct StagedReads: Sendable {
  // Accounts.
  /// Of those that were locked, and those whose states were read.
  package var presences: [AccountID: AccountPresence] = [:]
  /// Whether accounts that are not here went to another cell.
  package var departures: [AccountID: Bool] = [:]
  package var feedStates: [AccountID: FeedState] = [:]
  /// The name of the commit of a sequence, as `AccountStore.position` has it.
  package var positions: [FeedPosition: Cursor?] = [:]
  package var accounts: [AccountID: AccountEntry?] = [:]
  package var accountNames: [String: AccountID?] = [:]
  /// Names of accounts on their way here.
  package var reservedNames: Set<String> = []
  package var accountNumbers: [String: AccountID] = [:]
  /// Ascending by name.
  package var everyAccount: [AccountEntry]?

  // Records.
  package var records: [RecordAddress: StoredRecord?] = [:]
  /// Bytes of all `records`.
  package var recordBytes = 0
  package var feedChunks: [FeedPosition: Chunk<FeedRow>] = [:]
  package var keyChunks: [FeedPosition: Chunk<KeyRow>] = [:]
  package var rangeChunks: [RecordRange: Chunk<RangeRow>] = [:]
  package var due: [DueQuery: [DueRow]] = [:]

  // Devices.
  package var devices: [ReplicaID: DeviceEntry?] = [:]
  /// The cells that devices went to with their accounts; nil: to none.
  package var destinations: [ReplicaID: CellNumber?] = [:]
  /// Oldest first.
  package var deviceLists: [AccountID: [DeviceEntry]] = [:]
  /// By the accounts' names, oldest first.
  package var everyDevice: [DeviceEntry]?
  package var outboxes: [DeviceAddress: DeviceOutbox] = [:]

  // Invitations.
  package var invitations: [String: InvitationEntry?] = [:]
  /// All of an account, used ones included.
  package var invitationLists: [AccountID: [InvitationEntry]] = [:]

  // Attempts. By the database's clock, which is one for all daemons.
  package var attempts: [[UInt8]: (bucket: AttemptBucket, now: WallTime)] = [:]

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
  /// See `EventLog.settledNumber`.
  package var settledEvent: UInt64?
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

/// Whether an account may be used.
package enum AccountPresence: Sendable {
  case here
  /// It is being moved to another cell.
  case moving
  /// It was removed, has moved, or never was.
  case absent
}
