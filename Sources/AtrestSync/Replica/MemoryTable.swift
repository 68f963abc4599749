// SPDX-License-Identifier: Apache-2.0
// One table in memory, which knows what changed in it.

/// A row that has its key in it.
package protocol KeyedRow: Hashable, Sendable {
  /// Identifies a row of a table, and orders its rows.
  associatedtype Key: Hashable & Comparable & Sendable
  /// The row's key.
  var rowKey: Key { get }
}

/// The rows of one table that changed.
package struct RowChanges<Row: KeyedRow>: Hashable, Sendable {
  /// The rows to insert or replace, ascending by key.
  package var stored: [Row] = []
  /// The keys of the rows to remove, ascending.
  package var removed: [Row.Key] = []

  /// Whether nothing changed.
  package var isEmpty: Bool { stored.isEmpty && removed.isEmpty }
}

/// Rows by key, in order, and what they were before the transaction.
struct MemoryTable<Row: KeyedRow> {
  private var rows: [Row.Key: Row] = [:]
  private var order = SortedKeys<Row.Key>()
  /// Each row that the transaction changed, as it was before: nil if there was none.
  private var before: [Row.Key: Row?] = [:]

  /// The keys, ascending.
  var keys: [Row.Key] { order.keys }

  /// The row with a key; nil if there is none.
  subscript(key: Row.Key) -> Row? { rows[key] }

  /// The index of the first key that is not less than this one.
  func index(notBefore key: Row.Key) -> Int { order.index(notBefore: key) }

  /// Inserts, replaces or removes a row.
  /// - Returns: The row that was there.
  @discardableResult
  mutating func set(_ key: Row.Key, _ row: Row?) -> Row? {
    let old = rows[key]
    if before.index(forKey: key) == nil { before.updateValue(old, forKey: key) }
    rows[key] = row
    if old == nil, row != nil { order.insert(key) }
    if old != nil, row == nil { order.remove(key) }
    return old
  }

  /// What the transaction changed.
  var changes: RowChanges<Row> {
    var changes = RowChanges<Row>()
    for key in before.keys.sorted() {
      if let row = rows[key] { changes.stored.append(row) } else { changes.removed.append(key) }
    }
    return changes
  }

  /// All rows, as if the transaction had inserted them.
  var contents: RowChanges<Row> {
    var contents = RowChanges<Row>()
    for key in order.keys {
      if let row = rows[key] { contents.stored.append(row) }
    }
    return contents
  }

  /// The changed rows as they were before.
  var originals: [(key: Row.Key, row: Row?)] { before.map { ($0.key, $0.value) } }

  /// Begins the next transaction.
  mutating func forgetOriginals() { before.removeAll(keepingCapacity: true) }
}
