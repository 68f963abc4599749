// SPDX-License-Identifier: Apache-2.0
// Sync.Reconcile: range-based set reconciliation over adjacent key ranges.

import AtrestReplication
import CAtrestProtobufC
import CAtrestProtos

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
  public static let limit = 1000
  /// Maximum items per message.
  public static let itemLimit = 4000
  /// Ranges with at most this many records on both sides are compared item by item.
  public static let smallCount: UInt64 = 32
}

/// A replica's contents, to compare with the account's.
public struct ReconcileRequest: WireMessage {
  /// Adjacent and ascending, from the first possible key.
  public var ranges: [KeyRange]
  /// The account's head in the latest response; nil if this response will not be stored.
  public var lastKnownHead: Cursor?

  /// Creates a request from its fields.
  public init(ranges: [KeyRange], lastKnownHead: Cursor? = nil) {
    self.ranges = ranges
    self.lastKnownHead = lastKnownHead
  }

  /// Decodes a request. Throws if its ranges and items do not ascend.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__reconcile_request__unpack) {
      message throws(WireError) in
      ReconcileRequest(
        ranges: try KeyRange.list(message.ranges, message.n_ranges),
        lastKnownHead: message.last_known_head.map { Cursor($0.pointee) })
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] {
    packing(
      atrest__sync__v1__reconcile_request__init, expectedBytes: KeyRange.arenaBytes(ranges)
    ) { message, arena in
      message.n_ranges = ranges.count
      message.ranges = arena.array(ranges) { arena.range($0) }
      message.last_known_head = lastKnownHead.map { arena.cursor($0) }
    }
  }
}

/// The differences between replica and account.
public struct ReconcileResponse: WireMessage {
  /// The account's contents of differing ranges; the others are settled.
  public var ranges: [KeyRange]
  /// Encoded `Record`s that the replica lacks or has in another version.
  public var records: [[UInt8]]
  /// Keys of records that the account lacks or has in another version.
  public var wanted: [[UInt8]]
  /// The server's clock.
  public var serverTime: WallTime
  /// Whether the server does not know `lastKnownHead`. All other fields are then empty.
  public var restarted: Bool

  /// Creates a response from its fields.
  public init(
    ranges: [KeyRange], records: [[UInt8]] = [], wanted: [[UInt8]] = [], serverTime: WallTime,
    restarted: Bool = false
  ) {
    self.restarted = restarted
    self.ranges = ranges
    self.records = records
    self.wanted = wanted
    self.serverTime = serverTime
  }

  /// Decodes a response. Its records stay encoded.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__internal__v1__reconcile_response_page__unpack) {
      message throws(WireError) in
      guard message.n_records <= Page.records, message.n_wanted <= KeyRange.itemLimit else {
        throw .invalid("a response has too many entries")
      }
      return ReconcileResponse(
        ranges: try KeyRange.list(message.ranges, message.n_ranges),
        records: encodedElements(message.records, message.n_records),
        wanted: encodedElements(message.wanted, message.n_wanted),
        serverTime: WallTime(milliseconds: message.server_time_ms),
        restarted: message.restarted != 0)
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] {
    packing(
      atrest__internal__v1__reconcile_response_page__init,
      expectedBytes: KeyRange.arenaBytes(ranges) + Page.arenaBytes(records)
        + Page.arenaBytes(wanted)
    ) { message, arena in
      message.n_ranges = ranges.count
      message.ranges = arena.array(ranges) { arena.range($0) }
      message.n_records = records.count
      message.records = arena.array(records) { arena.bytes($0) }
      message.n_wanted = wanted.count
      message.wanted = arena.array(wanted) { arena.bytes($0) }
      message.server_time_ms = serverTime.milliseconds
      message.restarted = restarted ? 1 : 0
    }
  }
}

extension KeyRange {
  /// Maximum bytes of a key: a journal entry's ID and its kind.
  private static let keyLimitBytes = Record.Limits.idBytes + 32 + 4

  fileprivate static func arenaBytes(_ ranges: [KeyRange]) -> Int {
    ranges.reduce(512) { bytes, range in
      guard case .items(let items) = range.content else { return bytes + 256 }
      return bytes + 256 + items.count * 256
    }
  }

  fileprivate static func list(
    _ array: UnsafeMutablePointer<UnsafeMutablePointer<Atrest__Sync__V1__Range>?>?, _ count: Int
  ) throws(WireError) -> [KeyRange] {
    guard count <= limit else { throw .invalid("more than 1000 ranges") }
    var ranges: [KeyRange] = []
    var begin: [UInt8] = []
    var itemCount = 0
    for message in elements(array, count) {
      guard ranges.last?.end != [] else { throw .invalid("a range begins after the end") }
      let end = [UInt8](message.end)
      guard end.count <= keyLimitBytes, end.isEmpty || begin.lexicographicallyPrecedes(end) else {
        throw .invalid("ranges are not ascending")
      }
      itemCount += message.n_items
      guard itemCount <= itemLimit else { throw .invalid("more than 4000 items") }
      ranges.append(
        KeyRange(end: end, content: try content(of: message, from: begin, to: end)))
      begin = end
    }
    return ranges
  }

  private static func content(
    of message: Atrest__Sync__V1__Range, from begin: [UInt8], to end: [UInt8]
  ) throws(WireError) -> Content {
    switch message.mode {
    case ATREST__SYNC__V1__RANGE__MODE__MODE_SETTLED: return .settled
    case ATREST__SYNC__V1__RANGE__MODE__MODE_FINGERPRINT:
      return .fingerprint(Fingerprint(count: message.count, sum: message.fingerprint))
    case ATREST__SYNC__V1__RANGE__MODE__MODE_ITEMS:
      var items: [Item] = []
      for item in elements(message.items, message.n_items) {
        let key = [UInt8](item.key)
        let isAscending = items.last.map { $0.key.lexicographicallyPrecedes(key) } ?? true
        guard isAscending, !key.lexicographicallyPrecedes(begin),
          end.isEmpty || key.lexicographicallyPrecedes(end), key.count <= keyLimitBytes
        else { throw .invalid("items are not ascending, or outside their range") }
        items.append(Item(key: key, hash: item.fingerprint))
      }
      return .items(items)
    default: throw .invalid("a range is compared in an unknown way")
    }
  }
}

extension Arena {
  fileprivate func range(_ range: KeyRange) -> UnsafeMutablePointer<Atrest__Sync__V1__Range>? {
    let message = make(atrest__sync__v1__range__init)
    message.pointee.end = bytes(range.end)
    switch range.content {
    case .settled: message.pointee.mode = ATREST__SYNC__V1__RANGE__MODE__MODE_SETTLED
    case .fingerprint(let fingerprint):
      message.pointee.mode = ATREST__SYNC__V1__RANGE__MODE__MODE_FINGERPRINT
      message.pointee.count = fingerprint.count
      message.pointee.fingerprint = fingerprint.sum
    case .items(let items):
      message.pointee.mode = ATREST__SYNC__V1__RANGE__MODE__MODE_ITEMS
      message.pointee.n_items = items.count
      message.pointee.items = array(items) {
        item -> UnsafeMutablePointer<Atrest__Sync__V1__Item>? in
        let message = make(atrest__sync__v1__item__init)
        message.pointee.key = bytes(item.key)
        message.pointee.fingerprint = item.hash
        return message
      }
    }
    return message
  }
}
