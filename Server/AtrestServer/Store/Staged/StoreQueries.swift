// SPDX-License-Identifier: Apache-2.0
// What a transaction has to read, as sets: an engine answers each with one statement.

import AtrestReplication

/// The reads that a transaction lacks. Each member is one statement, whatever it holds.
///
/// The members mirror those of `StagedReads`, which has the answers.
package struct StoreQueries: Sendable {
  // Accounts.
  var feedStates: Set<AccountID> = []
  var positions: Set<FeedPosition> = []
  var accounts: Set<AccountID> = []
  var accountNames: Set<String> = []
  /// Names of accounts to be added, each of which needs a number that was never given.
  var accountNumbers: Set<String> = []
  var everyAccount = false

  // Records.
  var records: Set<RecordAddress> = []
  var feedChunks: Set<FeedPosition> = []
  var keyChunks: Set<FeedPosition> = []
  var rangeChunks: Set<RecordRange> = []
  var due: Set<DueQuery> = []

  // Devices.
  var devices: Set<ReplicaID> = []
  var deviceLists: Set<AccountID> = []
  var everyDevice = false
  var outboxes: Set<DeviceAddress> = []

  // Invitations.
  var invitations: Set<String> = []
  var invitationLists: Set<AccountID> = []

  // Attempts.
  var attempts: Set<[UInt8]> = []

  // Purchases.
  var holders: Set<PurchaseKey> = []
  var appAccountTokens: Set<AccountID> = []
  var appAccounts: Set<[UInt8]> = []

  // Events.
  var lastEvents: Set<AccountID> = []
  /// How many numbers for new events are to be drawn.
  var eventNumbers = 0
  var eventPages: Set<EventPage> = []
  var eventChunks: Set<UInt64> = []

  var isEmpty: Bool {
    feedStates.isEmpty && positions.isEmpty && accounts.isEmpty && accountNames.isEmpty
      && accountNumbers.isEmpty && !everyAccount && records.isEmpty && feedChunks.isEmpty
      && keyChunks.isEmpty && rangeChunks.isEmpty && due.isEmpty && devices.isEmpty
      && deviceLists.isEmpty && !everyDevice && outboxes.isEmpty && invitations.isEmpty
      && invitationLists.isEmpty && holders.isEmpty && appAccountTokens.isEmpty
      && appAccounts.isEmpty && lastEvents.isEmpty && eventNumbers == 0 && eventPages.isEmpty
      && eventChunks.isEmpty && attempts.isEmpty
  }
}

/// A place in an account's feed: the part of it behind a sequence, or the commit of a sequence.
struct FeedPosition: Hashable, Sendable {
  let account: AccountID
  let sequence: UInt64
}

/// The records of an account in an interval of keys.
struct RecordRange: Hashable, Sendable {
  let account: AccountID
  let interval: KeyInterval
}

/// See `RecordStore.due`.
struct DueQuery: Hashable, Sendable {
  let account: AccountID
  let now: WallTime
  let acknowledged: UInt64
  let limit: Int
}

/// See `EventLog.page`.
struct EventPage: Hashable, Sendable {
  /// Nil: of all accounts.
  let account: AccountID?
  let before: UInt64?
  let limit: Int
}
