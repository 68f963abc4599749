// SPDX-License-Identifier: Apache-2.0
// Fingerprint sums over blocks of neighbouring keys, so that reconciliation need not read all
// records.

import AtrestProtocol
import AtrestReplication
import AtrestWire

/// Fingerprints of an account's records, in blocks sorted by key.
///
/// The first pass reads every record, about 2 µs each. Later passes read only blocks with changes.
/// Every changed record has a sequence after the last seen head, and no record is ever removed, so
/// the feed reveals all changes, unless it has lost that head: then all is read again. Comparing
/// equal sides only adds up blocks and reads nothing. Takes about a hundred bytes per block.
struct KeySums: Sendable {
  /// With more changes than this at once, rebuild all blocks.
  private static let changeLimit = 10_000

  private struct Block: Sendable {
    /// The first key after the block. Empty: no upper bound. The block begins where the previous
    /// one ends.
    var end: [UInt8]
    /// Nil: the block has changes and must be read again.
    var sum: Fingerprint?
  }

  private let account: AccountID
  private let blockRecords: Int
  private var blocks: [Block] = []
  /// Changes up to this commit are already marked.
  private var head = Cursor.start

  init(of account: AccountID, _ sizes: ComparisonSizes) {
    self.account = account
    blockRecords = sizes.blockRecords
  }

  /// The number of blocks in memory.
  var count: Int { blocks.count }

  /// Whether the blocks cover every key.
  private var isComplete: Bool { blocks.last?.end.isEmpty ?? false }

  // MARK: Updating

  /// Reads unknown and changed blocks, up to approximately `limit` records.
  ///
  /// - Returns: Whether everything is up to date.
  mutating func catchUp(
    _ transaction: any StoreTransaction, records limit: Int = .max
  ) throws(StoreError) -> Bool {
    try noteChanges(transaction)
    var left = limit
    var index = 0
    var reads = ReadAhead()
    while index < blocks.count, left > 0 {
      defer { index += 1 }
      guard blocks[index].sum == nil else { continue }
      let new = try reads.attempt { () throws(StoreError) in
        try read(transaction, from: begin(of: index), to: blocks[index].end, .max, &left)
      }
      guard let new else {
        left -= blockRecords
        continue
      }
      blocks.replaceSubrange(index...index, with: new)
      index += new.count - 1
    }
    try reads.end()
    if !isComplete, left > 0 {
      blocks += try read(transaction, from: blocks.last?.end ?? [], to: [], left, &left)
    }
    return left > 0 && isComplete
  }

  /// Marks the blocks that changed since the last call.
  private mutating func noteChanges(_ transaction: any StoreTransaction) throws(StoreError) {
    let now = try transaction.accounts.feedState(of: account).head
    guard head != now else { return }
    if !blocks.isEmpty { try markChanges(transaction) }
    head = now
  }

  private mutating func markChanges(_ transaction: any StoreTransaction) throws(StoreError) {
    // After a failover or a restore the feed may lack commits whose records the blocks count.
    let position = try transaction.accounts.position(of: head.sequence, account: account)
    guard position == head else {
      blocks = []
      return
    }
    let changed = try transaction.records.keys(
      of: account, after: head.sequence, limit: Self.changeLimit + 1)
    guard changed.count <= Self.changeLimit else {
      blocks = []
      return
    }
    for key in changed {
      if let index = index(of: key) { blocks[index].sum = nil }
    }
  }

  /// Reads the blocks of a range. Stops after approximately `limit` records.
  private func read(
    _ transaction: any StoreTransaction, from begin: [UInt8], to end: [UInt8], _ limit: Int,
    _ left: inout Int
  ) throws(StoreError) -> [Block] {
    var new: [Block] = []
    var (sum, last, count) = (Fingerprint(), [UInt8](), 0)
    var isCut = false
    try transaction.records.scan(KeyInterval(from: begin, to: end), of: account) { key, body in
      if sum.count == blockRecords {
        new.append(Block(end: Self.separator(last, key), sum: sum))
        sum = Fingerprint()
        isCut = count >= limit
        if isCut { return false }
      }
      sum.add(Fingerprint.fastHash(ofRecord: body))
      last = key
      count += 1
      return true
    }
    left = max(0, left - count)
    if !isCut { new.append(Block(end: end, sum: sum)) }
    return new
  }

  // MARK: Sums of ranges

  /// The parts of a range, each with its end key: whole blocks, and the covered part of the first
  /// and the last block.
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
        try transaction.records.scan(KeyInterval(from: start, to: stop), of: account) { _, body in
          sum.add(Fingerprint.fastHash(ofRecord: body))
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

  /// The fingerprint of a range.
  func fingerprint(
    _ begin: [UInt8], _ end: [UInt8], _ transaction: any StoreTransaction
  ) throws(StoreError) -> Fingerprint {
    try parts(begin, end, transaction).reduce(into: Fingerprint()) { $0.add($1.sum) }
  }

  /// The shortest key greater than `last` and not greater than `next`.
  static func separator(_ last: [UInt8], _ next: [UInt8]) -> [UInt8] {
    let shared = zip(last, next).prefix { $0 == $1 }.count
    return Array(next.prefix(shared + 1))
  }

  private func begin(of index: Int) -> [UInt8] { index == 0 ? [] : blocks[index - 1].end }

  /// The index of the block that contains the key, or nil if it was not read yet.
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
