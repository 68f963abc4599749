// SPDX-License-Identifier: Apache-2.0
// One account's feed inside one transaction: loads and writes records, assigns sequences, and
// collects the records for Watch streams.

import AtrestReplication
import AtrestWire

/// The changes that one transaction makes to one account. Exchanges in the same commit share it.
///
/// A unit of work: `load` what a request touches, change it in memory, `write` it. The state of the
/// feed itself is written once, at the end of the transaction.
package final class AccountFeed {
  /// Maximum bytes of records in one commit that Watch streams receive. A larger commit is only
  /// announced, and clients call Exchange. Well below the backlog limit of a slow reader.
  static let newsLimitBytes = 64 * 1024
  /// Maximum bytes of stored records loaded at once. Small offers may refer to records of 64 KiB.
  static let loadLimitBytes = 1 << 20

  let account: AccountID
  let transaction: any StoreTransaction
  /// The random name of this commit.
  let commit: UInt64
  /// The greatest sequence assigned.
  private(set) var last: UInt64
  /// Encoded records in commit order. Nil once they exceed the limit.
  private(set) var news: [[UInt8]]? = []
  /// Corrupt records found in this transaction.
  private(set) var unreadable: [UnreadableRecord] = []
  /// Bytes of the records written in this transaction.
  private(set) var writtenBytes = 0
  /// The store's time, by which what is kept for a time grows old.
  let time: WallTime
  /// The feed's state at the start of the transaction.
  private let state: FeedState
  /// The greatest stamp time accepted in this transaction.
  private var latestAccepted = HybridTime(rawValue: 0)
  private var holdingsChange = Holdings()
  /// Records that devices deleted in this transaction without a person's word, less those that
  /// were brought back.
  private var deleted = 0
  /// Whether a person confirmed what was deleted before in this day.
  private var isConfirmed = false
  private var records = WorkingSet()

  /// Opens the account's feed in a transaction.
  ///
  /// - Parameters:
  ///   - commit: A random name for the commit, used if it assigns sequences. Zero counts as 1.
  ///   - time: The store's time, unless the store has a clock of its own.
  package init(
    account: AccountID, in transaction: any StoreTransaction, commit: UInt64, at time: WallTime
  ) throws(StoreError) {
    self.account = account
    self.transaction = transaction
    self.commit = max(1, commit)
    state = try transaction.accounts.feedState(of: account)
    self.time = state.clock ?? time
    last = state.head.sequence
  }

  // MARK: Positions

  /// The head before this transaction.
  var start: Cursor { state.head }

  /// The current head. A replica with this cursor has everything.
  var head: Cursor { last == start.sequence ? start : Cursor(commit: commit, sequence: last) }

  /// The cursor at an assigned sequence. Nil beyond the head.
  func position(of sequence: UInt64) throws(StoreError) -> Cursor? {
    guard sequence <= start.sequence else {
      return sequence <= last ? Cursor(commit: commit, sequence: sequence) : nil
    }
    return sequence == start.sequence
      ? start : try transaction.accounts.position(of: sequence, account: account)
  }

  /// Whether a device's cursor is in the account's history. Nil precedes every history.
  func knows(_ position: Cursor?) throws(StoreError) -> Bool {
    guard let position else { return true }
    // No device can have seen this commit yet.
    guard position.sequence <= start.sequence else { return false }
    return try self.position(of: position.sequence) == position
  }

  // MARK: State

  /// The greatest stamp time that the account ever accepted.
  var latestTime: HybridTime { max(state.latestTime, latestAccepted) }

  /// The account's current holdings, including this transaction.
  var holdings: Holdings { state.holdings + holdingsChange }

  /// The deletions of a day, this transaction's included.
  var deletions: RecentDeletions {
    var sum = state.deletions
    if isConfirmed, sum.count > 0 { sum = RecentDeletions() }
    if deleted != 0 { sum.add(deleted, at: time) }
    return sum
  }

  /// A device deleted a record.
  func noteDeletion() { deleted += 1 }

  /// A device brought a deleted record back.
  func noteRevival() { deleted -= 1 }

  /// A person confirmed what was deleted so far: the day begins anew.
  func confirmDeletions() { (deleted, isConfirmed) = (0, true) }

  // MARK: Loading and writing

  /// Writes pending changes and loads the records of a request, replacing the loaded set.
  ///
  /// - Parameter keys: The records' keys. Repeated keys are loaded once.
  /// - Returns: The records of a nonempty prefix of `keys`, nil where there is none. Shorter than
  ///   `keys` only if the records exceed `loadLimitBytes`.
  func load(_ keys: [[UInt8]]) throws(StoreError) -> [StoredRecord?] {
    try settle()
    return try fetch(keys[...])
  }

  /// Loads further records, in as many steps as necessary, and keeps the loaded set.
  func loadMore(_ keys: [[UInt8]]) throws(StoreError) {
    var rest = keys[...]
    while !rest.isEmpty { rest = rest.dropFirst(try fetch(rest).count) }
  }

  private func fetch(_ keys: ArraySlice<[UInt8]>) throws(StoreError) -> [StoredRecord?] {
    let addresses = keys.map { RecordAddress(account: account, key: $0) }
    let found = try transaction.records.load(addresses, limitBytes: Self.loadLimitBytes)
    records.reserveCapacity(found.count)
    for (key, record) in zip(keys, found) { records.load(key, record) }
    return found
  }

  /// Writes pending changes and loads the records due for housekeeping, replacing the loaded set.
  /// See `RecordStore.due`.
  func loadDue(limit: Int) throws(StoreError) -> [(key: [UInt8], record: StoredRecord)] {
    try settle()
    let due = try transaction.records.due(of: account, at: time, limit: limit)
    for (key, record) in due { records.load(key, record) }
    return due
  }

  /// The current record with the key, or nil. Loads it on demand.
  func find(_ key: [UInt8]) throws(StoreError) -> StoredRecord? {
    if let known = records.record(key) { return known }
    let found = try transaction.records.load(
      [RecordAddress(account: account, key: key)], limitBytes: Self.loadLimitBytes)
    let record = found.first ?? nil
    records.load(key, record)
    return record
  }

  /// Writes the changed records, so that `transaction.records` returns them.
  func write() throws(StoreError) {
    guard records.hasChanges else { return }
    try transaction.records.write(records.takeChanges(of: account))
  }

  /// Writes the changed records and empties the loaded set. Call at the end of each request.
  func settle() throws(StoreError) {
    try write()
    records.removeAll()
  }

  /// The change of the feed's state in this transaction. Nil if there is none. Call after all
  /// writes.
  var change: FeedChange? {
    precondition(!records.hasChanges, "a record was not written")
    let isAdvanced = last != start.sequence
    guard
      isAdvanced || latestAccepted > HybridTime(rawValue: 0) || holdingsChange != Holdings()
        || deletions != state.deletions
    else { return nil }
    return FeedChange(
      account: account, head: isAdvanced ? Cursor(commit: commit, sequence: last) : nil,
      latestTime: latestAccepted, holdings: holdingsChange,
      deletions: deletions == state.deletions ? nil : deletions)
  }

  /// Writes everything. Call once before the commit, unless a `Batch` does it.
  package func finish() throws(StoreError) {
    try settle()
    if let change { try transaction.accounts.advance([change]) }
  }

  // MARK: Records

  /// Inserts a record. The account must not have one with its key.
  ///
  /// - Parameters:
  ///   - body: The record's canonical encoding.
  /// - Returns: Its sequence.
  func insert(_ record: Record, key: [UInt8], body: [UInt8]) -> UInt64 {
    accept(record)
    holdingsChange.records += 1
    holdingsChange.bytes += body.count
    if record.isLive { holdingsChange.live += 1 }
    let sequence = advance(body)
    let due = record.isDue(takenIn: time)
    records.change(key, to: StoredRecord(sequence: sequence, body: body, due: due))
    return sequence
  }

  /// Replaces a stored record.
  ///
  /// - Parameters:
  ///   - found: The stored record, and `old` its decoded form.
  ///   - body: The new record's canonical encoding.
  ///   - history: The new record's merge history.
  /// - Returns: Its sequence.
  func replace(
    _ found: StoredRecord, _ old: Record, by new: Record, key: [UInt8], body: [UInt8],
    history: RecordHistory
  ) -> UInt64 {
    accept(new)
    var due = new.isDue(takenIn: time)
    // Pruning an unchanged deletion stays due at the time that was set first.
    if due != nil, let known = found.due, new.isDeleted,
      old[Register.deletedField] == new[Register.deletedField]
    {
      due = known
    }
    let sequence = advance(body)
    let stored = StoredRecord(sequence: sequence, body: body, due: due, history: history.encoded)
    records.change(key, to: stored)
    holdingsChange.bytes += stored.bytes - found.bytes
    if old.isLive { holdingsChange.live -= 1 }
    if new.isLive { holdingsChange.live += 1 }
    return sequence
  }

  /// Replaces the merge history of an otherwise unchanged record.
  func note(_ history: RecordHistory, key: [UInt8], _ found: StoredRecord) {
    var stored = found
    stored.history = history.encoded
    guard stored != found else { return }
    records.change(key, to: stored)
    holdingsChange.bytes += stored.bytes - found.bytes
  }

  /// Excludes a record from further housekeeping.
  func setNotDue(key: [UInt8], _ found: StoredRecord) {
    guard found.due != nil else { return }
    var stored = found
    stored.due = nil
    records.change(key, to: stored)
  }

  /// Notes a corrupt record that was skipped.
  func passOver(key: [UInt8], sequence: UInt64) {
    unreadable.append(
      UnreadableRecord(
        account: account, kind: RecordKey(storageKey: key)?.kind, sequence: sequence))
  }

  private func accept(_ record: Record) {
    guard record.key.kind != .entitlement, let time = record.latestTime else { return }
    latestAccepted = max(latestAccepted, time)
  }

  private func advance(_ body: [UInt8]) -> UInt64 {
    last += 1
    writtenBytes += body.count
    if writtenBytes > Self.newsLimitBytes || (news?.count ?? 0) >= Page.records {
      news = nil
    } else {
      news?.append(body)
    }
    return last
  }
}

/// A corrupt stored record, as the log may name it: without any of its contents.
struct UnreadableRecord: Hashable, Sendable {
  let account: AccountID
  /// Nil if the key is corrupt, too.
  let kind: RecordKind?
  let sequence: UInt64
}
