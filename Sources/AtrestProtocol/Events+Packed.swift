// SPDX-License-Identifier: Apache-2.0
// Packs the pages in which devices read the events of their account.

import AtrestDomain
import AtrestReplication
import AtrestWire
import CAtrestProtos

extension EventsRequest: PackedMessage {
  /// Unpacks a protobuf-encoded request.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__events_request__unpack) {
      message throws(WireError) in
      EventsRequest(
        pageSize: try EventPage.checked(message.page_size),
        pageToken: try text(message.page_token, limitBytes: Limit.pageTokenBytes))
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__sync__v1__events_request__init) { message, arena in
      message.page_size = pageSize
      message.page_token = arena.text(pageToken)
    }
  }
}

extension EventsResponse: PackedMessage {
  /// Unpacks a protobuf-encoded response.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__events_response__unpack) {
      message throws(WireError) in
      var events: [AccountEvent] = []
      for event in elements(message.events, message.n_events) {
        events.append(try AccountEvent(event))
      }
      return EventsResponse(
        events: events,
        nextPageToken: try text(message.next_page_token, limitBytes: Limit.pageTokenBytes))
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(
      atrest__sync__v1__events_response__init, expectedBytes: events.count * 128 + 512
    ) { message, arena in
      message.n_events = events.count
      message.events = arena.array(events) { arena.event($0) }
      message.next_page_token = arena.text(nextPageToken)
    }
  }
}

extension AccountEvent {
  init(_ message: Atrest__Sync__V1__Event) throws(WireError) {
    self.init(
      number: message.number, at: WallTime(milliseconds: message.at_ms),
      kind: Kind(rawValue: Int(message.kind.rawValue)),
      actor: ReplicaID(rawValue: message.actor), subject: ReplicaID(rawValue: message.subject),
      detail: message.detail, count: message.count)
    try check()
  }
}

extension Arena {
  func event(_ event: AccountEvent) -> UnsafeMutablePointer<Atrest__Sync__V1__Event>? {
    let message = make(atrest__sync__v1__event__init)
    message.pointee.number = event.number
    message.pointee.at_ms = event.at.milliseconds
    message.pointee.kind = Atrest__Sync__V1__Event__Kind(
      rawValue: .init(truncatingIfNeeded: event.kind.rawValue))
    message.pointee.actor = event.actor.rawValue
    message.pointee.subject = event.subject.rawValue
    message.pointee.detail = event.detail
    message.pointee.count = event.count
    return message
  }
}
