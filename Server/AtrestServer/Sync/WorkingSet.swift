// SPDX-License-Identifier: Apache-2.0
// The records that a request touches, between loading and writing them. Pure.

/// Records of one account: as the store has them, and as they are to be.
struct WorkingSet {
  private struct Slot {
    let key: [UInt8]
    /// Nil: the account has no such record.
    var record: StoredRecord?
    /// The sequence that the record has in the store; nil: it is not there.
    var previous: UInt64?
    var isChanged = false
  }

  /// Hashes all bytes at once, where an array hashes one after the other.
  private struct Key: Hashable {
    let bytes: [UInt8]

    func hash(into hasher: inout Hasher) {
      bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }

  private var slots: [Slot] = []
  private var indices: [Key: Int] = [:]
  /// Indices of slots, in the order of their first change.
  private var changed: [Int] = []

  var hasChanges: Bool { !changed.isEmpty }

  /// The record with the key: nil if it was not loaded, and in it nil if there is none.
  func record(_ key: [UInt8]) -> StoredRecord?? {
    indices[Key(bytes: key)].map { slots[$0].record }
  }

  /// Adds a record as the store has it; nothing happens if it was loaded before.
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

  /// Changes a record, or adds one that the account does not have. It has to be loaded.
  mutating func change(_ key: [UInt8], to record: StoredRecord) {
    guard let index = indices[Key(bytes: key)] else {
      preconditionFailure("a record is not loaded")
    }
    slots[index].record = record
    guard !slots[index].isChanged else { return }
    slots[index].isChanged = true
    changed.append(index)
  }

  /// What is to be written. The set counts as written then.
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

  /// Empties a set that was written.
  mutating func removeAll() {
    precondition(!hasChanges, "a change would be lost")
    guard !slots.isEmpty else { return }
    slots.removeAll(keepingCapacity: true)
    indices.removeAll(keepingCapacity: true)
  }
}
