// SPDX-License-Identifier: Apache-2.0
// The messages of Sync.Exchange. Records stay encoded, as in the store: most pages are only passed
// on.

import AtrestReplication
import CAtrestProtobufC
import CAtrestProtos

/// A replica's position and its offers.
public struct ExchangeRequest: WireMessage {
  /// The replica has stored everything up to here. Nil in its first request.
  public var cursor: Cursor?
  /// Encoded `Offer`s, at most `Page.records`.
  public var offers: [[UInt8]]
  /// `ExchangeResponse.head` of the latest response. Nil: the same as `cursor`.
  public var lastKnownHead: Cursor?
  /// The positions of the offers in the replica's outbox. Nil for a replica that cannot be copied.
  public var segment: OutboxSegment?
  /// Whether the user confirmed a mass deletion.
  public var allowsMassDeletion: Bool
  /// Whether the replica does not store the response. `cursor` then only says where to read.
  public var isPeek: Bool
  /// The device's uncorrected clock. Nil: unknown.
  public var deviceTime: WallTime?

  /// Creates a request.
  public init(
    cursor: Cursor?, offers: [[UInt8]] = [], lastKnownHead: Cursor? = nil,
    segment: OutboxSegment? = nil, allowsMassDeletion: Bool = false, isPeek: Bool = false,
    deviceTime: WallTime? = nil
  ) {
    self.cursor = cursor
    self.offers = offers
    // On the wire, an absent head means that it equals the cursor.
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

  /// The encoded message.
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

/// The verdict on the offers, and the records that the replica has not seen.
public struct ExchangeResponse: WireMessage {
  /// Offers that were not accepted. Every other one up to `takenThrough` is durable.
  public var refusals: [Refusal]
  /// Indices of offers that lost at least one register to a newer write or were lifted to the prune
  /// floor.
  public var superseded: [UInt32]
  /// Encoded `Record`s in commit order.
  public var records: [[UInt8]]
  /// The replica's cursor once it has stored this response.
  public var cursor: Cursor
  /// Whether more records follow after `cursor`.
  public var more: Bool
  /// Whether the server did not know the replica's positions. The feed then starts from the
  /// beginning, and the replica should offer everything it holds.
  public var restarted: Bool
  /// The server's clock.
  public var serverTime: WallTime
  /// The account's latest commit.
  public var head: Cursor
  /// The server's position in the replica's outbox. Nil if the request had no segment.
  public var takenThrough: OutboxPosition?
  /// Whether the server's clock may be wrong.
  public var isClockDoubtful: Bool

  /// Creates a response. `head` defaults to `cursor`.
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

  /// The encoded message.
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

/// The bounds of one page, in a request or a response.
public enum Page {
  /// Maximum number of offers in a request, and of records in a response.
  public static let records = 1000
  /// Maximum bytes of the records in one page. This leaves 16 of a message's 256 KiB for its other
  /// fields, which are small.
  public static let recordBytes = 240 * 1024

  /// Approximate memory for encoding these items, in bytes.
  static func arenaBytes(_ items: [[UInt8]]) -> Int {
    items.reduce(512) { $0 + $1.count + 48 }
  }
}

/// Copies the encoded messages out of a C array.
func encodedElements(_ array: UnsafeMutablePointer<ProtobufCBinaryData>?, _ count: Int) -> [[UInt8]]
{
  UnsafeBufferPointer(start: array, count: array == nil ? 0 : count).map { [UInt8]($0) }
}
