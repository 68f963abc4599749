// SPDX-License-Identifier: Apache-2.0
// Account events, and the pages in which devices and the server's owner read them.

import AtrestDomain
import AtrestReplication

extension AccountEvent: FieldWriting {
  init(_ bytes: Slice) throws(WireError) {
    self.init(number: 0, at: WallTime(milliseconds: 0), kind: Kind(rawValue: 0), count: 0)
    var fields = WireReader(bytes)
    while let field = try fields.next() {
      switch Fields.Event(rawValue: field.number) {
      case .number: number = try field.uint64()
      case .atMs: at = WallTime(milliseconds: try field.int64())
      case .kind: kind = Kind(rawValue: Int(truncatingIfNeeded: try field.uint32()))
      case .actor: actor = ReplicaID(rawValue: try field.fixed64())
      case .subject: subject = ReplicaID(rawValue: try field.fixed64())
      case .detail: detail = try field.int64()
      case .count: count = try field.uint32()
      case nil: break
      }
    }
    try check()
  }

  /// Checks that the event has a number and stands for something.
  package func check() throws(WireError) {
    guard number != 0, count != 0 else {
      throw .invalid("an event has no number or stands for none")
    }
  }

  func write(to sink: inout some FieldSink) {
    sink.number(Fields.Event.number, number)
    sink.number(Fields.Event.atMs, at.milliseconds)
    sink.enumeration(Fields.Event.kind, UInt32(truncatingIfNeeded: kind.rawValue))
    sink.fixed64(Fields.Event.actor, actor.rawValue)
    sink.fixed64(Fields.Event.subject, subject.rawValue)
    sink.number(Fields.Event.detail, detail)
    sink.number(Fields.Event.count, count)
  }
}

/// Limits of a page of events.
public enum EventPage {
  /// Maximum events per page.
  public static let limit = UInt32(Limit.events)
  /// Events per page by default.
  public static let usual = UInt32(Limit.eventsDefault)

  /// The number of events that a request means, whose zero means the usual number.
  package static func checked(_ size: UInt32) throws(WireError) -> UInt32 {
    guard size <= limit else { throw .invalid("more than 500 events") }
    return size == 0 ? usual : size
  }
}

/// Requests a page of the caller's account events.
public struct EventsRequest: WireMessage, FieldWriting {
  /// Maximum events to return, 1 to 500.
  public var pageSize: UInt32
  /// `EventsResponse.nextPageToken` of the page before; empty starts at the newest.
  public var pageToken: String

  /// Creates a request from its fields.
  public init(pageSize: UInt32 = EventPage.usual, pageToken: String = "") {
    self.pageSize = pageSize
    self.pageToken = pageToken
  }

  /// Decodes a protobuf-encoded request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try decode(bytes) { fields throws(WireError) in
      var (size, token) = (0 as UInt32, nil as Slice?)
      while let field = try fields.next() {
        switch Fields.EventsRequest(rawValue: field.number) {
        case .pageSize: size = try field.uint32()
        case .pageToken: token = try field.content()
        case nil: break
        }
      }
      return EventsRequest(
        pageSize: try EventPage.checked(size),
        pageToken: try String(token, limitBytes: Limit.pageTokenBytes))
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.number(Fields.EventsRequest.pageSize, pageSize)
    sink.text(Fields.EventsRequest.pageToken, pageToken)
  }
}

/// A page of the caller's account events.
public struct EventsResponse: WireMessage, FieldWriting {
  /// Newest first.
  public var events: [AccountEvent]
  /// Asks for older events as `EventsRequest.pageToken`; empty if there are none.
  public var nextPageToken: String

  /// Creates a response from its fields.
  public init(events: [AccountEvent], nextPageToken: String = "") {
    self.events = events
    self.nextPageToken = nextPageToken
  }

  /// Decodes a protobuf-encoded response.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try decode(bytes) { fields throws(WireError) in
      var response = EventsResponse(events: [])
      var token: Slice?
      while let field = try fields.next() {
        switch Fields.EventsResponse(rawValue: field.number) {
        case .events: response.events.append(try AccountEvent(field.content()))
        case .nextPageToken: token = try field.content()
        case nil: break
        }
      }
      response.nextPageToken = try String(token, limitBytes: Limit.pageTokenBytes)
      return response
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.messages(Fields.EventsResponse.events, events)
    sink.text(Fields.EventsResponse.nextPageToken, nextPageToken)
  }
}
