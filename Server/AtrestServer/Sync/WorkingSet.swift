// SPDX-License-Identifier: Apache-2.0
// The loaded and changed records of a request, between reading and writing the store. Pure.

/// Records of one account in their stored and their new form.
struct WorkingSet {
  private struct Slot {
    let key: [UInt8]
    /// Nil: the account has no record with this key.
    var record: StoredRecord?
    /// The record's sequence in the store. Nil: it is not stored.
    var previous: UInt64?
    var isChanged = false
  }

  /// Hashes all bytes in one call. An array would hash them one by one.
  private struct Key: Hashable {
    let bytes: [UInt8]

    func hash(into hasher: inout Hasher) {
      bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }

  private var slots: [Slot] = []
  private var indices: [Key: Int] = [:]
  /// Indices of changed slots, in the order of their first change.
  private var changed: [Int] = []

  var hasChanges: Bool { !changed.isEmpty }

  /// The record with the key. The outer nil means that it was not loaded, the inner nil that there
  /// is none.
  func record(_ key: [UInt8]) -> StoredRecord?? {
    indices[Key(bytes: key)].map { slots[$0].record }
  }

  /// Adds a record in its stored form. Does nothing if it is already loaded.
  mutating func load(_ key: [UInt8], _ record: StoredRecord?) {
    if let known = indices.updateValue(slots.count, forKey: Key(bytes: key)) {
      indices[Key(bytes: key)] = known
      return
    }
    slots.append(Slot(key: key, record: record, previous: record?.sequence))
  }

  mutating func reserveCapacity(_ count: Int) {
    slots.reserveCapacity(count)
    indices.reserveCapacity(count)
  }

  /// Changes or adds a record. Its key must be loaded.
  mutating func change(_ key: [UInt8], to record: StoredRecord) {
    guard let index = indices[Key(bytes: key)] else {
      preconditionFailure("a record is not loaded")
    }
    slots[index].record = record
    guard !slots[index].isChanged else { return }
    slots[index].isChanged = true
    changed.append(index)
  }

  /// Returns the changes to write, and marks them as written.
  mutating func takeChanges(of account: AccountID) -> [RecordChange] {
    var changes: [RecordChange] = []
    changes.reserveCapacity(changed.count)
    for index in changed {
      guard let record = slots[index].record else { continue }
      changes.append(
        RecordChange(
          address: RecordAddress(account: account, key: slots[index].key),
          previous: slots[index].previous, record: record))
      slots[index].previous = record.sequence
      slots[index].isChanged = false
    }
    changed.removeAll(keepingCapacity: true)
    return changes
  }

  /// Empties the set. All changes must have been written.
  mutating func removeAll() {
    precondition(!hasChanges, "a change would be lost")
    guard !slots.isEmpty else { return }
    slots.removeAll(keepingCapacity: true)
    indices.removeAll(keepingCapacity: true)
  }
}
