// SPDX-License-Identifier: Apache-2.0
// What the browser keeps: rows with checksums, and a summary by which a missing row is noticed.

import AtrestReplication
import AtrestSync

/// Rows to store and to remove, in one transaction.
package struct RowDelta {
  /// The bytes by key; nil for a row to remove.
  private(set) var rows: [String: [UInt8]?] = [:]

  package init() {}

  package var isEmpty: Bool { rows.isEmpty }

  mutating func set(_ key: String, _ bytes: [UInt8]?) { rows.updateValue(bytes, forKey: key) }

  /// Rows to store, by key.
  package var stored: [(key: String, bytes: [UInt8])] {
    rows.keys.sorted().compactMap { key in
      rows[key].flatMap { $0 }.map { (key, $0) }
    }
  }

  /// Keys of rows to remove.
  package var removed: [String] {
    rows.keys.sorted().filter { key in
      if case .some(.none) = rows[key] { true } else { false }
    }
  }
}

/// Translates a replica's changes to rows, and rows to a replica.
///
/// The sum of all checksums is in the summary row. A store that lost a row, or holds an old one,
/// is told from a whole one, however it came about.
package struct RowStore {
  /// The version of the rows. Those of version 1 can be read.
  static let format: UInt64 = 2
  static let summaryKey = "summary"
  /// Bytes of a checksum, after the bytes of its row.
  static let checksumBytes = 8

  private var checksums: [String: UInt64] = [:]
  private var sum: UInt64 = 0

  /// A store without rows.
  package init() {}

  /// Reads all rows.
  ///
  /// - Returns: The store and what the replica consists of.
  /// - Throws: `.damaged` or `.newer`.
  /// - Complexity: O(bytes).
  package static func opened(
    _ rows: [(key: String, bytes: [UInt8])]
  ) throws(CoreFailure) -> (RowStore, ReplicaChanges) {
    var store = RowStore()
    var contents = ReplicaChanges()
    var summary: Summary?
    for (key, bytes) in rows {
      let (body, checksum) = try checked(key, bytes)
      if key == summaryKey {
        summary = try Summary(body)
        continue
      }
      guard store.checksums.updateValue(checksum, forKey: key) == nil else { throw .damaged }
      store.sum &+= checksum
      let row: StoredRow
      do { row = try StoredRow(decoding: body) } catch { throw .damaged }
      guard row.key == key else { throw .damaged }
      switch row {
      case .state(let state): contents.state = state
      case .record(let row): contents.records.stored.append(row)
      case .outbox(let row): contents.outbox.stored.append(row)
      case .token(let row): contents.tokens.stored.append(row)
      case .action(let row): contents.actions.stored.append(row)
      }
    }
    guard let summary, summary.sum == store.sum, contents.state != nil else { throw .damaged }
    guard summary.count == UInt64(store.checksums.count) else { throw .damaged }
    contents.lastSequence = summary.lastSequence
    contents.lastAction = summary.lastAction
    return (store, contents)
  }

  /// Adds the rows of a transaction's changes to what is to be kept.
  package mutating func add(_ changes: ReplicaChanges, to delta: inout RowDelta) {
    if let state = changes.state { put(.state(state), &delta) }
    for row in changes.records.stored { put(.record(row), &delta) }
    for key in changes.records.removed { remove(StoredRow.key(of: key), &delta) }
    for row in changes.outbox.stored { put(.outbox(row), &delta) }
    for key in changes.outbox.removed { remove(StoredRow.key(ofOutbox: key), &delta) }
    for row in changes.tokens.stored { put(.token(row), &delta) }
    for key in changes.tokens.removed { remove(StoredRow.key(ofToken: key), &delta) }
    for row in changes.actions.stored { put(.action(row), &delta) }
    for key in changes.actions.removed { remove(StoredRow.key(ofAction: key), &delta) }
    guard !delta.isEmpty else { return }
    let summary = Summary(
      count: UInt64(checksums.count), sum: sum, lastSequence: changes.lastSequence,
      lastAction: changes.lastAction)
    delta.set(Self.summaryKey, Self.sealed(Self.summaryKey, summary.bytes).bytes)
  }

  private mutating func put(_ row: StoredRow, _ delta: inout RowDelta) {
    let key = row.key
    let (bytes, checksum) = Self.sealed(key, row.bytes)
    sum &-= checksums.updateValue(checksum, forKey: key) ?? 0
    sum &+= checksum
    delta.set(key, bytes)
  }

  private mutating func remove(_ key: String, _ delta: inout RowDelta) {
    sum &-= checksums.removeValue(forKey: key) ?? 0
    delta.set(key, nil)
  }

  // MARK: Checksums

  private static func checksum(_ key: String, _ bytes: ArraySlice<UInt8>) -> UInt64 {
    var hash = FNV1a()
    hash.add(key.utf8)
    hash.add([0])
    hash.add(bytes)
    return hash.value
  }

  static func sealed(_ key: String, _ bytes: [UInt8]) -> (bytes: [UInt8], UInt64) {
    let checksum = checksum(key, bytes[...])
    return (bytes + (0..<8).map { UInt8(truncatingIfNeeded: checksum >> ($0 * 8)) }, checksum)
  }

  private static func checked(
    _ key: String, _ bytes: [UInt8]
  ) throws(CoreFailure) -> (ArraySlice<UInt8>, UInt64) {
    guard bytes.count >= checksumBytes else { throw .damaged }
    let body = bytes.dropLast(checksumBytes)
    let told = bytes.suffix(checksumBytes).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard told == checksum(key, body) else { throw .damaged }
    return (body, told)
  }
}

/// What the summary row says.
private struct Summary {
  var count: UInt64
  var sum: UInt64
  var lastSequence: Int64
  var lastAction: Int64

  var bytes: [UInt8] {
    var writer = RowWriter()
    writer.number(RowStore.format)
    writer.number(count)
    writer.number(sum)
    writer.signed(lastSequence)
    writer.signed(lastAction)
    return writer.bytes
  }
}

extension Summary {
  init(_ bytes: ArraySlice<UInt8>) throws(CoreFailure) {
    var reader = RowReader(bytes)
    do throws(RowReader.Damage) {
      let format = try reader.number()
      count = try reader.number()
      sum = try reader.number()
      lastSequence = try StoredAction.sequence(&reader)
      lastAction = try StoredAction.sequence(&reader)
      try reader.end()
      guard 1...RowStore.format ~= format else { throw RowReader.Damage() }
    } catch {
      throw Self.isNewer(bytes) ? .newer : .damaged
    }
  }

  /// The rows of a later version may hold anything after the version.
  private static func isNewer(_ bytes: ArraySlice<UInt8>) -> Bool {
    var reader = RowReader(bytes)
    return ((try? reader.number()) ?? 0) > RowStore.format
  }
}
