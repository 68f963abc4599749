// SPDX-License-Identifier: Apache-2.0
// The messages in which the server's owner reads and verifies the event log.

import AtrestDomain
import AtrestReplication
import AtrestWire
import CAtrestProtos

/// Requests a page of events for the server's owner.
public struct AdminEventsRequest: PackedMessage {
  /// The account's name; empty for all events.
  public var account: String
  /// Maximum events to return, 1 to 500.
  public var pageSize: UInt32
  /// `AdminEventsResponse.nextPageToken` of the page before; empty starts at the newest.
  public var pageToken: String

  /// Creates a request from its fields.
  public init(
    account: String = "", pageSize: UInt32 = EventPage.usual, pageToken: String = ""
  ) {
    self.account = account
    self.pageSize = pageSize
    self.pageToken = pageToken
  }

  /// Unpacks a protobuf-encoded request.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__admin__v1__admin_events_request__unpack) {
      message throws(WireError) in
      AdminEventsRequest(
        account: try text(message.account, limitBytes: Limit.nameBytes),
        pageSize: try EventPage.checked(message.page_size),
        pageToken: try text(message.page_token, limitBytes: Limit.pageTokenBytes))
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__admin__v1__admin_events_request__init) { message, arena in
      message.account = arena.text(account)
      message.page_size = pageSize
      message.page_token = arena.text(pageToken)
    }
  }
}

/// A page of events for the server's owner.
public struct AdminEventsResponse: PackedMessage {
  /// An event and its account.
  public struct Entry: Hashable, Sendable {
    /// The account's number; zero if the event concerns no account.
    public var account: UInt64
    /// The account's name; empty if it was deleted or there is none.
    public var accountName: String
    /// The event.
    public var event: AccountEvent

    /// Creates an entry from its fields.
    public init(account: UInt64, accountName: String, event: AccountEvent) {
      self.account = account
      self.accountName = accountName
      self.event = event
    }
  }

  /// Newest first.
  public var entries: [Entry]
  /// Asks for older events as `AdminEventsRequest.pageToken`; empty if there are none.
  public var nextPageToken: String

  /// Creates a response from its fields.
  public init(entries: [Entry], nextPageToken: String = "") {
    self.entries = entries
    self.nextPageToken = nextPageToken
  }

  /// Unpacks a protobuf-encoded response.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__admin__v1__admin_events_response__unpack) {
      message throws(WireError) in
      var entries: [Entry] = []
      for entry in elements(message.events, message.n_events) {
        guard let event = entry.event?.pointee else { throw .invalid("an event is missing") }
        entries.append(
          Entry(
            account: entry.account,
            accountName: try text(entry.account_name, limitBytes: Limit.nameBytes),
            event: try AccountEvent(event)))
      }
      return AdminEventsResponse(
        entries: entries,
        nextPageToken: try text(message.next_page_token, limitBytes: Limit.pageTokenBytes))
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(
      atrest__admin__v1__admin_events_response__init, expectedBytes: entries.count * 256 + 512
    ) { message, arena in
      message.n_events = entries.count
      message.events = arena.array(entries) { item in
        let entry = arena.make(atrest__admin__v1__account_event__init)
        entry.pointee.account = item.account
        entry.pointee.account_name = arena.text(item.accountName)
        entry.pointee.event = arena.event(item.event)
        return entry
      }
      message.next_page_token = arena.text(nextPageToken)
    }
  }
}

/// Verifies the hash chain of the event log.
public struct CheckEventsRequest: PackedMessage {
  /// The newest event to check; zero for all.
  public var through: UInt64

  /// Creates a request from its fields.
  public init(through: UInt64 = 0) {
    self.through = through
  }

  /// Unpacks a protobuf-encoded request.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__admin__v1__check_events_request__unpack) { message in
      CheckEventsRequest(through: message.through)
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__admin__v1__check_events_request__init) { message, _ in
      message.through = through
    }
  }
}

/// The result of verifying the event log.
public struct CheckEventsResponse: PackedMessage {
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

  /// Unpacks a protobuf-encoded response.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__admin__v1__check_events_response__unpack) { message in
      CheckEventsResponse(
        events: message.events, broken: message.broken, hash: [UInt8](message.hash))
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__admin__v1__check_events_response__init) { message, arena in
      message.events = events
      message.broken = broken
      message.hash = arena.bytes(hash)
    }
  }
}
