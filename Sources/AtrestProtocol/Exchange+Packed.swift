// SPDX-License-Identifier: Apache-2.0
// Packs Sync.Exchange. Records stay encoded: stores keep them so, and most pages are never decoded.

import AtrestReplication
import AtrestWire
import CAtrestProtobufC
import CAtrestProtos

extension ExchangeRequest: PackedMessage {
  /// Unpacks a request. Its offers stay encoded.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__internal__v1__exchange_request_page__unpack) {
      message throws(WireError) in
      var request = ExchangeRequest(
        cursor: message.cursor.map { Cursor($0.pointee) },
        lastKnownHead: message.last_known_head.map { Cursor($0.pointee) },
        offers: encodedElements(message.offers, message.n_offers),
        allowsMassDeletion: message.allow_mass_deletion != 0, isPeek: message.peek != 0,
        deviceTime: WallTime(nonZero: message.device_time_ms))
      try request.checkOffers()
      request.segment = try message.segment.map { segment throws(WireError) in
        try OutboxSegment(segment.pointee, offers: message.n_offers)
      }
      return request
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(
      atrest__internal__v1__exchange_request_page__init, expectedBytes: Page.arenaBytes(offers)
    ) { message, arena in
      message.cursor = cursor.map { arena.cursor($0) }
      message.last_known_head = lastKnownHead.map { arena.cursor($0) }
      message.n_offers = offers.count
      message.offers = arena.array(offers) { arena.bytes($0) }
      message.segment = segment.map { arena.segment($0) }
      message.allow_mass_deletion = allowsMassDeletion ? 1 : 0
      message.peek = isPeek ? 1 : 0
      message.device_time_ms = deviceTime?.milliseconds ?? 0
    }
  }
}

extension ExchangeResponse: PackedMessage {
  /// Unpacks a response. Its records stay encoded.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__internal__v1__exchange_response_page__unpack) {
      message throws(WireError) in
      var response = ExchangeResponse(
        superseded: Array(
          UnsafeBufferPointer(
            start: message.superseded_offers,
            count: message.superseded_offers == nil ? 0 : message.n_superseded_offers)),
        records: encodedElements(message.records, message.n_records), cursor: .start,
        more: message.more != 0, restarted: message.restarted != 0,
        serverTime: WallTime(milliseconds: message.server_time_ms),
        takenThrough: message.taken_through.map { OutboxPosition($0.pointee) },
        isClockDoubtful: message.clock_doubtful != 0)
      for refusal in elements(message.refusals, message.n_refusals) {
        response.refusals.append(try Refusal(refusal))
      }
      try response.check(
        cursor: message.cursor.map { Cursor($0.pointee) },
        head: message.head.map { Cursor($0.pointee) })
      return response
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(
      atrest__internal__v1__exchange_response_page__init,
      expectedBytes: Page.arenaBytes(records) + refusals.count * 256
    ) { message, arena in
      message.n_refusals = refusals.count
      message.refusals = arena.array(refusals) { arena.refusal($0) }
      message.n_superseded_offers = superseded.count
      message.superseded_offers = arena.array(superseded) { $0 }
      message.n_records = records.count
      message.records = arena.array(records) { arena.bytes($0) }
      message.cursor = arena.cursor(cursor)
      message.more = more ? 1 : 0
      message.restarted = restarted ? 1 : 0
      message.server_time_ms = serverTime.milliseconds
      message.head = head == cursor ? nil : arena.cursor(head)
      message.taken_through = takenThrough.map { arena.position($0) }
      message.clock_doubtful = isClockDoubtful ? 1 : 0
    }
  }
}

extension Refusal {
  init(_ message: Atrest__Sync__V1__Refusal) throws(WireError) {
    self.init(
      index: Int(message.index), reason: Reason(rawValue: Int(message.reason.rawValue)),
      message: try text(message.message, limitBytes: Limit.sentenceBytes))
  }
}

extension Arena {
  fileprivate func refusal(_ refusal: Refusal) -> UnsafeMutablePointer<Atrest__Sync__V1__Refusal>? {
    let message = make(atrest__sync__v1__refusal__init)
    message.pointee.index = UInt32(clamping: refusal.index)
    message.pointee.reason = Atrest__Sync__V1__Refusal__Reason(
      rawValue: .init(truncatingIfNeeded: refusal.reason.rawValue))
    message.pointee.message = text(refusal.message)
    return message
  }
}

extension Page {
  /// Estimates the memory for encoding these items, in bytes.
  static func arenaBytes(_ items: [[UInt8]]) -> Int {
    items.reduce(512) { $0 + $1.count + 48 }
  }
}

/// Copies the encoded messages of a C array.
func encodedElements(_ array: UnsafeMutablePointer<ProtobufCBinaryData>?, _ count: Int) -> [[UInt8]]
{
  UnsafeBufferPointer(start: array, count: array == nil ? 0 : count).map { [UInt8]($0) }
}
