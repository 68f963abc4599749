// SPDX-License-Identifier: Apache-2.0
// The messages of Sync.Watch.

import AtrestReplication
import CAtrestProtos

/// Requests a stream of new commits.
public struct WatchRequest: WireMessage {
  /// The replica's position; nil before the first exchange.
  public var cursor: Cursor?

  /// Creates a request from its fields.
  public init(cursor: Cursor?) {
    self.cursor = cursor
  }

  /// Decodes a protobuf-encoded request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__watch_request__unpack) { message in
      WatchRequest(cursor: message.cursor.map { Cursor($0.pointee) })
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__watch_request__init) { message, arena in
      message.cursor = cursor.map { arena.cursor($0) }
    }
  }
}

/// New records, or a heartbeat without records.
public struct WatchEvent: WireMessage {
  /// The cursor required to store the records as they are; at any other, call Exchange.
  public var after: Cursor
  /// Encoded `Record`s in commit order.
  public var records: [[UInt8]]
  /// The replica's cursor after storing them.
  public var cursor: Cursor
  /// The server's clock.
  public var serverTime: WallTime

  /// Creates an event from its fields.
  public init(after: Cursor, records: [[UInt8]], cursor: Cursor, serverTime: WallTime) {
    self.after = after
    self.records = records
    self.cursor = cursor
    self.serverTime = serverTime
  }

  /// Decodes an event. Its records stay encoded.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__internal__v1__watch_event_page__unpack) {
      message throws(WireError) in
      guard let after = message.after, let cursor = message.cursor else {
        throw .invalid("an event has no cursor")
      }
      guard message.n_records <= Page.records else {
        throw .invalid("an event has more than 1000 records")
      }
      return WatchEvent(
        after: Cursor(after.pointee), records: encodedElements(message.records, message.n_records),
        cursor: Cursor(cursor.pointee), serverTime: WallTime(milliseconds: message.server_time_ms))
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] {
    packing(
      atrest__internal__v1__watch_event_page__init, expectedBytes: Page.arenaBytes(records)
    ) { message, arena in
      message.after = arena.cursor(after)
      message.n_records = records.count
      message.records = arena.array(records) { arena.bytes($0) }
      message.cursor = arena.cursor(cursor)
      message.server_time_ms = serverTime.milliseconds
    }
  }
}
