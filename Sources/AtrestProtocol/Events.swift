// SPDX-License-Identifier: Apache-2.0
// What happened to an account: events, and the pages in which devices and the server's owner read
// them.

import AtrestReplication
import CAtrestProtos

/// Something that happened to an account. Names devices by number and nothing else.
public struct Event: Hashable, Sendable {
  /// What happened. Unknown numbers come from newer servers.
  public struct Kind: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public let rawValue: Int

    /// A kind with the given number.
    public init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// The server's owner made the account.
    public static let accountMade = Kind(rawValue: 1)
    /// `actor`, or the server's owner, removed the account.
    public static let accountRemoved = Kind(rawValue: 2)
    /// `actor`, or the server's owner, made a pairing code; `detail` is 1 if its pending device
    /// needs approval.
    public static let codeMade = Kind(rawValue: 3)
    /// A wrong, used or old code was tried.
    public static let codeRefused = Kind(rawValue: 4)
    /// `subject` joined, with a code of `actor`'s or of the server's owner.
    public static let devicePaired = Kind(rawValue: 5)
    /// `actor` let `subject` in.
    public static let deviceApproved = Kind(rawValue: 6)
    /// `actor` sent a pending device away.
    public static let deviceDenied = Kind(rawValue: 7)
    /// `actor` gave `subject` another name.
    public static let deviceRenamed = Kind(rawValue: 8)
    /// `actor`, or the server's owner, ended the access of `subject`.
    public static let deviceRevoked = Kind(rawValue: 9)
    /// `actor` took the new identity `subject`.
    public static let deviceRenewed = Kind(rawValue: 10)
    /// `actor` allowed a mass deletion, and `detail` records were deleted.
    public static let massDeletion = Kind(rawValue: 11)
    /// `actor` brought a purchase, which was stored.
    public static let purchaseTaken = Kind(rawValue: 12)
    /// `actor` brought a purchase that failed the check `detail`.
    public static let purchaseRefused = Kind(rawValue: 13)
    /// A purchase came to the account (`detail` 1) or went away from it (2).
    public static let purchaseMoved = Kind(rawValue: 14)
    /// The server's owner made a backup.
    public static let backupMade = Kind(rawValue: 15)
    /// `actor` had been told more than the server holds.
    public static let restoreNoticed = Kind(rawValue: 16)
  }

  /// Its place in the server's log, from 1 on.
  public var number: UInt64
  /// When it happened, by the server's clock.
  public var at: WallTime
  /// What happened.
  public var kind: Kind
  /// The device that did it; `.none`: the server's owner, or a stranger.
  public var actor: ReplicaID
  /// The device that it was done to; `.none`: none.
  public var subject: ReplicaID
  /// See `Kind`.
  public var detail: Int64
  /// How many like it this one stands for, itself included.
  public var count: UInt32

  /// An event.
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

/// A part of a log of events.
public enum EventPage {
  /// Events in a page at most.
  public static let limit: UInt32 = 500
  /// Events in a page if nobody says how many.
  public static let usual: UInt32 = 100

  static func checked(_ limit: UInt32) throws(WireError) -> UInt32 {
    guard limit <= Self.limit else { throw .invalid("more than 500 events") }
    return limit == 0 ? usual : limit
  }
}

/// Asks for a page of what happened to the caller's account.
public struct EventsRequest: WireMessage {
  /// Only what has a smaller number; zero: from the newest on.
  public var before: UInt64
  /// Events at most, 1 to 500.
  public var limit: UInt32

  /// A request.
  public init(before: UInt64 = 0, limit: UInt32 = EventPage.usual) {
    self.before = before
    self.limit = limit
  }

  /// Decodes a request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__events_request__unpack) {
      message throws(WireError) in
      EventsRequest(before: message.before, limit: try EventPage.checked(message.limit))
    }
  }

  /// The bytes on the wire.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__events_request__init) { message, _ in
      message.before = before
      message.limit = limit
    }
  }
}

/// A page of what happened to the caller's account.
public struct EventsResponse: WireMessage {
  /// Newest first.
  public var events: [Event]
  /// There are older ones.
  public var more: Bool

  /// An answer.
  public init(events: [Event], more: Bool) {
    self.events = events
    self.more = more
  }

  /// Decodes an answer.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__events_response__unpack) {
      message throws(WireError) in
      var events: [Event] = []
      for event in elements(message.events, message.n_events) { events.append(try Event(event)) }
      return EventsResponse(events: events, more: message.more != 0)
    }
  }

  /// The bytes on the wire.
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

/// Asks, as the server's owner, for a page of what happened.
public struct AccountEventsRequest: WireMessage {
  /// The account's name; empty: all that happened.
  public var account: String
  /// Only what has a smaller number; zero: from the newest on.
  public var before: UInt64
  /// Events at most, 1 to 500.
  public var limit: UInt32

  /// A request.
  public init(account: String = "", before: UInt64 = 0, limit: UInt32 = EventPage.usual) {
    self.account = account
    self.before = before
    self.limit = limit
  }

  /// Decodes a request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__admin__v1__account_events_request__unpack) {
      message throws(WireError) in
      AccountEventsRequest(
        account: try text(message.account, limitBytes: NameLimit.bytes), before: message.before,
        limit: try EventPage.checked(message.limit))
    }
  }

  /// The bytes on the wire.
  public var encoded: [UInt8] {
    packing(atrest__admin__v1__account_events_request__init) { message, arena in
      message.account = arena.text(account)
      message.before = before
      message.limit = limit
    }
  }
}

/// A page of what happened, for the server's owner.
public struct AccountEventsResponse: WireMessage {
  /// An event, and to which account it happened.
  public struct Entry: Hashable, Sendable {
    /// The account's number; zero: it concerns none.
    public var account: UInt64
    /// The account's name; empty if it was removed, or if there is none.
    public var accountName: String
    /// What happened.
    public var event: Event

    /// An event.
    public init(account: UInt64, accountName: String, event: Event) {
      self.account = account
      self.accountName = accountName
      self.event = event
    }
  }

  /// Newest first.
  public var entries: [Entry]
  /// There are older ones.
  public var more: Bool

  /// An answer.
  public init(entries: [Entry], more: Bool) {
    self.entries = entries
    self.more = more
  }

  /// Decodes an answer.
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

  /// The bytes on the wire.
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

/// Asks for a check of the log of events.
public struct CheckEventsRequest: WireMessage {
  /// The newest event to check; zero: all there are.
  public var through: UInt64

  /// A request.
  public init(through: UInt64 = 0) {
    self.through = through
  }

  /// Decodes a request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__admin__v1__check_events_request__unpack) { message in
      CheckEventsRequest(through: message.through)
    }
  }

  /// The bytes on the wire.
  public var encoded: [UInt8] {
    packing(atrest__admin__v1__check_events_request__init) { message, _ in
      message.through = through
    }
  }
}

/// What a check of the log of events found.
public struct CheckEventsResponse: WireMessage {
  /// Events checked.
  public var events: UInt64
  /// The number of the first event that is not as it was written; zero: the log is whole.
  public var broken: UInt64
  /// The hash of the newest event that is whole, which covers all before it; empty if there is
  /// none.
  public var hash: [UInt8]

  /// An answer.
  public init(events: UInt64, broken: UInt64, hash: [UInt8]) {
    self.events = events
    self.broken = broken
    self.hash = hash
  }

  /// Decodes an answer.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__admin__v1__check_events_response__unpack) { message in
      CheckEventsResponse(
        events: message.events, broken: message.broken, hash: [UInt8](message.hash))
    }
  }

  /// The bytes on the wire.
  public var encoded: [UInt8] {
    packing(atrest__admin__v1__check_events_response__init) { message, arena in
      message.events = events
      message.broken = broken
      message.hash = arena.bytes(hash)
    }
  }
}
