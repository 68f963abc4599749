// SPDX-License-Identifier: Apache-2.0
// Sync.Exchange. Records stay encoded: stores keep them so, and most pages are never decoded.

import AtrestReplication
import CAtrestProtobufC
import CAtrestProtos

/// A replica's offers and its position.
public struct ExchangeRequest: WireMessage {
  /// The replica's position; nil the first time.
  public var cursor: Cursor?
  /// Encoded `Offer`s, at most `Page.records`.
  public var offers: [[UInt8]]
  /// The head in the latest response; nil means `cursor`.
  public var lastKnownHead: Cursor?
  /// Where the offers are in the replica's outbox; nil for a replica that cannot be copied.
  public var segment: OutboxSegment?
  /// Whether the user confirmed the deletion of most records.
  public var allowsMassDeletion: Bool
  /// Whether the response will not be stored: the cursor then only says where to read on.
  public var isPeek: Bool
  /// The device's clock, right or wrong; nil if not reported.
  public var deviceTime: WallTime?

  /// Creates a request from its fields.
  public init(
    cursor: Cursor?, offers: [[UInt8]] = [], lastKnownHead: Cursor? = nil,
    segment: OutboxSegment? = nil, allowsMassDeletion: Bool = false, isPeek: Bool = false,
    deviceTime: WallTime? = nil
  ) {
    self.cursor = cursor
    self.offers = offers
    // An absent value means the cursor.
    self.lastKnownHead = lastKnownHead == cursor ? nil : lastKnownHead
    self.segment = segment
    self.allowsMassDeletion = allowsMassDeletion
    self.isPeek = isPeek
    self.deviceTime = deviceTime
  }

  /// Decodes a request. Its offers stay encoded.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__internal__v1__exchange_request_page__unpack) {
      message throws(WireError) in
      guard message.n_offers <= Page.records else { throw .invalid("more than 1000 offers") }
      return ExchangeRequest(
        cursor: message.cursor.map { Cursor($0.pointee) },
        offers: encodedElements(message.offers, message.n_offers),
        lastKnownHead: message.last_known_head.map { Cursor($0.pointee) },
        segment: try message.segment.map { segment throws(WireError) in
          try OutboxSegment(segment.pointee, count: message.n_offers)
        },
        allowsMassDeletion: message.allow_mass_deletion != 0, isPeek: message.peek != 0,
        deviceTime: message.device_time_ms == 0
          ? nil : WallTime(milliseconds: message.device_time_ms))
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] {
    packing(
      atrest__internal__v1__exchange_request_page__init, expectedBytes: Page.arenaBytes(offers)
    ) { message, arena in
      message.cursor = cursor.map { arena.cursor($0) }
      message.n_offers = offers.count
      message.offers = arena.array(offers) { arena.bytes($0) }
      message.last_known_head = lastKnownHead.map { arena.cursor($0) }
      message.segment = segment.map { arena.segment($0) }
      message.allow_mass_deletion = allowsMassDeletion ? 1 : 0
      message.peek = isPeek ? 1 : 0
      message.device_time_ms = deviceTime?.milliseconds ?? 0
    }
  }
}

/// What the server accepted, and the changes new to the replica.
public struct ExchangeResponse: WireMessage {
  /// Rejected offers. All others up to `takenThrough` are durable.
  public var refusals: [Refusal]
  /// Indices of offers that lost at least one register to a newer write or were lifted to the prune
  /// floor.
  public var superseded: [UInt32]
  /// Encoded `Record`s in commit order.
  public var records: [[UInt8]]
  /// The replica's position once it has stored this response.
  public var cursor: Cursor
  /// Whether there are more records after `cursor`.
  public var more: Bool
  /// Whether the server does not know the replica's positions. The feed then restarts, and the
  /// replica should offer all its records.
  public var restarted: Bool
  /// The server's clock.
  public var serverTime: WallTime
  /// The account's latest commit.
  public var head: Cursor
  /// How far the server has processed the replica's outbox; nil if the request had no segment.
  public var takenThrough: OutboxPosition?
  /// Whether the server suspects that its clock is wrong.
  public var isClockDoubtful: Bool

  /// Creates a response from its fields. `head` defaults to `cursor`.
  public init(
    refusals: [Refusal] = [], superseded: [UInt32] = [], records: [[UInt8]] = [], cursor: Cursor,
    more: Bool = false, restarted: Bool = false, serverTime: WallTime, head: Cursor? = nil,
    takenThrough: OutboxPosition? = nil, isClockDoubtful: Bool = false
  ) {
    self.refusals = refusals
    self.superseded = superseded
    self.records = records
    self.cursor = cursor
    self.more = more
    self.restarted = restarted
    self.serverTime = serverTime
    self.head = head ?? cursor
    self.takenThrough = takenThrough
    self.isClockDoubtful = isClockDoubtful
  }

  /// Decodes a response. Its records stay encoded.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__internal__v1__exchange_response_page__unpack) {
      message throws(WireError) in
      guard let cursor = message.cursor else { throw .invalid("a response has no cursor") }
      guard message.n_refusals <= Page.records, message.n_superseded <= Page.records,
        message.n_records <= Page.records
      else { throw .invalid("a response has more than 1000 entries") }
      var refusals: [Refusal] = []
      for refusal in elements(message.refusals, message.n_refusals) {
        refusals.append(try Refusal(refusal))
      }
      return ExchangeResponse(
        refusals: refusals,
        superseded: Array(
          UnsafeBufferPointer(
            start: message.superseded,
            count: message.superseded == nil ? 0 : message.n_superseded)),
        records: encodedElements(message.records, message.n_records),
        cursor: Cursor(cursor.pointee), more: message.more != 0, restarted: message.restarted != 0,
        serverTime: WallTime(milliseconds: message.server_time_ms),
        head: message.head.map { Cursor($0.pointee) },
        takenThrough: message.taken_through.map { OutboxPosition($0.pointee) },
        isClockDoubtful: message.clock_doubtful != 0)
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] {
    packing(
      atrest__internal__v1__exchange_response_page__init,
      expectedBytes: Page.arenaBytes(records) + refusals.count * 256
    ) { message, arena in
      message.n_refusals = refusals.count
      message.refusals = arena.array(refusals) { arena.refusal($0) }
      message.n_superseded = superseded.count
      message.superseded = arena.array(superseded) { $0 }
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

/// Limits of one page, in either direction.
public enum Page {
  /// Maximum offers per request and records per response.
  public static let records = 1000
  /// Maximum bytes of one page's records. Of a 256 KiB message, 16 KiB remain for the rest.
  public static let recordBytes = 240 * 1024

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
