// SPDX-License-Identifier: Apache-2.0
// Keeps deleted records whole for journal entries of older servers, which do not hold the record.
// No such entry is left 90 days after the upgrade: remove this file in the release after next.

import AtrestReplication
import AtrestWire

extension Housekeeping {
  /// Deleted records that only waited for journal entries among the candidates.
  static func released(
    by candidates: [Candidate], _ feed: AccountFeed
  ) throws(StoreError) -> [Candidate] {
    let known = Set(candidates.map(\.key))
    let keys = Set(candidates.compactMap { $0.oldEntry?.key.storageKey }).subtracting(known)
    guard !keys.isEmpty else { return [] }
    // Sorted, so that the result does not depend on hashing.
    let sorted = keys.sorted { $0.lexicographicallyPrecedes($1) }
    try feed.loadMore(sorted)
    var released: [Candidate] = []
    for key in sorted {
      guard let found = try feed.find(key), found.due == nil else { continue }
      released.append(Candidate(key, found))
    }
    return released
  }

  /// The keys of candidates that an entry needs, and would be pruned. Entries that expire now need
  /// none.
  static func neededByOldEntries(
    _ candidates: [Candidate], _ feed: AccountFeed
  ) throws(StoreError) -> Set<[UInt8]> {
    let ending = Set(candidates.filter { $0.result != nil }.map(\.key))
    let pruned = candidates.filter { $0.result.map { $0.key.kind != .conflict } ?? false }
    let journals = pruned.compactMap { candidate in
      candidate.record.map {
        let entries = Conflict.journalKeys(of: $0.key, field: Register.deletedField)
        return KeyInterval(from: entries.first.storageKey, to: entries.last.storageKey)
      }
    }
    guard !journals.isEmpty else { return [] }
    var needed: Set<[UInt8]> = []
    try feed.transaction.records.scan(journals, of: feed.account) { index, key, body in
      guard !ending.contains(key), let found = try? Record(unpacking: body), !found.isDeleted,
        let entry = try? Conflict(found), entry.needsItsRecord
      else { return true }
      needed.insert(pruned[index].key)
      return false
    }
    return needed
  }
}

extension Housekeeping.Candidate {
  /// The candidate as a journal entry, if somebody who writes it back needs its record.
  fileprivate var oldEntry: Conflict? {
    guard let record, let entry = try? Conflict(record), entry.needsItsRecord else { return nil }
    return entry
  }
}

extension Conflict {
  /// Whether the entry stands for everything that an action wrote, and does not hold it.
  fileprivate var needsItsRecord: Bool { isAction && record == nil }
}
