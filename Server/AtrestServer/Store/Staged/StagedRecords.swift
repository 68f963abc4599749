// SPDX-License-Identifier: Apache-2.0
// Records of a staged transaction.

import AtrestReplication

final class StagedRecords: RecordStore {
  private let staging: Staging
  /// Changed records of each account, ascending by sequence; nil where they have to be sorted.
  private var changedBySequence: [AccountID: [RecordChange]] = [:]
  /// The addresses of changed records by account.
  private var changed: [AccountID: Set<[UInt8]>] = [:]

  init(_ staging: Staging) {
    self.staging = staging
  }

  func load(
    _ addresses: [RecordAddress], limitBytes: Int
  ) throws(StoreError) -> [StoredRecord?] {
    var records: [StoredRecord?] = []
    records.reserveCapacity(addresses.count)
    var bytes = 0
    var missing: ArraySlice<RecordAddress> = []
    for (index, address) in addresses.enumerated() {
      guard bytes < limitBytes || records.isEmpty else { break }
      try staging.expectLock(on: address.account)
      if let change = staging.changes.records[address] {
        records.append(change.record)
        bytes += change.record.bytes
      } else if staging.isRemoved(address.account) {
        records.append(nil)
      } else if let known = staging.reads.records[address] {
        records.append(known)
        bytes += known?.bytes ?? 0
      } else {
        missing = addresses[index...]
        break
      }
    }
    staging.recordBytes += bytes
    guard missing.isEmpty else {
      throw staging.miss { queries in
        for address in missing
        where staging.changes.records[address] == nil && staging.reads.records[address] == nil
          && !staging.isRemoved(address.account)
        {
          queries.records.insert(address)
        }
      }
    }
    return records
  }

  func write(_ changes: [RecordChange]) throws(StoreError) {
    for change in changes {
      try staging.expectWrite(to: change.address.account)
      if let known = staging.changes.records[change.address] {
        guard let previous = change.previous else {
          throw .failed(reason: "a record exists already")
        }
        guard previous == known.record.sequence else {
          throw .damaged(path: "the database", reason: "a record is not where it should be")
        }
        staging.changes.records[change.address] = RecordChange(
          address: change.address, previous: known.previous, record: change.record)
      } else {
        staging.changes.records[change.address] = change
        changed[change.address.account, default: []].insert(change.address.key)
      }
      staging.recordBytes += change.record.bytes
      changedBySequence[change.address.account] = nil
    }
  }

  // MARK: The feed

  func feed(
    of account: AccountID, after sequence: UInt64,
    _ visit: (_ sequence: UInt64, _ body: [UInt8]) -> Bool
  ) throws(StoreError) {
    try staging.expectLock(on: account)
    var own = changesBySequence(of: account).drop { $0.record.sequence <= sequence }
    var position = FeedPosition(account: account, sequence: sequence)
    while !staging.isRemoved(account) {
      let chunk = try staging.value(staging.reads.feedChunks[position]) {
        $0.feedChunks.insert(position)
      }
      for row in chunk.rows where !isChanged(account, row.key) {
        while let next = own.first, next.record.sequence < row.sequence {
          own.removeFirst()
          guard visit(next.record.sequence, next.record.body) else { return }
        }
        guard visit(row.sequence, row.body) else { return }
      }
      guard !chunk.isLast, let last = chunk.rows.last else { break }
      position = FeedPosition(account: account, sequence: last.sequence)
    }
    for next in own {
      guard visit(next.record.sequence, next.record.body) else { return }
    }
  }

  func keys(
    of account: AccountID, after sequence: UInt64, limit: Int
  ) throws(StoreError) -> [[UInt8]] {
    try staging.expectLock(on: account)
    var found: [StagedReads.KeyRow] = []
    var position = FeedPosition(account: account, sequence: sequence)
    while found.count < limit, !staging.isRemoved(account) {
      let chunk = try staging.value(staging.reads.keyChunks[position]) {
        $0.keyChunks.insert(position)
      }
      found += chunk.rows.lazy.filter { !self.isChanged(account, $0.key) }
      guard !chunk.isLast, let last = chunk.rows.last else { break }
      position = FeedPosition(account: account, sequence: last.sequence)
    }
    for change in changesBySequence(of: account) where change.record.sequence > sequence {
      found.append(StagedReads.KeyRow(sequence: change.record.sequence, key: change.address.key))
    }
    found.sort { $0.sequence < $1.sequence }
    return found.prefix(limit).map(\.key)
  }

  func scan(
    _ intervals: [KeyInterval], of account: AccountID,
    _ visit: (_ interval: Int, _ key: [UInt8], _ body: [UInt8]) -> Bool
  ) throws(StoreError) {
    try staging.expectLock(on: account)
    try expectFirstChunks(of: intervals, account)
    for (index, interval) in intervals.enumerated() {
      try scan(interval, of: account) { key, body in visit(index, key, body) }
    }
  }

  /// So that many intervals cost one trip.
  private func expectFirstChunks(
    of intervals: [KeyInterval], _ account: AccountID
  ) throws(StoreError) {
    guard !staging.isRemoved(account) else { return }
    let ranges = intervals.map { RecordRange(account: account, interval: $0) }
    let missing = ranges.filter { staging.reads.rangeChunks[$0] == nil }
    guard missing.isEmpty else { throw staging.miss { $0.rangeChunks.formUnion(missing) } }
  }

  private func scan(
    _ interval: KeyInterval, of account: AccountID,
    _ visit: (_ key: [UInt8], _ body: [UInt8]) -> Bool
  ) throws(StoreError) {
    var own = changesByKey(of: account, in: interval)[...]
    var interval = interval
    while !staging.isRemoved(account) {
      let range = RecordRange(account: account, interval: interval)
      let chunk = try staging.value(staging.reads.rangeChunks[range]) {
        $0.rangeChunks.insert(range)
      }
      for row in chunk.rows where !isChanged(account, row.key) {
        while let next = own.first, next.address.key.lexicographicallyPrecedes(row.key) {
          own.removeFirst()
          guard visit(next.address.key, next.record.body) else { return }
        }
        guard visit(row.key, row.body) else { return }
      }
      guard !chunk.isLast, let last = chunk.rows.last else { break }
      interval.begin = last.key + [0]
    }
    for next in own {
      guard visit(next.address.key, next.record.body) else { return }
    }
  }

  func due(
    of account: AccountID, at now: WallTime, limit: Int
  ) throws(StoreError) -> [(key: [UInt8], record: StoredRecord)] {
    try staging.expectLock(on: account)
    let query = DueQuery(account: account, now: now, limit: limit)
    let rows =
      staging.isRemoved(account)
      ? [] : try staging.value(staging.reads.due[query]) { $0.due.insert(query) }
    var found = rows.filter { !isChanged(account, $0.key) }.map { ($0.key, $0.record) }
    for change in changesBySequence(of: account) {
      guard found.count < limit else { break }
      if let due = change.record.due, due <= now {
        found.append((change.address.key, change.record))
      }
    }
    return found.map { (key: $0.0, record: $0.1) }
  }

  // MARK: Changes

  private func isChanged(_ account: AccountID, _ key: [UInt8]) -> Bool {
    changed[account]?.contains(key) ?? false
  }

  private func changesBySequence(of account: AccountID) -> [RecordChange] {
    if let known = changedBySequence[account], !staging.isRemoved(account) { return known }
    let changes = unsortedChanges(of: account).sorted { $0.record.sequence < $1.record.sequence }
    changedBySequence[account] = changes
    return changes
  }

  private func changesByKey(of account: AccountID, in interval: KeyInterval) -> [RecordChange] {
    unsortedChanges(of: account).filter { change in
      let key = change.address.key
      return !key.lexicographicallyPrecedes(interval.begin)
        && (interval.end.isEmpty || key.lexicographicallyPrecedes(interval.end))
    }.sorted { $0.address.key.lexicographicallyPrecedes($1.address.key) }
  }

  private func unsortedChanges(of account: AccountID) -> [RecordChange] {
    (changed[account] ?? []).compactMap {
      staging.changes.records[RecordAddress(account: account, key: $0)]
    }
  }
}
