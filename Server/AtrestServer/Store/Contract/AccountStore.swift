// SPDX-License-Identifier: Apache-2.0
// The contract for accounts: their list, and of each the state of its feed and its named commits.

import AtrestReplication
import AtrestWire

/// Accounts.
package protocol AccountStore: AnyObject {
  /// Adds an account.
  ///
  /// - Returns: Its number; nil if the name is taken.
  func add(name: String, created: WallTime) throws(StoreError) -> AccountID?

  /// The account with this name, byte for byte, or nil.
  func id(named name: String) throws(StoreError) -> AccountID?

  /// One account, or nil.
  func find(_ id: AccountID) throws(StoreError) -> AccountEntry?

  /// All accounts, ascending by name.
  func list() throws(StoreError) -> [AccountEntry]

  /// Removes an account with all rows of it but its events. No error if there is none.
  ///
  /// Its number is never given again; its name may be. `SyncStore.owesErasure` is true afterwards
  /// if the engine's files may keep its bytes.
  ///
  /// - Complexity: O(records).
  func remove(_ id: AccountID) throws(StoreError)

  /// The states of feeds, in the order of `accounts`; `FeedState.empty` for an unknown account.
  ///
  /// In a transaction that writes, no other one advances these feeds until it ends. An engine with
  /// several writers locks the rows, in ascending order.
  func feedStates(of accounts: [AccountID]) throws(StoreError) -> [FeedState]

  /// Advances feeds: their heads with the names of the commits, their latest times, and what the
  /// accounts hold. Whoever writes records calls it, once, before the transaction ends.
  ///
  /// - Parameter changes: No account twice.
  func advance(_ changes: [FeedChange]) throws(StoreError)

  /// The position of a sequence: with the name of the commit that assigned it or, if that was
  /// pruned, of the oldest later commit that was not. `Cursor.start` for sequence 0; nil beyond the
  /// head.
  ///
  /// A cursor is in the account's past if and only if this returns it. After a restore or a lost
  /// commit, other commits have its sequence, or none.
  func position(of sequence: UInt64, account: AccountID) throws(StoreError) -> Cursor?

  /// Prunes the names of commits, but for the newest `count` (at least the head's) and those at
  /// which devices with access acknowledged, or were told, as their cursor.
  func pruneCommits(of account: AccountID, keeping count: Int) throws(StoreError)
}

extension AccountStore {
  /// The state of one feed.
  package func feedState(of account: AccountID) throws(StoreError) -> FeedState {
    try feedStates(of: [account]).first ?? .empty
  }
}

/// The number of an account within its store. Positive, never given twice.
package struct AccountID: RawRepresentable, Hashable, Sendable {
  /// Stands for no account where one is named: for events of the server itself.
  static let server = AccountID(rawValue: 0)

  package let rawValue: Int64

  package init(rawValue: Int64) {
    self.rawValue = rawValue
  }
}

/// What a store keeps of an account's feed beside its records.
package struct FeedState: Hashable, Sendable {
  /// The last commit.
  package var head: Cursor
  /// The greatest time of any stamp accepted, entitlement facts aside; 0 for none.
  package var latestTime: HybridTime
  package var holdings: Holdings
  package var deletions: RecentDeletions
  /// The store's own clock when this was read, which dates what is kept for a time. Nil if the
  /// store has none: see `RetentionClock`.
  package var clock: WallTime?

  package init(
    head: Cursor = .start, latestTime: HybridTime = HybridTime(rawValue: 0),
    holdings: Holdings = Holdings(), deletions: RecentDeletions = RecentDeletions(),
    clock: WallTime? = nil
  ) {
    self.head = head
    self.latestTime = latestTime
    self.holdings = holdings
    self.deletions = deletions
    self.clock = clock
  }

  /// Nothing was committed yet.
  package static let empty = FeedState()
}

/// What a transaction changes of a `FeedState`.
package struct FeedChange: Hashable, Sendable {
  package var account: AccountID
  /// The transaction's commit, at the greatest sequence that it assigned; nil: it assigned none.
  package var head: Cursor?
  /// The greatest time of any stamp accepted; an earlier one than the store's changes nothing.
  package var latestTime: HybridTime
  /// What was added to the account; negative for what was removed.
  package var holdings: Holdings
  /// The deletions to be kept from now on; nil: as before.
  package var deletions: RecentDeletions?

  package init(
    account: AccountID, head: Cursor? = nil, latestTime: HybridTime = HybridTime(rawValue: 0),
    holdings: Holdings = Holdings(), deletions: RecentDeletions? = nil
  ) {
    self.account = account
    self.head = head
    self.latestTime = latestTime
    self.holdings = holdings
    self.deletions = deletions
  }
}

/// What an account holds, or a difference of that.
package struct Holdings: Hashable, Sendable {
  /// Live records: see `Record.isLive`.
  package var live = 0
  /// Records, deleted ones and journal entries included.
  package var records = 0
  /// Bytes of bodies and histories.
  package var bytes = 0

  package init(live: Int = 0, records: Int = 0, bytes: Int = 0) {
    self.live = live
    self.records = records
    self.bytes = bytes
  }

  package static func + (a: Holdings, b: Holdings) -> Holdings {
    Holdings(live: a.live + b.live, records: a.records + b.records, bytes: a.bytes + b.bytes)
  }
}

/// An account as lists show it.
package struct AccountEntry: Hashable, Sendable {
  package var id: AccountID
  package var name: String
  package var created: WallTime
  /// Its last commit.
  package var head: Cursor
  /// Devices that have access.
  package var devices: Int
  /// See `Holdings.records`.
  package var records: Int
  /// See `Holdings.bytes`.
  package var bytes: Int

  package init(
    id: AccountID, name: String, created: WallTime, head: Cursor, devices: Int, records: Int,
    bytes: Int
  ) {
    self.id = id
    self.name = name
    self.created = created
    self.head = head
    self.devices = devices
    self.records = records
    self.bytes = bytes
  }
}
