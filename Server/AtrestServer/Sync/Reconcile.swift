// SPDX-License-Identifier: Apache-2.0
// Compares what a replica says it holds with what the account holds, range by range. No socket, no
// clock, no chance.

import AtrestProtocol
import AtrestReplication

/// One comparison: the part of the service that a simulator drives as it is. Writes nothing.
///
/// Source: Meyer, "Range-Based Set Reconciliation", 2023, with sums for fingerprints.
package struct Reconcile {
  /// Parts that a range is split into when it differs.
  static let fanOut = 16
  /// Bytes that a range takes besides its end, and a record or key besides itself, about.
  private static let overheadBytes = 40
  /// Bytes of a range whose end is as long as a key can be.
  private static let rangeBytes = 4 + Record.Limits.idBytes + 32 + overheadBytes

  private let account: AccountID
  private let sums: KeySums
  private let passOver: (_ key: [UInt8]) -> Void
  private let transaction: any StoreTransaction
  /// Ranges of the request that are not answered yet: each may need one of the answer's.
  private var waiting: Int
  private var bytes: Int
  private var response: ReconcileResponse

  /// Compares.
  ///
  /// - Parameters:
  ///   - feed: The account's, in a transaction that need not be one that writes.
  ///   - sums: The account's, caught up in this transaction; nil: they are read first.
  ///   - now: The server's clock.
  ///   - passOver: Told of each record that differs and cannot be read. It is settled as it is: no
  ///     replica could store it, and none could be merged into it.
  /// - Complexity: O(blocks of the ranges), and reads two blocks at most of each range, and the
  ///   records that are answered.
  package static func run(
    _ request: ReconcileRequest, feed: AccountFeed, at now: WallTime,
    passOver: @escaping (_ key: [UInt8]) -> Void = { _ in }
  ) throws(StoreError) -> ReconcileResponse {
    var sums = KeySums(of: feed.account)
    _ = try sums.catchUp(feed.transaction)
    return try run(request, feed: feed, sums: sums, at: now, passOver: passOver)
  }

  static func run(
    _ request: ReconcileRequest, feed: AccountFeed, sums: KeySums, at now: WallTime,
    passOver: @escaping (_ key: [UInt8]) -> Void
  ) throws(StoreError) -> ReconcileResponse {
    guard try feed.knows(lastKnownHead: request.lastKnownHead) else {
      return ReconcileResponse(ranges: [], serverTime: now, restarted: true)
    }
    var run = Reconcile(request, feed.account, feed.transaction, sums, now, passOver)
    var begin: [UInt8] = []
    for range in request.ranges {
      run.waiting -= 1
      switch range.content {
      case .settled: run.add(range.end, .settled)
      case .fingerprint(let theirs): try run.compare(begin, range.end, theirs)
      case .items(let items): try run.compare(begin, range.end, items)
      }
      begin = range.end
    }
    // What is not mentioned is settled.
    if run.response.ranges.last?.content == .settled { run.response.ranges.removeLast() }
    return run.response
  }

  private init(
    _ request: ReconcileRequest, _ account: AccountID, _ transaction: any StoreTransaction,
    _ sums: KeySums, _ now: WallTime, _ passOver: @escaping (_ key: [UInt8]) -> Void
  ) {
    self.account = account
    self.sums = sums
    self.passOver = passOver
    self.transaction = transaction
    waiting = request.ranges.count
    // Whatever else is answered, there is room for a range for each that was asked about, and for
    // one more where a page may end.
    bytes = request.ranges.reduce(0) { sum, range in
      let isByItems = if case .items = range.content { true } else { false }
      return sum + range.end.count + Self.overheadBytes + (isByItems ? Self.rangeBytes : 0)
    }
    response = ReconcileResponse(ranges: [], serverTime: now)
  }

  private mutating func compare(
    _ begin: [UInt8], _ end: [UInt8], _ theirs: Fingerprint
  ) throws(StoreError) {
    let parts = try sums.parts(begin, end, transaction)
    let ours = parts.reduce(into: Fingerprint()) { $0.add($1.sum) }
    guard ours != theirs else { return add(end, .settled) }
    let isSmall = min(ours.count, theirs.count) <= KeyRange.smallCount
    guard !isSmall, allows(moreRanges: Self.fanOut - 1),
      bytes + Self.fanOut * Self.rangeBytes <= Page.recordBytes
    else { return add(end, .fingerprint(ours)) }
    let most = (ours.count + UInt64(Self.fanOut) - 1) / UInt64(Self.fanOut)
    // Blocks, where there are so many that the parts come out about alike.
    if parts.count >= 4 * Self.fanOut {
      split(parts, most)
    } else {
      try split(begin, end, most)
    }
  }

  /// Answers with parts of a range that hold at least `most` records each, but for the last.
  private mutating func split(_ blocks: [(end: [UInt8], sum: Fingerprint)], _ most: UInt64) {
    var part = Fingerprint()
    for (index, block) in blocks.enumerated() {
      part.add(block.sum)
      guard part.count >= most || index == blocks.count - 1 else { continue }
      bytes += block.end.count + Self.overheadBytes
      add(block.end, .fingerprint(part))
      part = Fingerprint()
    }
  }

  /// Answers with parts of a range that hold `most` records each, but for the last.
  private mutating func split(
    _ begin: [UInt8], _ end: [UInt8], _ most: UInt64
  ) throws(StoreError) {
    var parts: [(end: [UInt8], sum: Fingerprint)] = []
    var part = Fingerprint()
    var last: [UInt8] = []
    try transaction.records(of: account, from: begin, to: end) { key, body in
      if part.count == most {
        parts.append((KeySums.separator(last, key), part))
        part = Fingerprint()
      }
      part.add(Fingerprint.hash(ofRecord: body))
      last = key
      return true
    }
    bytes += parts.reduce(0) { $0 + $1.end.count + Self.overheadBytes }
    for part in parts { add(part.end, .fingerprint(part.sum)) }
    add(end, .fingerprint(part))
  }

  /// Answers with the records and keys that differ, as far as there is room; the rest of the range
  /// is to be compared again.
  private mutating func compare(
    _ begin: [UInt8], _ end: [UInt8], _ theirs: [KeyRange.Item]
  ) throws(StoreError) {
    var theirs = theirs[...]
    // The first key for which there was no room.
    var stop: [UInt8]?
    try transaction.records(of: account, from: begin, to: end) { key, body in
      let hash = Fingerprint.hash(ofRecord: body)
      while stop == nil, let item = theirs.first, item.key.lexicographicallyPrecedes(key) {
        if want(item.key) { theirs.removeFirst() } else { stop = item.key }
      }
      if stop == nil {
        let isHeld = theirs.first?.key == key
        if !(isHeld && theirs.first?.hash == hash), (try? Record(decoding: body)) == nil {
          passOver(key)
          if isHeld { theirs.removeFirst() }
        } else if isHeld, theirs.first?.hash == hash || send(body, wanting: key) {
          theirs.removeFirst()
        } else if isHeld || !send(body, wanting: nil) {
          stop = key
        }
      }
      return stop == nil
    }
    while stop == nil, let item = theirs.first {
      if want(item.key) { theirs.removeFirst() } else { stop = item.key }
    }
    guard let stop else { return add(end, .settled) }
    guard stop != begin, allows(moreRanges: 1) else {
      return add(end, .fingerprint(try sums.fingerprint(begin, end, transaction)))
    }
    add(stop, .settled)
    add(end, .fingerprint(try sums.fingerprint(stop, end, transaction)))
  }

  private mutating func want(_ key: [UInt8]) -> Bool {
    guard take(key.count) else { return false }
    response.wanted.append(key)
    return true
  }

  private mutating func send(_ body: [UInt8], wanting key: [UInt8]?) -> Bool {
    guard response.records.count < Page.records, take(body.count + (key?.count ?? 0)) else {
      return false
    }
    response.records.append(body)
    if let key { response.wanted.append(key) }
    return true
  }

  /// Takes room for a record or a key. The first always has it, so that every answer moves on.
  private mutating func take(_ count: Int) -> Bool {
    let isFirst = response.records.isEmpty && response.wanted.isEmpty
    let sum = bytes + count + Self.overheadBytes
    guard isFirst || (sum <= Page.recordBytes && response.wanted.count < KeyRange.itemLimit) else {
      return false
    }
    bytes = sum
    return true
  }

  /// Whether an answer may have so many more ranges, beside one for each that was asked about.
  private func allows(moreRanges count: Int) -> Bool {
    response.ranges.count + 1 + waiting + count <= KeyRange.limit
  }

  private mutating func add(_ end: [UInt8], _ content: KeyRange.Content) {
    if content == .settled, response.ranges.last?.content == .settled {
      response.ranges[response.ranges.count - 1].end = end
    } else {
      response.ranges.append(KeyRange(end: end, content: content))
    }
  }
}

extension SyncStore {
  /// One comparison in a transaction of its own: for tests and simulations.
  package func reconcile(
    _ request: ReconcileRequest, account: AccountID, at now: WallTime
  ) throws(StoreError) -> ReconcileResponse {
    try transaction { transaction throws(StoreError) in
      let feed = try AccountFeed(account: account, in: transaction, commit: 0)
      return try Reconcile.run(request, feed: feed, at: now)
    }
  }
}
