// SPDX-License-Identifier: Apache-2.0
// A bounded cache of objects of which there must never be two for one key.

/// A cache that keeps the values used last, and finds others for as long as somebody holds them.
///
/// A session that a call or a stream still uses has to be found when its device is revoked, however
/// long ago it was used last. So a value that the cache drops stays reachable weakly.
///
/// Values used since the last turn of generations are young. When there are too many, the old ones
/// are dropped and the young ones get old. Amortised O(1).
struct LiveCache<Key: Hashable & Sendable, Value: AnyObject & Sendable>: Sendable {
  private struct Weak: Sendable {
    weak let value: Value?
  }

  private let limit: Int
  private var young: [Key: Value] = [:]
  private var old: [Key: Value] = [:]
  private var dropped: [Key: Weak] = [:]

  /// - Parameter limit: Values that are kept though nobody else holds them, approximately.
  init(limit: Int) {
    self.limit = limit
  }

  /// The value of a key, which counts as used.
  mutating func value(_ key: Key) -> Value? {
    if let known = young[key] { return known }
    guard let known = old.removeValue(forKey: key) ?? dropped[key]?.value else { return nil }
    insert(known, for: key)
    return known
  }

  mutating func insert(_ value: Value, for key: Key) {
    if young.count >= limit / 2, young[key] == nil { turn() }
    old[key] = nil
    dropped[key] = nil
    young[key] = value
  }

  private mutating func turn() {
    dropped = dropped.filter { $0.value.value != nil }
    for (key, value) in old { dropped[key] = Weak(value: value) }
    old = young
    young = [:]
  }

  mutating func remove(_ key: Key) {
    young[key] = nil
    old[key] = nil
    dropped[key] = nil
  }

  /// All values that exist, in no order. O(values).
  var all: [Value] {
    Array(young.values) + Array(old.values) + dropped.values.compactMap(\.value)
  }
}
