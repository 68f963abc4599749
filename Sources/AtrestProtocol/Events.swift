// SPDX-License-Identifier: Apache-2.0
// Account events, and the pages in which devices and the server's owner read them.

import AtrestReplication
import CAtrestProtos

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

  init(_ message: Atrest__Sync__V1__Event) throws(WireError) {
    guard message.number != 0, message.count != 0 else {
      throw .invalid("an event has no number or stands for none")
    }
    self.init(
      number: message.number, at: WallTime(milliseconds: message.at_ms),
      kind: Kind(rawValue: Int(message.kind.rawValue)),
      actor: ReplicaID(rawValue: message.actor), subject: ReplicaID(rawValue: message.subject),
      detail: message.detail, count: message.count)
  }
}

extension Arena {
  fileprivate func event(_ event: Event) -> UnsafeMutablePointer<Atrest__Sync__V1__Event>? {
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

/// Limits of a page of events.
public enum EventPage {
  /// Maximum events per page.
  public static let limit: UInt32 = 500
  /// Events per page by default.
  public static let usual: UInt32 = 100

  static func checked(_ limit: UInt32) throws(WireError) -> UInt32 {
    guard limit <= Self.limit else { throw .invalid("more than 500 events") }
    return limit == 0 ? usual : limit
  }
}

/// Requests a page of the caller's account events.
public struct EventsRequest: WireMessage {
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
    self = try unpacking(bytes, by: atrest__sync__v1__events_request__unpack) {
      message throws(WireError) in
      EventsRequest(before: message.before, limit: try EventPage.checked(message.limit))
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__events_request__init) { message, _ in
      message.before = before
      message.limit = limit
    }
  }
}

/// A page of the caller's account events.
public struct EventsResponse: WireMessage {
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
    self = try unpacking(bytes, by: atrest__sync__v1__events_response__unpack) {
      message throws(WireError) in
      var events: [Event] = []
      for event in elements(message.events, message.n_events) { events.append(try Event(event)) }
      return EventsResponse(events: events, more: message.more != 0)
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] {
    packing(
      atrest__sync__v1__events_response__init, expectedBytes: events.count * 128 + 512
    ) { message, arena in
      message.n_events = events.count
      message.events = arena.array(events) { arena.event($0) }
      message.more = more ? 1 : 0
    }
  }
}

/// Requests a page of events for the server's owner.
public struct AccountEventsRequest: WireMessage {
  /// The account's name; empty for all events.
  public var account: String
  /// Return only events with a smaller number; zero starts at the newest.
  public var before: UInt64
  /// Maximum events to return, 1 to 500.
  public var limit: UInt32

  /// Creates a request from its fields.
  public init(account: String = "", before: UInt64 = 0, limit: UInt32 = EventPage.usual) {
    self.account = account
    self.before = before
    self.limit = limit
  }

  /// Decodes a protobuf-encoded request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__admin__v1__account_events_request__unpack) {
      message throws(WireError) in
      AccountEventsRequest(
        account: try text(message.account, limitBytes: NameLimit.bytes), before: message.before,
        limit: try EventPage.checked(message.limit))
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] {
    packing(atrest__admin__v1__account_events_request__init) { message, arena in
      message.account = arena.text(account)
      message.before = before
      message.limit = limit
    }
  }
}

/// A page of events for the server's owner.
public struct AccountEventsResponse: WireMessage {
  /// An event and its account.
  public struct Entry: Hashable, Sendable {
    /// The account's number; zero if the event concerns no account.
    public var account: UInt64
    /// The account's name; empty if it was deleted or there is none.
    public var accountName: String
    /// The event.
    public var event: Event

    /// Creates an entry from its fields.
    public init(account: UInt64, accountName: String, event: Event) {
      self.account = account
      self.accountName = accountName
      self.event = event
    }
  }

  /// Newest first.
  public var entries: [Entry]
  /// Whether there are older events.
  public var more: Bool

  /// Creates a response from its fields.
  public init(entries: [Entry], more: Bool) {
    self.entries = entries
    self.more = more
  }

  /// Decodes a protobuf-encoded response.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__admin__v1__account_events_response__unpack) {
      message throws(WireError) in
      var entries: [Entry] = []
      for entry in elements(message.events, message.n_events) {
        guard let event = entry.event?.pointee else { throw .invalid("an event is missing") }
        entries.append(
          Entry(
            account: entry.account,
            accountName: try text(entry.account_name, limitBytes: NameLimit.bytes),
            event: try Event(event)))
      }
      return AccountEventsResponse(entries: entries, more: message.more != 0)
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] {
    packing(
      atrest__admin__v1__account_events_response__init, expectedBytes: entries.count * 256 + 512
    ) { message, arena in
      message.n_events = entries.count
      message.events = arena.array(entries) { item in
        let entry = arena.make(atrest__admin__v1__account_event__init)
        entry.pointee.account = item.account
        entry.pointee.account_name = arena.text(item.accountName)
        entry.pointee.event = arena.event(item.event)
        return entry
      }
      message.more = more ? 1 : 0
    }
  }
}

/// Verifies the hash chain of the event log.
public struct CheckEventsRequest: WireMessage {
  /// The newest event to check; zero for all.
  public var through: UInt64

  /// Creates a request from its fields.
  public init(through: UInt64 = 0) {
    self.through = through
  }

  /// Decodes a protobuf-encoded request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__admin__v1__check_events_request__unpack) { message in
      CheckEventsRequest(through: message.through)
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] {
    packing(atrest__admin__v1__check_events_request__init) { message, _ in
      message.through = through
    }
  }
}

/// The result of verifying the event log.
public struct CheckEventsResponse: WireMessage {
  /// The number of events checked.
  public var events: UInt64
  /// The number of the first altered event; zero if the log is intact.
  public var broken: UInt64
  /// The hash of the newest intact event, which covers all before it; empty if there is none.
  public var hash: [UInt8]

  /// Creates a response from its fields.
  public init(events: UInt64, broken: UInt64, hash: [UInt8]) {
    self.events = events
    self.broken = broken
    self.hash = hash
  }

  /// Decodes a protobuf-encoded response.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__admin__v1__check_events_response__unpack) { message in
      CheckEventsResponse(
        events: message.events, broken: message.broken, hash: [UInt8](message.hash))
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] {
    packing(atrest__admin__v1__check_events_response__init) { message, arena in
      message.events = events
      message.broken = broken
      message.hash = arena.bytes(hash)
    }
  }
}
