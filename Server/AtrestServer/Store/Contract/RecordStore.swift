// SPDX-License-Identifier: Apache-2.0
// The contract for records: load a set of keys, write a set of rows, read by commit or by key.

import AtrestReplication

/// The records of all accounts.
///
/// An account's records form its *feed*: ordered by sequence, so that a record which changes moves
/// to the end. Keys are `RecordKey.storageKey`. Bodies are opaque, but for the key's first four
/// bytes, which tell journal entries.
package protocol RecordStore: AnyObject {
  /// Loads records.
  ///
  /// - Parameters:
  ///   - addresses: In any order.
  ///   - limitBytes: Bytes of bodies and histories at which to stop. An engine may exceed it by the
  ///     few records that it reads at once.
  /// - Returns: The records of a prefix of `addresses`, in their order; nil where there is none.
  ///   All of them, unless `limitBytes` was reached before; at least one.
  /// - Complexity: O(log records) for each.
  func load(_ addresses: [RecordAddress], limitBytes: Int) throws(StoreError) -> [StoredRecord?]

  /// Inserts and updates records, in order.
  ///
  /// The caller accounts for them by `AccountStore.advance`, in the same transaction.
  ///
  /// - Parameter changes: No record twice.
  /// - Throws: `StoreError.damaged` if a record to be updated is not at its previous sequence;
  ///   `StoreError.failed` if a record to be inserted exists.
  /// - Complexity: O(log records) for each.
  func write(_ changes: [RecordChange]) throws(StoreError)

  /// Visits the records with sequences above `sequence`, ascending, until `visit` returns false.
  ///
  /// - Complexity: O(records visited): one sequential read. An engine may read ahead.
  func feed(
    of account: AccountID, after sequence: UInt64,
    _ visit: (_ sequence: UInt64, _ body: [UInt8]) -> Bool
  ) throws(StoreError)

  /// The keys of at most `limit` records with sequences above `sequence`, ascending by sequence.
  func keys(
    of account: AccountID, after sequence: UInt64, limit: Int
  ) throws(StoreError) -> [[UInt8]]

  /// Visits the records of one interval of keys after the other, each ascending by key.
  ///
  /// - Parameter visit: Given the interval's index. False ends the interval; the next one follows.
  /// - Complexity: O(log records) for each record visited: slower than `feed` for all of them.
  func scan(
    _ intervals: [KeyInterval], of account: AccountID,
    _ visit: (_ interval: Int, _ key: [UInt8], _ body: [UInt8]) -> Bool
  ) throws(StoreError)

  /// At most `limit` records that are due at `now`, in no particular order.
  func due(
    of account: AccountID, at now: WallTime, limit: Int
  ) throws(StoreError) -> [(key: [UInt8], record: StoredRecord)]
}

extension RecordStore {
  /// Visits the records of one interval of keys, ascending by key, until `visit` returns false.
  package func scan(
    _ interval: KeyInterval, of account: AccountID,
    _ visit: (_ key: [UInt8], _ body: [UInt8]) -> Bool
  ) throws(StoreError) {
    try scan([interval], of: account) { _, key, body in visit(key, body) }
  }
}

/// Names a record in a store.
package struct RecordAddress: Hashable, Sendable {
  package var account: AccountID
  /// See `RecordKey.storageKey`.
  package var key: [UInt8]

  package init(account: AccountID, key: [UInt8]) {
    self.account = account
    self.key = key
  }

  /// Hashes all bytes in one call. An array would hash them one by one.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(account)
    key.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}

/// A half-open interval of keys.
package struct KeyInterval: Hashable, Sendable {
  /// The first key that may be in it.
  package var begin: [UInt8]
  /// The first key after it; empty: unbounded.
  package var end: [UInt8]

  package init(from begin: [UInt8] = [], to end: [UInt8] = []) {
    self.begin = begin
    self.end = end
  }
}

/// A record as a store keeps it.
package struct StoredRecord: Hashable, Sendable {
  /// Its position in the account's feed.
  package var sequence: UInt64
  /// The encoded record.
  package var body: [UInt8]
  /// When housekeeping looks at it next; nil: never.
  package var due: WallTime?
  /// Encoded `RecordHistory`.
  package var history: [UInt8] = []

  /// The history, empty if its bytes are damaged: that costs a superfluous journal entry at worst.
  var recordHistory: RecordHistory { RecordHistory(decoding: history) ?? RecordHistory() }

  /// Bytes that count against the account's quota.
  package var bytes: Int { body.count + history.count }
}

/// The insertion or update of one record.
package struct RecordChange: Hashable, Sendable {
  package var address: RecordAddress
  /// The sequence that the record has in the store; nil: it is inserted.
  package var previous: UInt64?
  /// The record from now on. Its sequence is `previous`, or greater than all of the account's.
  package var record: StoredRecord

  package init(address: RecordAddress, previous: UInt64?, record: StoredRecord) {
    self.address = address
    self.previous = previous
    self.record = record
  }
}
