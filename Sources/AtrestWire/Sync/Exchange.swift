// SPDX-License-Identifier: Apache-2.0
// Sync.Exchange. Records stay encoded: stores keep them so, and most pages are never decoded.

import AtrestReplication

/// A replica's offers and its position.
public struct ExchangeRequest: WireMessage, FieldWriting {
  /// The replica's position; nil the first time.
  public var cursor: Cursor?
  /// The head that the replica was told last; nil if it is at the head, or was told of none.
  public var lastKnownHead: Cursor?
  /// Encoded `Offer`s, at most `Page.records`.
  public var offers: [[UInt8]]
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
    cursor: Cursor?, lastKnownHead: Cursor? = nil, offers: [[UInt8]] = [],
    segment: OutboxSegment? = nil, allowsMassDeletion: Bool = false, isPeek: Bool = false,
    deviceTime: WallTime? = nil
  ) {
    self.cursor = cursor
    self.lastKnownHead = lastKnownHead
    self.offers = offers
    self.segment = segment
    self.allowsMassDeletion = allowsMassDeletion
    self.isPeek = isPeek
    self.deviceTime = deviceTime
  }

  /// Moves on to what follows an answer.
  package mutating func follow(_ answer: ExchangeResponse) {
    cursor = answer.cursor
    lastKnownHead = answer.head == answer.cursor ? nil : answer.head
  }

  /// Decodes a request. Its offers stay encoded.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try decode(bytes) { fields throws(WireError) in
      var request = ExchangeRequest(cursor: nil)
      var segment: OutboxSegmentParts?
      var deviceTime: Int64 = 0
      while let field = try fields.next() {
        switch Fields.ExchangeRequest(rawValue: field.number) {
        case .cursor: request.cursor = try Cursor(field.content())
        case .offers: request.offers.append([UInt8](try field.content()))
        case .allowMassDeletion: request.allowsMassDeletion = field.bool
        case .segment:
          if segment == nil { segment = OutboxSegmentParts() }
          try segment?.read(field.content())
        case .peek: request.isPeek = field.bool
        case .deviceTimeMs: deviceTime = try field.int64()
        case .lastKnownHead: request.lastKnownHead = try Cursor(field.content())
        case nil: break
        }
      }
      try request.checkOffers()
      request.segment = try segment?.segment(offers: request.offers.count)
      request.deviceTime = WallTime(nonZero: deviceTime)
      return request
    }
  }

  /// Checks the number of offers.
  package func checkOffers() throws(WireError) {
    guard offers.count <= Limit.pageRecords else { throw .invalid("more than 1000 offers") }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.message(Fields.ExchangeRequest.cursor, cursor)
    sink.elements(Fields.ExchangeRequest.offers, offers)
    sink.message(Fields.ExchangeRequest.lastKnownHead, lastKnownHead)
    sink.flag(Fields.ExchangeRequest.allowMassDeletion, allowsMassDeletion)
    sink.message(Fields.ExchangeRequest.segment, segment)
    sink.flag(Fields.ExchangeRequest.peek, isPeek)
    sink.number(Fields.ExchangeRequest.deviceTimeMs, deviceTime?.milliseconds ?? 0)
  }
}

/// What the server accepted, and the changes new to the replica.
public struct ExchangeResponse: WireMessage, FieldWriting {
  /// Rejected offers. All others up to `takenThrough` are durable.
  public var refusals: [Refusal]
  /// Indices of offers that lost at least one register to another one, or to pruning.
  public var superseded: [UInt32]
  /// Encoded `Record`s in commit order.
  public var records: [[UInt8]]
  /// The replica's position once it has stored this response.
  public var cursor: Cursor
  /// Whether there are more records after `cursor`.
  public var more: Bool
  /// Whether the server does not know the replica's cursor. The feed then restarts, and the
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
    self = try decode(bytes) { fields throws(WireError) in
      var response = ExchangeResponse(cursor: .start, serverTime: WallTime(milliseconds: 0))
      var (cursor, head) = (Cursor?.none, Cursor?.none)
      while let field = try fields.next() {
        switch Fields.ExchangeResponse(rawValue: field.number) {
        case .refusals: response.refusals.append(try Refusal(field.content()))
        case .supersededOffers: try field.append(to: &response.superseded)
        case .records: response.records.append([UInt8](try field.content()))
        case .cursor: cursor = try Cursor(field.content())
        case .more: response.more = field.bool
        case .restarted: response.restarted = field.bool
        case .serverTimeMs: response.serverTime = WallTime(milliseconds: try field.int64())
        case .head: head = try Cursor(field.content())
        case .takenThrough: response.takenThrough = try OutboxPosition(field.content())
        case .clockDoubtful: response.isClockDoubtful = field.bool
        case nil: break
        }
      }
      try response.check(cursor: cursor, head: head)
      return response
    }
  }

  /// Sets the cursors as sent, and checks the response.
  package mutating func check(cursor: Cursor?, head: Cursor?) throws(WireError) {
    guard let cursor else { throw .invalid("a response has no cursor") }
    let most = max(refusals.count, superseded.count, records.count)
    guard most <= Limit.pageRecords else {
      throw .invalid("a response has more than 1000 entries")
    }
    self.cursor = cursor
    self.head = head ?? cursor
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.messages(Fields.ExchangeResponse.refusals, refusals)
    sink.packed(Fields.ExchangeResponse.supersededOffers, superseded)
    sink.elements(Fields.ExchangeResponse.records, records)
    sink.message(Fields.ExchangeResponse.cursor, cursor)
    sink.flag(Fields.ExchangeResponse.more, more)
    sink.flag(Fields.ExchangeResponse.restarted, restarted)
    sink.number(Fields.ExchangeResponse.serverTimeMs, serverTime.milliseconds)
    sink.message(Fields.ExchangeResponse.head, head == cursor ? nil : head)
    sink.message(Fields.ExchangeResponse.takenThrough, takenThrough)
    sink.flag(Fields.ExchangeResponse.clockDoubtful, isClockDoubtful)
  }
}

/// Limits of one page, in either direction.
public enum Page {
  /// Maximum offers per request and records per response.
  public static let records = Limit.pageRecords
  /// Maximum bytes of one page's records. Of a 256 KiB message, 16 KiB remain for the rest.
  public static let recordBytes = Limit.pageRecordBytes
}
