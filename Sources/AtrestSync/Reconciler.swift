// SPDX-License-Identifier: Apache-2.0
// Decides which ranges to compare next and what an answer implies. Pure.

import AtrestReplication
import AtrestWire

/// A comparison of all records with the server's. Ranges with different fingerprints are split into
/// smaller ones; small ranges are compared record by record. The server may split a range too, so
/// each round narrows twice.
///
/// Source: range-based set reconciliation, Meyer, "Range-Based Set Reconciliation", 2023; the
/// fan-out is ours. The sum over a range takes two lookups. The number of rounds grows with the
/// logarithm of the number of records, the bytes with the size of the difference.
package struct Reconciler: Hashable {
  /// The consequences of one answer.
  package struct Step: Hashable {
    /// Encoded records to merge.
    package var records: [[UInt8]] = []
    /// Keys to offer.
    package var wanted: [RecordKey] = []
  }

  /// A range still to be compared. Its records are `held[items]`.
  fileprivate struct Part: Hashable {
    var begin: [UInt8]
    /// The exclusive end; empty for no end.
    var end: [UInt8]
    var items: Range<Int>
    var isItemized: Bool
  }

  /// The number of ranges that a differing range is split into.
  package static let fanOut = 16
  /// The most items in one range.
  package static let itemsPerPart = 1000
  /// The most ranges per request, gaps included. The answer may need one more for each.
  package static let requestRanges = KeyRange.limit / 2
  /// The approximate size limit of one request's ranges and items, in bytes.
  package static let requestBytes = Page.recordBytes

  private let smallRange: UInt64
  private let held: [KeyRange.Item]
  /// `sums[i]` is the sum of the first `i` hashes.
  private let sums: [UInt64]
  /// The ranges to compare, ascending. The first `asked` of them are in the request in flight.
  private var parts: [Part] = []
  private var asked = 0

  /// Starts a comparison.
  ///
  /// - Parameters:
  ///   - held: Ascending by key, each key once.
  ///   - smallRange: A range with at most this many records on either side is compared record by
  ///     record. At least 2.
  package init(held: [KeyRange.Item], smallRange: UInt64 = KeyRange.smallCount) {
    self.held = held
    self.smallRange = smallRange
    var sums: [UInt64] = [0]
    sums.reserveCapacity(held.count + 1)
    var sum: UInt64 = 0
    for item in held {
      sum &+= item.hash
      sums.append(sum)
    }
    self.sums = sums
    parts = [Part(begin: [], end: [], items: 0..<held.count, isItemized: false)]
  }

  /// The next request; nil when everything has been compared.
  package mutating func next() -> ReconcileRequest? {
    var ranges: [KeyRange] = []
    var (items, bytes, count) = (0, 0, 0)
    for part in parts {
      let gap = (ranges.last?.end ?? []) != part.begin
      let cost =
        64 + part.begin.count + part.end.count + (part.isItemized ? self.bytes(of: part) : 0)
      items += part.isItemized ? part.items.count : 0
      bytes += cost
      let fits =
        ranges.count + (gap ? 2 : 1) <= Reconciler.requestRanges && items <= KeyRange.itemLimit
        && bytes <= Reconciler.requestBytes
      guard fits || ranges.isEmpty else { break }
      if gap { ranges.append(KeyRange(end: part.begin, content: .settled)) }
      ranges.append(KeyRange(end: part.end, content: content(of: part)))
      count += 1
    }
    asked = count
    return ranges.isEmpty ? nil : ReconcileRequest(ranges: ranges)
  }

  /// Processes the answer to the last request.
  ///
  /// - Throws: `.badAnswer` if it neither narrows the comparison nor advances.
  package mutating func take(_ answer: ReconcileResponse) throws(SyncError) -> Step {
    var step = Step(records: answer.records)
    for key in answer.wanted {
      guard let key = RecordKey(storageKey: key) else {
        throw .badAnswer("it wants a record without a name")
      }
      step.wanted.append(key)
    }
    var narrowed: [Part] = []
    var index = 0
    var begin: [UInt8] = []
    for range in answer.ranges {
      defer { begin = range.end }
      guard let count = range.content.count else { continue }
      while index < asked, !parts[index].end.isEmpty,
        !begin.lexicographicallyPrecedes(parts[index].end)
      {
        index += 1
      }
      guard index < asked, let part = parts[index].cut(from: begin, to: range.end, of: held) else {
        throw .badAnswer("it compares what it was not asked about")
      }
      // The server may return smaller ranges, and some of those match.
      guard range.content != .fingerprint(fingerprint(part.items)) else { continue }
      // A page may end before the requested ranges do, but then the first of them must have
      // advanced.
      if index == 0, part.isItemized {
        let isFurther =
          part.begin != parts[0].begin
          && (part.items.count < parts[0].items.count || !answer.records.isEmpty)
        guard isFurther else { throw .badAnswer("the comparison does not move on") }
      }
      if count == 0 {
        step.wanted += held[part.items].compactMap { RecordKey(storageKey: $0.key) }
      } else if part.items.count <= smallRange || count <= smallRange {
        narrowed += itemized(part)
      } else {
        narrowed += cut(part)
      }
    }
    parts.replaceSubrange(0..<asked, with: narrowed)
    asked = 0
    return step
  }

  private func content(of part: Part) -> KeyRange.Content {
    if part.isItemized { return .items(Array(held[part.items])) }
    return .fingerprint(fingerprint(part.items))
  }

  private func fingerprint(_ items: Range<Int>) -> Fingerprint {
    Fingerprint(
      count: UInt64(items.count), sum: sums[items.upperBound] &- sums[items.lowerBound])
  }

  private func bytes(of part: Part) -> Int {
    held[part.items].reduce(0) { $0 + $1.key.count + 16 }
  }

  /// Splits a range into ranges with about equally many records.
  private func cut(_ part: Part) -> [Part] {
    let total = part.items.count
    // At least half the size at which records are compared one by one: smaller ranges cost more
    // than they save.
    let count = max(2, min(Reconciler.fanOut, total * 2 / Int(smallRange)))
    let starts = (0..<count).map { part.items.lowerBound + total * $0 / count }
    return pieces(part, starting: starts, isItemized: false)
  }

  /// The range as itemized ranges that fit a request.
  private func itemized(_ part: Part) -> [Part] {
    guard !part.items.isEmpty else {
      return pieces(part, starting: [part.items.lowerBound], isItemized: true)
    }
    return pieces(
      part,
      starting: Array(
        stride(from: part.items.lowerBound, to: part.items.upperBound, by: Reconciler.itemsPerPart)),
      isItemized: true)
  }

  /// - Parameter starts: Ascending; the first is the part's own. Only the first may be the index of
  ///   its first record.
  private func pieces(_ part: Part, starting starts: [Int], isItemized: Bool) -> [Part] {
    starts.indices.map { index in
      let isLast = index == starts.count - 1
      return Part(
        begin: index == 0 ? part.begin : separator(before: starts[index]),
        end: isLast ? part.end : separator(before: starts[index + 1]),
        items: starts[index]..<(isLast ? part.items.upperBound : starts[index + 1]),
        isItemized: isItemized)
    }
  }

  /// The shortest key after one record and not after the next. It is sent in every request.
  private func separator(before index: Int) -> [UInt8] {
    let (last, key) = (held[index - 1].key, held[index].key)
    let shared = zip(last, key).prefix { $0 == $1 }.count
    return Array(key.prefix(shared + 1))
  }
}

extension Reconciler.Part {
  /// The part between two keys; nil unless both lie within it.
  fileprivate func cut(
    from begin: [UInt8], to end: [UInt8], of held: [KeyRange.Item]
  ) -> Reconciler.Part? {
    if begin == self.begin, end == self.end { return self }
    guard !begin.lexicographicallyPrecedes(self.begin),
      self.end.isEmpty || (!end.isEmpty && !self.end.lexicographicallyPrecedes(end))
    else { return nil }
    let first = held[items].firstIndex { !$0.key.lexicographicallyPrecedes(begin) }
    let last = end.isEmpty ? nil : held[items].firstIndex { !$0.key.lexicographicallyPrecedes(end) }
    let upper = last ?? items.upperBound
    let lower = min(first ?? upper, upper)
    return Reconciler.Part(begin: begin, end: end, items: lower..<upper, isItemized: isItemized)
  }
}

extension KeyRange.Content {
  /// The number of records in the range; nil if it is settled.
  fileprivate var count: UInt64? {
    switch self {
    case .settled: nil
    case .fingerprint(let fingerprint): fingerprint.count
    case .items(let items): UInt64(items.count)
    }
  }
}
