// SPDX-License-Identifier: Apache-2.0
// The messages of Sync.Watch.

import AtrestReplication

/// Requests a stream of new commits.
public struct WatchRequest: WireMessage, FieldWriting {
  /// The replica's position; nil before the first exchange.
  public var cursor: Cursor?

  /// Creates a request from its fields.
  public init(cursor: Cursor?) {
    self.cursor = cursor
  }

  /// Decodes a protobuf-encoded request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try decode(bytes) { fields throws(WireError) in
      var request = WatchRequest(cursor: nil)
      while let field = try fields.next() {
        switch Fields.WatchRequest(rawValue: field.number) {
        case .cursor: request.cursor = try Cursor(field.content())
        case nil: break
        }
      }
      return request
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.message(Fields.WatchRequest.cursor, cursor)
  }
}

/// New records, or a heartbeat without records.
public struct WatchResponse: WireMessage, FieldWriting {
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
    self = try decode(bytes) { fields throws(WireError) in
      var after: Cursor?
      var records: [[UInt8]] = []
      var cursor: Cursor?
      var serverTime: Int64 = 0
      while let field = try fields.next() {
        switch Fields.WatchResponse(rawValue: field.number) {
        case .after: after = try Cursor(field.content())
        case .records: records.append([UInt8](try field.content()))
        case .cursor: cursor = try Cursor(field.content())
        case .serverTimeMs: serverTime = try field.int64()
        case nil: break
        }
      }
      return try WatchResponse(
        after: after, records: records, cursor: cursor,
        serverTime: WallTime(milliseconds: serverTime))
    }
  }

  /// Creates an event from its fields as sent.
  package init(
    after: Cursor?, records: [[UInt8]], cursor: Cursor?, serverTime: WallTime
  ) throws(WireError) {
    guard let after, let cursor else { throw .invalid("an event has no cursor") }
    guard records.count <= Limit.pageRecords else {
      throw .invalid("an event has more than 1000 records")
    }
    self.init(after: after, records: records, cursor: cursor, serverTime: serverTime)
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.message(Fields.WatchResponse.after, after)
    sink.elements(Fields.WatchResponse.records, records)
    sink.message(Fields.WatchResponse.cursor, cursor)
    sink.number(Fields.WatchResponse.serverTimeMs, serverTime.milliseconds)
  }
}
