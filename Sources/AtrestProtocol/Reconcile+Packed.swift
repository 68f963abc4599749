// SPDX-License-Identifier: Apache-2.0
// Packs the messages of Sync.Reconcile.

import AtrestReplication
import AtrestWire
import CAtrestProtobufC
import CAtrestProtos

extension ReconcileRequest: PackedMessage {
  /// Unpacks a request. Throws if its ranges and items do not ascend.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__reconcile_request__unpack) {
      message throws(WireError) in
      ReconcileRequest(
        ranges: try KeyRange.list(message.ranges, message.n_ranges),
        cursor: message.last_known_head.map { Cursor($0.pointee) })
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(
      atrest__sync__v1__reconcile_request__init, expectedBytes: KeyRange.arenaBytes(ranges)
    ) { message, arena in
      message.n_ranges = ranges.count
      message.ranges = arena.array(ranges) { arena.range($0) }
      message.last_known_head = cursor.map { arena.cursor($0) }
    }
  }
}

extension ReconcileResponse: PackedMessage {
  /// Unpacks a response. Its records stay encoded.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__internal__v1__reconcile_response_page__unpack) {
      message throws(WireError) in
      let response = ReconcileResponse(
        ranges: try KeyRange.list(message.ranges, message.n_ranges),
        records: encodedElements(message.records, message.n_records),
        wanted: encodedElements(message.wanted_keys, message.n_wanted_keys),
        serverTime: WallTime(milliseconds: message.server_time_ms),
        restarted: message.restarted != 0)
      try response.checkCounts()
      return response
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(
      atrest__internal__v1__reconcile_response_page__init,
      expectedBytes: KeyRange.arenaBytes(ranges) + Page.arenaBytes(records)
        + Page.arenaBytes(wanted)
    ) { message, arena in
      message.n_ranges = ranges.count
      message.ranges = arena.array(ranges) { arena.range($0) }
      message.n_records = records.count
      message.records = arena.array(records) { arena.bytes($0) }
      message.n_wanted_keys = wanted.count
      message.wanted_keys = arena.array(wanted) { arena.bytes($0) }
      message.server_time_ms = serverTime.milliseconds
      message.restarted = restarted ? 1 : 0
    }
  }
}

extension KeyRange {
  fileprivate static func arenaBytes(_ ranges: [KeyRange]) -> Int {
    ranges.reduce(512) { bytes, range in
      guard case .items(let items) = range.content else { return bytes + 256 }
      return bytes + 256 + items.count * 256
    }
  }

  fileprivate static func list(
    _ array: UnsafeMutablePointer<UnsafeMutablePointer<Atrest__Sync__V1__Range>?>?, _ count: Int
  ) throws(WireError) -> [KeyRange] {
    var ranges = AdjacentRanges()
    for message in elements(array, count) {
      try ranges.expect(items: message.n_items)
      try ranges.append(
        end: [UInt8](message.end), mode: UInt32(message.mode.rawValue),
        fingerprint: Fingerprint(count: message.count, sum: message.fingerprint),
        items: elements(message.items, message.n_items).map {
          KeyRange.Item(key: [UInt8]($0.key), hash: $0.fingerprint)
        })
    }
    return ranges.ranges
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
