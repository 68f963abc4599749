// SPDX-License-Identifier: Apache-2.0
// A set that is always in order.

/// Distinct keys, ascending. Looking up costs O(log n). Inserting and removing move what lies
/// behind, which for the thousands of rows of a replica takes microseconds; at the end, nothing.
struct SortedKeys<Key: Comparable> {
  /// The keys.
  private(set) var keys: [Key] = []

  /// The index of the first key that is not less than this one.
  func index(notBefore key: Key) -> Int {
    if let last = keys.last, last < key { return keys.count }
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Inserts a key, unless it is there.
  mutating func insert(_ key: Key) {
    let index = index(notBefore: key)
    if index == keys.count || keys[index] != key { keys.insert(key, at: index) }
  }

  /// Removes a key, if it is there.
  mutating func remove(_ key: Key) {
    let index = index(notBefore: key)
    if index < keys.count, keys[index] == key { keys.remove(at: index) }
  }
}
