// SPDX-License-Identifier: Apache-2.0
// Compares a replica's summary with the account's records, range by range. Has no socket, clock or
// randomness.

import AtrestProtocol
import AtrestReplication
import AtrestWire

/// Executes one round of reconciliation. Writes nothing. A simulator runs the same code.
///
/// Source: Meyer, "Range-Based Set Reconciliation", 2023. Fingerprints are sums.
struct Reconcile {
  /// Approximate overhead of a range, record or key in the response, in bytes.
  private static let overheadBytes = 40
  /// Size of a range with the longest possible end key, in bytes.
  private static let rangeBytes = 4 + Record.Limits.idBytes + 32 + overheadBytes

  private let account: AccountID
  private let sizes: ComparisonSizes
  private let sums: KeySums
  private let passOver: (_ key: [UInt8]) -> Void
  private let transaction: any StoreTransaction
  /// Ranges of the request that have not been processed. Each may need a range in the response.
  private var waiting: Int
  private var bytes: Int
  private var response: ReconcileResponse

  /// Executes one round.
  ///
  /// - Parameters:
  ///   - feed: The account's feed, in a transaction that may be read-only.
  ///   - sums: The account's sums, up to date in this transaction.
  ///   - sizes: Any, also others than those of the sums.
  ///   - now: The server's clock.
  ///   - passOver: Called with the key of each corrupt record that differs. Such a record is
  ///     treated as settled: no replica could decode it or merge into it.
  /// - Complexity: O(blocks in the ranges). Reads at most two blocks per range, plus the records in
  ///   the response.
  static func run(
    _ request: ReconcileRequest, feed: AccountFeed, sums: KeySums, _ sizes: ComparisonSizes,
    at now: WallTime, passOver: @escaping (_ key: [UInt8]) -> Void = { _ in }
  ) throws(StoreError) -> ReconcileResponse {
    guard try feed.knows(request.cursor) else {
      return ReconcileResponse(ranges: [], serverTime: now, restarted: true)
    }
    var run = Reconcile(request, feed.account, feed.transaction, sums, sizes, now, passOver)
    var begin: [UInt8] = []
    var reads = ReadAhead()
    for range in request.ranges {
      run.waiting -= 1
      _ = try reads.attempt { () throws(StoreError) in
        switch range.content {
        case .settled: run.add(range.end, .settled)
        case .fingerprint(let theirs): try run.compare(begin, range.end, theirs)
        case .items(let items): try run.compare(begin, range.end, items)
        }
      }
      begin = range.end
    }
    try reads.end()
    // Ranges that the response omits are settled.
    if run.response.ranges.last?.content == .settled { run.response.ranges.removeLast() }
    return run.response
  }

  private init(
    _ request: ReconcileRequest, _ account: AccountID, _ transaction: any StoreTransaction,
    _ sums: KeySums, _ sizes: ComparisonSizes, _ now: WallTime,
    _ passOver: @escaping (_ key: [UInt8]) -> Void
  ) {
    self.account = account
    self.sizes = sizes
    self.sums = sums
    self.passOver = passOver
    self.transaction = transaction
    waiting = request.ranges.count
    // Reserve space for one range per requested range, and for one more where the page may end.
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
    let isSmall = min(ours.count, theirs.count) <= sizes.smallRange
    guard !isSmall, allows(moreRanges: sizes.fanOut - 1),
      bytes + sizes.fanOut * Self.rangeBytes <= Page.recordBytes
    else { return add(end, .fingerprint(ours)) }
    let most = (ours.count + UInt64(sizes.fanOut) - 1) / UInt64(sizes.fanOut)
    // Split at block boundaries if there are enough blocks for parts of similar size.
    if parts.count >= 4 * sizes.fanOut {
      split(parts, most)
    } else {
      try split(begin, end, most)
    }
  }

  /// Splits a range at block boundaries into parts of at least `most` records each, except the
  /// last.
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

  /// Splits a range into parts of `most` records each, except the last.
  private mutating func split(
    _ begin: [UInt8], _ end: [UInt8], _ most: UInt64
  ) throws(StoreError) {
    var parts: [(end: [UInt8], sum: Fingerprint)] = []
    var part = Fingerprint()
    var last: [UInt8] = []
    try transaction.records.scan(KeyInterval(from: begin, to: end), of: account) { key, body in
      if part.count == most {
        parts.append((KeySums.separator(last, key), part))
        part = Fingerprint()
      }
      part.add(Fingerprint.fastHash(ofRecord: body))
      last = key
      return true
    }
    bytes += parts.reduce(0) { $0 + $1.end.count + Self.overheadBytes }
    for part in parts { add(part.end, .fingerprint(part.sum)) }
    add(end, .fingerprint(part))
  }

  /// Adds the differing records and keys as far as they fit. The rest of the range is to be
  /// compared again.
  private mutating func compare(
    _ begin: [UInt8], _ end: [UInt8], _ theirs: [KeyRange.Item]
  ) throws(StoreError) {
    var theirs = theirs[...]
    // The first key that did not fit.
    var stop: [UInt8]?
    try transaction.records.scan(KeyInterval(from: begin, to: end), of: account) { key, body in
      let hash = Fingerprint.fastHash(ofRecord: body)
      while stop == nil, let item = theirs.first, item.key.lexicographicallyPrecedes(key) {
        if want(item.key) { theirs.removeFirst() } else { stop = item.key }
      }
      if stop == nil {
        let isHeld = theirs.first?.key == key
        if !(isHeld && theirs.first?.hash == hash), (try? Record(unpacking: body)) == nil {
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

  /// Reserves space for a record or a key. The first one always fits, so every round makes
  /// progress.
  private mutating func take(_ count: Int) -> Bool {
    let isFirst = response.records.isEmpty && response.wanted.isEmpty
    let sum = bytes + count + Self.overheadBytes
    guard isFirst || (sum <= Page.recordBytes && response.wanted.count < KeyRange.itemLimit) else {
      return false
    }
    bytes = sum
    return true
  }

  /// Whether the response has room for this many more ranges, besides one per remaining requested
  /// range.
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
  /// Executes one round in its own transaction. For tests and simulations.
  package func reconcile(
    _ request: ReconcileRequest, account: AccountID, at now: WallTime,
    sizes: ComparisonSizes = ComparisonSizes()
  ) throws(StoreError) -> ReconcileResponse {
    try transaction { transaction throws(StoreError) in
      let feed = try AccountFeed(account: account, in: transaction, commit: 0, at: now)
      var sums = KeySums(of: account, sizes)
      _ = try sums.catchUp(transaction)
      return try Reconcile.run(request, feed: feed, sums: sums, sizes, at: now)
    }
  }
}
