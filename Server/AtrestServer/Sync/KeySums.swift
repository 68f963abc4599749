// SPDX-License-Identifier: Apache-2.0
// What a comparison asks of an account instead of its records: sums over blocks of neighbouring
// keys.

import AtrestProtocol
import AtrestReplication

/// Fingerprints of an account's records, block by block, in the order of their keys.
///
/// Reading every record takes about 2 us each, once. After that only blocks are read again in which
/// something changed: a record that did is behind the head that was seen last, and none ever goes.
/// A comparison of equal sides adds up blocks, and reads nothing. About a hundred bytes for 128
/// records.
struct KeySums: Sendable {
  /// Records of a block, about.
  static let blockRecords = 128
  /// So many changed at once that reading everything again is as good.
  private static let changeLimit = 10_000

  private struct Block: Sendable {
    /// The first key that is not in it any more; empty: it reaches to the end. It begins where the
    /// one before it ended.
    var end: [UInt8]
    /// Nil: something changed in it.
    var sum: Fingerprint?
  }

  private let account: AccountID
  private var blocks: [Block] = []
  /// What changed up to it is known to have changed.
  private var head: UInt64 = 0

  /// Nothing was read yet.
  init(of account: AccountID) {
    self.account = account
  }

  /// Blocks that are kept.
  var count: Int { blocks.count }

  /// Whether there is a block for every key.
  private var isComplete: Bool { blocks.last?.end.isEmpty ?? false }

  // MARK: Keeping up

  /// Reads what is not known of the account, or not any more, but only about so many records.
  ///
  /// - Returns: Whether nothing is left to read.
  mutating func catchUp(
    _ transaction: any StoreTransaction, records limit: Int = .max
  ) throws(StoreError) -> Bool {
    try noteChanges(transaction)
    var left = limit
    var index = 0
    while index < blocks.count, left > 0 {
      defer { index += 1 }
      guard blocks[index].sum == nil else { continue }
      let new = try read(transaction, from: begin(of: index), to: blocks[index].end, .max, &left)
      blocks.replaceSubrange(index...index, with: new)
      index += new.count - 1
    }
    if !isComplete, left > 0 {
      blocks += try read(transaction, from: blocks.last?.end ?? [], to: [], left, &left)
    }
    return left > 0 && isComplete
  }

  /// Finds the blocks in which something changed since.
  private mutating func noteChanges(_ transaction: any StoreTransaction) throws(StoreError) {
    let now = try transaction.head(of: account).sequence
    defer { head = now }
    guard head < now, !blocks.isEmpty else { return }
    var changed: [UInt64] = []
    try transaction.feed(of: account, after: head) { sequence, _ in
      changed.append(sequence)
      return changed.count <= Self.changeLimit
    }
    guard changed.count <= Self.changeLimit else {
      blocks = []
      return
    }
    for sequence in changed {
      guard let key = try transaction.key(at: sequence, account: account),
        let index = index(of: key)
      else { continue }
      blocks[index].sum = nil
    }
  }

  /// Reads blocks of a range, and ends after about `limit` records.
  private func read(
    _ transaction: any StoreTransaction, from begin: [UInt8], to end: [UInt8], _ limit: Int,
    _ left: inout Int
  ) throws(StoreError) -> [Block] {
    var new: [Block] = []
    var (sum, last, count) = (Fingerprint(), [UInt8](), 0)
    var isCut = false
    try transaction.records(of: account, from: begin, to: end) { key, body in
      if sum.count == Self.blockRecords {
        new.append(Block(end: Self.separator(last, key), sum: sum))
        sum = Fingerprint()
        isCut = count >= limit
        if isCut { return false }
      }
      sum.add(Fingerprint.hash(ofRecord: body))
      last = key
      count += 1
      return true
    }
    left = max(0, left - count)
    if !isCut { new.append(Block(end: end, sum: sum)) }
    return new
  }

  // MARK: What ranges hold

  /// The parts of a range, each with the key at which it ends: whole blocks, and what the range has
  /// of the first and the last.
  func parts(
    _ begin: [UInt8], _ end: [UInt8], _ transaction: any StoreTransaction
  ) throws(StoreError) -> [(end: [UInt8], sum: Fingerprint)] {
    var parts: [(end: [UInt8], sum: Fingerprint)] = []
    var start = begin
    var index = index(of: begin) ?? 0
    while index < blocks.count, start != end || start.isEmpty {
      let block = blocks[index]
      let isLast = !end.isEmpty && (block.end.isEmpty || !block.end.lexicographicallyPrecedes(end))
      let stop = isLast ? end : block.end
      if let sum = block.sum, start == self.begin(of: index), stop == block.end {
        parts.append((stop, sum))
      } else {
        var sum = Fingerprint()
        try transaction.records(of: account, from: start, to: stop) { _, body in
          sum.add(Fingerprint.hash(ofRecord: body))
          return true
        }
        parts.append((stop, sum))
      }
      if stop == end { break }
      start = stop
      index += 1
    }
    return parts
  }

  /// What a range holds.
  func fingerprint(
    _ begin: [UInt8], _ end: [UInt8], _ transaction: any StoreTransaction
  ) throws(StoreError) -> Fingerprint {
    try parts(begin, end, transaction).reduce(into: Fingerprint()) { $0.add($1.sum) }
  }

  /// The shortest key that lies after one record and not after the next.
  static func separator(_ last: [UInt8], _ next: [UInt8]) -> [UInt8] {
    let shared = zip(last, next).prefix { $0 == $1 }.count
    return Array(next.prefix(shared + 1))
  }

  private func begin(of index: Int) -> [UInt8] { index == 0 ? [] : blocks[index - 1].end }

  /// The block that a key is in; nil: none that was read.
  private func index(of key: [UInt8]) -> Int? {
    var (low, high) = (0, blocks.count)
    while low < high {
      let middle = (low + high) / 2
      let end = blocks[middle].end
      if end.isEmpty || key.lexicographicallyPrecedes(end) {
        high = middle
      } else {
        low = middle + 1
      }
    }
    return low < blocks.count ? low : nil
  }
}
