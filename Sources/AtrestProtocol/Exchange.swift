// SPDX-License-Identifier: Apache-2.0
// Sync.Exchange, with records left encoded: stores keep them so, and most pages are never looked
// into.

import AtrestReplication
import CAtrestProtobufC
import CAtrestProtos

/// What a replica offers, and what it holds.
public struct ExchangeRequest: WireMessage {
  /// What the replica holds; nil the first time.
  public var cursor: Cursor?
  /// Encoded `Offer`s, at most `Page.records`.
  public var offers: [[UInt8]]
  /// The head that the newest answer told; nil: the cursor.
  public var lastKnownHead: Cursor?
  /// Where the offers lie in the replica's outbox; nil for a replica that nobody can copy.
  public var segment: OutboxSegment?
  /// Whether the person wants most of what there is deleted.
  public var allowsMassDeletion: Bool
  /// Whether the answer is not stored: the cursor says where to read on, not what is held.
  public var isPeek: Bool
  /// What the device's clock shows, wrong or not; nil if it does not say.
  public var deviceTime: WallTime?

  /// A request.
  public init(
    cursor: Cursor?, offers: [[UInt8]] = [], lastKnownHead: Cursor? = nil,
    segment: OutboxSegment? = nil, allowsMassDeletion: Bool = false, isPeek: Bool = false,
    deviceTime: WallTime? = nil
  ) {
    self.cursor = cursor
    self.offers = offers
    // The same as the cursor is what its absence says.
    self.lastKnownHead = lastKnownHead == cursor ? nil : lastKnownHead
    self.segment = segment
    self.allowsMassDeletion = allowsMassDeletion
    self.isPeek = isPeek
    self.deviceTime = deviceTime
  }

  /// Decodes a request; its offers stay encoded.
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

  /// The bytes on the wire.
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

/// What the server took, and what the replica has not seen.
public struct ExchangeResponse: WireMessage {
  /// Offers that were not taken. Every other one up to `takenThrough` is durable.
  public var refusals: [Refusal]
  /// Indices of offers that lost at least one register to a newer write.
  public var superseded: [UInt32]
  /// Encoded `Record`s in commit order.
  public var records: [[UInt8]]
  /// What the replica holds once it has stored this.
  public var cursor: Cursor
  /// Whether there is more after `cursor`.
  public var more: Bool
  /// Whether the server did not know the replica's positions: the feed starts over, and the replica
  /// should offer all it holds.
  public var restarted: Bool
  /// The server's clock.
  public var serverTime: WallTime
  /// The account's last commit.
  public var head: Cursor
  /// How far the server has gone through the replica's outbox; nil if the request had no segment.
  public var takenThrough: OutboxPosition?
  /// Whether the server has reason to believe that its clock is wrong.
  public var isClockDoubtful: Bool

  /// A response. Without `head` the cursor is there.
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

  /// Decodes a response; its records stay encoded.
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

  /// The bytes on the wire.
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

/// Bounds of one page, either way.
public enum Page {
  /// Offers of a request, records of a response.
  public static let records = 1000
  /// Bytes of the records of one page; the rest of a message is small beside the 16 KiB this leaves
  /// of 256.
  public static let recordBytes = 240 * 1024

  /// Bytes of memory that encoding these items takes, about.
  static func arenaBytes(_ items: [[UInt8]]) -> Int {
    items.reduce(512) { $0 + $1.count + 48 }
  }
}

/// Copies of the encoded messages in a C array.
func encodedElements(_ array: UnsafeMutablePointer<ProtobufCBinaryData>?, _ count: Int) -> [[UInt8]]
{
  UnsafeBufferPointer(start: array, count: array == nil ? 0 : count).map { [UInt8]($0) }
}
