// SPDX-License-Identifier: Apache-2.0
// Account events, and the pages in which devices and the server's owner read them.

import AtrestReplication

/// An event of an account. Identifies devices by number only.
public struct Event: Hashable, Sendable {
  /// The kind of an event. Unknown numbers come from newer servers.
  public struct Kind: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public let rawValue: Int

    /// Creates a kind from its wire number.
    public init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// The server's owner created the account.
    public static let accountMade = Kind(rawValue: 1)
    /// `actor`, or the server's owner, deleted the account.
    public static let accountRemoved = Kind(rawValue: 2)
    /// `actor`, or the server's owner, created a pairing code. `detail` is 1 if it requires
    /// approval.
    public static let codeMade = Kind(rawValue: 3)
    /// A wrong, used or expired code was tried.
    public static let codeRefused = Kind(rawValue: 4)
    /// `subject` joined, with a code of `actor` or of the server's owner.
    public static let devicePaired = Kind(rawValue: 5)
    /// `actor` approved `subject`.
    public static let deviceApproved = Kind(rawValue: 6)
    /// `actor` denied a pending device.
    public static let deviceDenied = Kind(rawValue: 7)
    /// `actor` renamed `subject`.
    public static let deviceRenamed = Kind(rawValue: 8)
    /// `actor`, or the server's owner, revoked `subject`.
    public static let deviceRevoked = Kind(rawValue: 9)
    /// `actor` took `subject` as an additional identity.
    public static let deviceRenewed = Kind(rawValue: 10)
    /// `actor` allowed a mass deletion; `detail` records were deleted.
    public static let massDeletion = Kind(rawValue: 11)
    /// `actor` submitted a purchase, which was stored.
    public static let purchaseTaken = Kind(rawValue: 12)
    /// `actor` submitted a purchase that failed check `detail`.
    public static let purchaseRefused = Kind(rawValue: 13)
    /// A purchase moved to the account (`detail` 1) or away from it (2).
    public static let purchaseMoved = Kind(rawValue: 14)
    /// The server's operator made a backup.
    public static let backupMade = Kind(rawValue: 15)
    /// `actor` had a later position than the server: the server was restored.
    public static let restoreNoticed = Kind(rawValue: 16)
  }

  /// Its position in the server's log, from 1.
  public var number: UInt64
  /// The server's clock at the event.
  public var at: WallTime
  /// The kind of event.
  public var kind: Kind
  /// The device that acted; `.none` for the server's owner or an unauthenticated caller.
  public var actor: ReplicaID
  /// The device acted upon; `.none` if there is none.
  public var subject: ReplicaID
  /// Depends on `kind`.
  public var detail: Int64
  /// The number of like events this one stands for, including itself.
  public var count: UInt32

  /// Creates an event from its fields.
  public init(
    number: UInt64, at: WallTime, kind: Kind, actor: ReplicaID = .none,
    subject: ReplicaID = .none, detail: Int64 = 0, count: UInt32 = 1
  ) {
    self.number = number
    self.at = at
    self.kind = kind
    self.actor = actor
    self.subject = subject
    self.detail = detail
    self.count = count
  }
}

extension Event: FieldWriting {
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
  package static func checked(_ limit: UInt32) throws(WireError) -> UInt32 {
    guard limit <= Self.limit else { throw .invalid("more than 500 events") }
    return limit == 0 ? usual : limit
  }
}

/// Requests a page of the caller's account events.
public struct EventsRequest: WireMessage, FieldWriting {
  /// Return only events with a smaller number; zero starts at the newest.
  public var before: UInt64
  /// Maximum events to return, 1 to 500.
  public var limit: UInt32

  /// Creates a request from its fields.
  public init(before: UInt64 = 0, limit: UInt32 = EventPage.usual) {
    self.before = before
    self.limit = limit
  }

  /// Decodes a protobuf-encoded request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try decode(bytes) { fields throws(WireError) in
      var (before, limit) = (0 as UInt64, 0 as UInt32)
      while let field = try fields.next() {
        switch Fields.EventsRequest(rawValue: field.number) {
        case .before: before = try field.uint64()
        case .limit: limit = try field.uint32()
        case nil: break
        }
      }
      return EventsRequest(before: before, limit: try EventPage.checked(limit))
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.number(Fields.EventsRequest.before, before)
    sink.number(Fields.EventsRequest.limit, limit)
  }
}

/// A page of the caller's account events.
public struct EventsResponse: WireMessage, FieldWriting {
  /// Newest first.
  public var events: [Event]
  /// Whether there are older events.
  public var more: Bool

  /// Creates a response from its fields.
  public init(events: [Event], more: Bool) {
    self.events = events
    self.more = more
  }

  /// Decodes a protobuf-encoded response.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try decode(bytes) { fields throws(WireError) in
      var response = EventsResponse(events: [], more: false)
      while let field = try fields.next() {
        switch Fields.EventsResponse(rawValue: field.number) {
        case .events: response.events.append(try Event(field.content()))
        case .more: response.more = field.bool
        case nil: break
        }
      }
      return response
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.messages(Fields.EventsResponse.events, events)
    sink.flag(Fields.EventsResponse.more, more)
  }
}
