// SPDX-License-Identifier: Apache-2.0
// Packs the messages of Sync.Watch.

import AtrestReplication
import AtrestWire
import CAtrestProtos

extension WatchRequest: PackedMessage {
  /// Unpacks a protobuf-encoded request.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__watch_request__unpack) { message in
      WatchRequest(cursor: message.cursor.map { Cursor($0.pointee) })
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__sync__v1__watch_request__init) { message, arena in
      message.cursor = cursor.map { arena.cursor($0) }
    }
  }
}

extension WatchResponse: PackedMessage {
  /// Unpacks an event. Its records stay encoded.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__internal__v1__watch_response_page__unpack) {
      message throws(WireError) in
      try WatchResponse(
        after: message.after.map { Cursor($0.pointee) },
        records: encodedElements(message.records, message.n_records),
        cursor: message.cursor.map { Cursor($0.pointee) },
        serverTime: WallTime(milliseconds: message.server_time_ms))
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(
      atrest__internal__v1__watch_response_page__init, expectedBytes: Page.arenaBytes(records)
    ) { message, arena in
      message.after = arena.cursor(after)
      message.n_records = records.count
      message.records = arena.array(records) { arena.bytes($0) }
      message.cursor = arena.cursor(cursor)
      message.server_time_ms = serverTime.milliseconds
    }
  }
}
