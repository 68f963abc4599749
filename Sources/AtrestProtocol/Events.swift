// SPDX-License-Identifier: Apache-2.0
// The audit log: events, and the pages in which devices and the operator read them.

import AtrestReplication
import CAtrestProtos

/// An entry of the audit log. Identifies devices by replica only.
public struct Event: Hashable, Sendable {
  /// The type of event. Unknown numbers come from newer servers.
  public struct Kind: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public let rawValue: Int

    /// Creates a kind from its number.
    public init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// The server's operator created the account.
    public static let accountMade = Kind(rawValue: 1)
    /// `actor` or the server's operator removed the account.
    public static let accountRemoved = Kind(rawValue: 2)
    /// `actor` or the server's operator created a pairing code. `detail` is 1 if the new device
    /// needs approval.
    public static let codeMade = Kind(rawValue: 3)
    /// A wrong, used or expired code was tried.
    public static let codeRefused = Kind(rawValue: 4)
    /// `subject` joined with a code created by `actor` or by the server's operator.
    public static let devicePaired = Kind(rawValue: 5)
    /// `actor` approved `subject`.
    public static let deviceApproved = Kind(rawValue: 6)
    /// `actor` rejected a pending device.
    public static let deviceDenied = Kind(rawValue: 7)
    /// `actor` renamed `subject`.
    public static let deviceRenamed = Kind(rawValue: 8)
    /// `actor` or the server's operator revoked `subject`.
    public static let deviceRevoked = Kind(rawValue: 9)
    /// `actor` took `subject` as an additional identity.
    public static let deviceRenewed = Kind(rawValue: 10)
    /// `actor` confirmed a mass deletion of `detail` records.
    public static let massDeletion = Kind(rawValue: 11)
    /// `actor` submitted a purchase, and the server stored it.
    public static let purchaseTaken = Kind(rawValue: 12)
    /// `actor` submitted a purchase that failed check `detail`.
    public static let purchaseRefused = Kind(rawValue: 13)
    /// A purchase moved to this account (`detail` is 1) or away from it (2).
    public static let purchaseMoved = Kind(rawValue: 14)
    /// The server's operator made a backup.
    public static let backupMade = Kind(rawValue: 15)
    /// `actor` had received commits that the server does not have.
    public static let restoreNoticed = Kind(rawValue: 16)
  }

  /// The event's number in the server's log, from 1.
  public var number: UInt64
  /// The server's clock at the event.
  public var at: WallTime
  /// The type of event.
  public var kind: Kind
  /// The device that acted. `.none`: the server's operator or an unauthenticated caller.
  public var actor: ReplicaID
  /// The affected device. `.none`: none.
  public var subject: ReplicaID
  /// A number whose meaning depends on `kind`. See `Kind`.
  public var detail: Int64
  /// How many equal events this entry stands for, itself included.
  public var count: UInt32

  /// Creates an event.
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

/// The limits of a page of events.
public enum EventPage {
  /// Maximum number of events in a page.
  public static let limit: UInt32 = 500
  /// Number of events in a page by default.
  public static let usual: UInt32 = 100

  static func checked(_ limit: UInt32) throws(WireError) -> UInt32 {
    guard limit <= Self.limit else { throw .invalid("more than 500 events") }
    return limit == 0 ? usual : limit
  }
}

/// Selects a page of the account's audit log.
public struct EventsRequest: WireMessage {
  /// Return only events with a smaller number. Zero: start with the newest event.
  public var before: UInt64
  /// Maximum number of events, 1 to 500.
  public var limit: UInt32

  /// Creates a request.
  public init(before: UInt64 = 0, limit: UInt32 = EventPage.usual) {
    self.before = before
    self.limit = limit
  }

  /// Decodes a request. See `WireMessage.init(decoding:)`.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__events_request__unpack) {
      message throws(WireError) in
      EventsRequest(before: message.before, limit: try EventPage.checked(message.limit))
    }
  }

  /// The encoded message.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__events_request__init) { message, _ in
      message.before = before
      message.limit = limit
    }
  }
}

/// A page of the account's audit log.
public struct EventsResponse: WireMessage {
  /// Newest first.
  public var events: [Event]
  /// Whether older events exist.
  public var more: Bool

  /// Creates a response.
  public init(events: [Event], more: Bool) {
    self.events = events
    self.more = more
  }

  /// Decodes a response. See `WireMessage.init(decoding:)`.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__events_response__unpack) {
      message throws(WireError) in
      var events: [Event] = []
      for event in elements(message.events, message.n_events) { events.append(try Event(event)) }
      return EventsResponse(events: events, more: message.more != 0)
    }
  }

  /// The encoded message.
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

/// Selects a page of the server's audit log, for the operator.
public struct AccountEventsRequest: WireMessage {
  /// The account's name. Empty: all events.
  public var account: String
  /// Return only events with a smaller number. Zero: start with the newest event.
  public var before: UInt64
  /// Maximum number of events, 1 to 500.
  public var limit: UInt32

  /// Creates a request.
  public init(account: String = "", before: UInt64 = 0, limit: UInt32 = EventPage.usual) {
    self.account = account
    self.before = before
    self.limit = limit
  }

  /// Decodes a request. See `WireMessage.init(decoding:)`.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__admin__v1__account_events_request__unpack) {
      message throws(WireError) in
      AccountEventsRequest(
        account: try text(message.account, limitBytes: NameLimit.bytes), before: message.before,
        limit: try EventPage.checked(message.limit))
    }
  }

  /// The encoded message.
  public var encoded: [UInt8] {
    packing(atrest__admin__v1__account_events_request__init) { message, arena in
      message.account = arena.text(account)
      message.before = before
      message.limit = limit
    }
  }
}

/// A page of the server's audit log, for the operator.
public struct AccountEventsResponse: WireMessage {
  /// An event and its account.
  public struct Entry: Hashable, Sendable {
    /// The account's number. Zero: the event concerns no account.
    public var account: UInt64
    /// The account's name. Empty if the account was removed or if there is none.
    public var accountName: String
    /// The event itself.
    public var event: Event

    /// Creates an entry.
    public init(account: UInt64, accountName: String, event: Event) {
      self.account = account
      self.accountName = accountName
      self.event = event
    }
  }

  /// Newest first.
  public var entries: [Entry]
  /// Whether older events exist.
  public var more: Bool

  /// Creates a response.
  public init(entries: [Entry], more: Bool) {
    self.entries = entries
    self.more = more
  }

  /// Decodes a response. See `WireMessage.init(decoding:)`.
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

  /// The encoded message.
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

/// Selects the part of the audit log to verify.
public struct CheckEventsRequest: WireMessage {
  /// The number of the newest event to verify. Zero: the whole log.
  public var through: UInt64

  /// Creates a request.
  public init(through: UInt64 = 0) {
    self.through = through
  }

  /// Decodes a request. See `WireMessage.init(decoding:)`.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__admin__v1__check_events_request__unpack) { message in
      CheckEventsRequest(through: message.through)
    }
  }

  /// The encoded message.
  public var encoded: [UInt8] {
    packing(atrest__admin__v1__check_events_request__init) { message, _ in
      message.through = through
    }
  }
}

/// The result of verifying the audit log.
public struct CheckEventsResponse: WireMessage {
  /// The number of events verified.
  public var events: UInt64
  /// The number of the first altered event. Zero: the log is intact.
  public var broken: UInt64
  /// The hash of the newest intact event, which covers all events before it. Empty if there is
  /// none.
  public var hash: [UInt8]

  /// Creates a response.
  public init(events: UInt64, broken: UInt64, hash: [UInt8]) {
    self.events = events
    self.broken = broken
    self.hash = hash
  }

  /// Decodes a response. See `WireMessage.init(decoding:)`.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__admin__v1__check_events_response__unpack) { message in
      CheckEventsResponse(
        events: message.events, broken: message.broken, hash: [UInt8](message.hash))
    }
  }

  /// The encoded message.
  public var encoded: [UInt8] {
    packing(atrest__admin__v1__check_events_response__init) { message, arena in
      message.events = events
      message.broken = broken
      message.hash = arena.bytes(hash)
    }
  }
}
