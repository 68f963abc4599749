// SPDX-License-Identifier: Apache-2.0
// What a transaction has to read, as sets: an engine answers each with one statement.

import AtrestReplication

/// The reads that a transaction lacks. Each member is one statement, whatever it holds.
///
/// The members mirror those of `StagedReads`, which has the answers.
package struct StoreQueries: Sendable {
  // Accounts.
  package var departures: Set<AccountID> = []
  package var feedStates: Set<AccountID> = []
  package var positions: Set<FeedPosition> = []
  package var accounts: Set<AccountID> = []
  package var accountNames: Set<String> = []
  /// Names of accounts to be added, each of which needs a number that was never given.
  package var accountNumbers: Set<String> = []
  package var everyAccount = false

  // Records.
  package var records: Set<RecordAddress> = []
  package var feedChunks: Set<FeedPosition> = []
  package var keyChunks: Set<FeedPosition> = []
  package var rangeChunks: Set<RecordRange> = []
  package var due: Set<DueQuery> = []

  // Devices.
  package var devices: Set<ReplicaID> = []
  package var destinations: Set<ReplicaID> = []
  package var deviceLists: Set<AccountID> = []
  package var everyDevice = false
  package var outboxes: Set<DeviceAddress> = []

  // Invitations.
  package var invitations: Set<String> = []
  package var invitationLists: Set<AccountID> = []

  // Attempts.
  package var attempts: Set<[UInt8]> = []

  // Purchases.
  package var holders: Set<PurchaseKey> = []
  package var appAccountTokens: Set<AccountID> = []
  package var appAccounts: Set<[UInt8]> = []

  // Events.
  package var lastEvents: Set<AccountID> = []
  /// How many numbers for new events are to be drawn.
  package var eventNumbers = 0
  package var settledEvent = false
  package var eventPages: Set<EventPage> = []
  package var eventChunks: Set<UInt64> = []

  package var isEmpty: Bool {
    departures.isEmpty && feedStates.isEmpty && positions.isEmpty && accounts.isEmpty
      && accountNames.isEmpty && accountNumbers.isEmpty && !everyAccount && records.isEmpty
      && feedChunks.isEmpty && keyChunks.isEmpty && rangeChunks.isEmpty && due.isEmpty
      && devices.isEmpty && destinations.isEmpty && deviceLists.isEmpty && !everyDevice
      && outboxes.isEmpty && invitations.isEmpty && invitationLists.isEmpty && holders.isEmpty
      && appAccountTokens.isEmpty && appAccounts.isEmpty && lastEvents.isEmpty
      && eventNumbers == 0 && !settledEvent && eventPages.isEmpty && eventChunks.isEmpty
      && attempts.isEmpty
  }
}

/// A place in an account's feed: the part of it behind a sequence, or the commit of a sequence.
package struct FeedPosition: Hashable, Sendable {
  package let account: AccountID
  package let sequence: UInt64
}

/// The records of an account in an interval of keys.
package struct RecordRange: Hashable, Sendable {
  package let account: AccountID
  package let interval: KeyInterval
}

/// See `RecordStore.due`.
package struct DueQuery: Hashable, Sendable {
  package let account: AccountID
  package let now: WallTime
  package let limit: Int
}

/// See `EventLog.page`.
package struct EventPage: Hashable, Sendable {
  /// Nil: of all accounts.
  package let account: AccountID?
  package let before: UInt64?
  package let limit: Int
}
