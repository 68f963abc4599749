// SPDX-License-Identifier: Apache-2.0
// A key range in a comparison, and the rules of a list of them.

import AtrestReplication

/// A key range and one side's contents. Starts where the previous range ends.
public struct KeyRange: Hashable, Sendable {
  /// How to compare a range.
  public enum Content: Hashable, Sendable {
    /// Nothing: the range is settled.
    case settled
    /// Count and sum.
    case fingerprint(Fingerprint)
    /// Every record in the range, ascending by key.
    case items([Item])
  }

  /// One record in a comparison.
  public struct Item: Hashable, Sendable {
    /// The record's key; see `RecordKey.storageKey`.
    public var key: [UInt8]
    /// The record's hash; see `Fingerprint.hash(ofRecord:)`.
    public var hash: UInt64

    /// Creates an item from its fields.
    public init(key: [UInt8], hash: UInt64) {
      self.key = key
      self.hash = hash
    }
  }

  /// The exclusive end of the range; empty means the end of the key space.
  public var end: [UInt8]
  /// How to compare the range.
  public var content: Content

  /// Creates a range from its fields.
  public init(end: [UInt8], content: Content) {
    self.end = end
    self.content = content
  }

  /// Maximum ranges per message.
  public static let limit = Limit.ranges
  /// Maximum items per message.
  public static let itemLimit = Limit.items
  /// Ranges with at most this many records on both sides are compared item by item.
  public static let smallCount = UInt64(Limit.smallRange)
}

/// A list of ranges while it is decoded: each begins where the previous one ended, and the keys of
/// their items ascend. Both codecs append to it.
package struct AdjacentRanges {
  /// The ranges so far.
  package private(set) var ranges: [KeyRange] = []
  private var begin: [UInt8] = []
  private var itemCount = 0

  /// Maximum bytes of a key: a journal entry's ID and its kind.
  private static let keyLimitBytes = Limit.conflictIDBytes + 4

  package init() {}

  /// Counts the items of the next range, before they are copied.
  package mutating func expect(items: Int) throws(WireError) {
    itemCount += items
    guard itemCount <= Limit.items else { throw .invalid("more than 4000 items") }
  }

  /// Appends a range as it was sent.
  ///
  /// - Parameters:
  ///   - mode: The number of the comparison's kind.
  ///   - items: What `expect(items:)` counted.
  package mutating func append(
    end: [UInt8], mode: UInt32, fingerprint: Fingerprint, items: [KeyRange.Item]
  ) throws(WireError) {
    guard ranges.count < Limit.ranges else { throw .invalid("more than 1000 ranges") }
    guard ranges.last?.end != [] else { throw .invalid("a range begins after the end") }
    guard end.count <= Self.keyLimitBytes, end.isEmpty || begin.lexicographicallyPrecedes(end)
    else { throw .invalid("ranges are not ascending") }
    switch mode {
    case KeyRange.Mode.settled: ranges.append(KeyRange(end: end, content: .settled))
    case KeyRange.Mode.fingerprint:
      ranges.append(KeyRange(end: end, content: .fingerprint(fingerprint)))
    case KeyRange.Mode.items:
      try check(items, before: end)
      ranges.append(KeyRange(end: end, content: .items(items)))
    default: throw .invalid("a range is compared in an unknown way")
    }
    begin = end
  }

  private func check(_ items: [KeyRange.Item], before end: [UInt8]) throws(WireError) {
    var last: [UInt8]?
    for item in items {
      let key = item.key
      let isAscending = last.map { $0.lexicographicallyPrecedes(key) } ?? true
      guard isAscending, !key.lexicographicallyPrecedes(begin),
        end.isEmpty || key.lexicographicallyPrecedes(end), key.count <= Self.keyLimitBytes
      else { throw .invalid("items are not ascending, or outside their range") }
      last = key
    }
  }
}

extension AdjacentRanges {
  /// Decodes the next range and appends it.
  mutating func append(_ bytes: Slice) throws(WireError) {
    var (end, mode) = (Slice.none, 0 as UInt32)
    var fingerprint = Fingerprint()
    var items: [KeyRange.Item] = []
    var fields = WireReader(bytes)
    while let field = try fields.next() {
      switch Fields.Range(rawValue: field.number) {
      case .end: end = try field.content()
      case .mode: mode = try field.uint32()
      case .count: fingerprint.count = try field.uint64()
      case .fingerprint: fingerprint.sum = try field.fixed64()
      case .items:
        try expect(items: 1)
        items.append(try KeyRange.Item(field.content()))
      case nil: break
      }
    }
    try append(end: [UInt8](end), mode: mode, fingerprint: fingerprint, items: items)
  }
}

extension KeyRange: FieldWriting {
  /// The numbers of `Range.Mode`.
  package enum Mode {
    package static let settled: UInt32 = 0
    package static let fingerprint: UInt32 = 1
    package static let items: UInt32 = 2
  }

  func write(to sink: inout some FieldSink) {
    sink.bytes(Fields.Range.end, end)
    switch content {
    case .settled: sink.enumeration(Fields.Range.mode, Mode.settled)
    case .fingerprint(let fingerprint):
      sink.enumeration(Fields.Range.mode, Mode.fingerprint)
      sink.number(Fields.Range.count, fingerprint.count)
      sink.fixed64(Fields.Range.fingerprint, fingerprint.sum)
    case .items(let items):
      sink.enumeration(Fields.Range.mode, Mode.items)
      sink.messages(Fields.Range.items, items)
    }
  }
}

extension KeyRange.Item: FieldWriting {
  init(_ bytes: Slice) throws(WireError) {
    var (key, hash) = (Slice.none, 0 as UInt64)
    var fields = WireReader(bytes)
    while let field = try fields.next() {
      switch Fields.Item(rawValue: field.number) {
      case .key: key = try field.content()
      case .fingerprint: hash = try field.fixed64()
      case nil: break
      }
    }
    self.init(key: [UInt8](key), hash: hash)
  }

  func write(to sink: inout some FieldSink) {
    sink.bytes(Fields.Item.key, key)
    sink.fixed64(Fields.Item.fingerprint, hash)
  }
}
