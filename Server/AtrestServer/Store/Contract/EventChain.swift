// SPDX-License-Identifier: Apache-2.0
// What the log of events holds, and how each event vouches for all before it.

import AtrestProtocol
import AtrestReplication
import Crypto

/// Something that is to be written down. Numbers only: no name, no value, nothing that outliving an
/// account could hurt.
package struct NewEvent: Hashable, Sendable {
  /// To which account it happened; nil: it concerns none.
  package var account: AccountID?
  /// When.
  package var at: WallTime
  /// What.
  package var kind: Event.Kind
  /// The device that did it; `.none`: the server's owner, or a stranger.
  package var actor: ReplicaID
  /// The device that it was done to; `.none`: none.
  package var subject: ReplicaID
  /// See `Event.Kind`.
  package var detail: Int64
  /// How many it stands for, itself included.
  package var count: UInt32

  /// An event.
  package init(
    _ kind: Event.Kind, of account: AccountID?, at: WallTime, actor: ReplicaID? = nil,
    subject: ReplicaID? = nil, detail: Int64 = 0, count: UInt32 = 1
  ) {
    self.kind = kind
    self.account = account
    self.at = at
    self.actor = actor ?? .none
    self.subject = subject ?? .none
    self.detail = detail
    self.count = count
  }
}

/// An event as a store keeps it.
package struct EventEntry: Hashable, Sendable {
  /// Its place: 1, 2, 3 ...
  package var number: UInt64
  /// What happened.
  package var event: NewEvent
  /// See `EventChain`.
  package var hash: [UInt8]

  /// As devices and the owner read it.
  var shown: Event {
    Event(
      number: number, at: event.at, kind: event.kind, actor: event.actor, subject: event.subject,
      detail: event.detail, count: event.count)
  }
}

/// Each event has the SHA-256 of the hash before it and of its own columns, so that one which was
/// changed, taken out or slipped in breaks the chain. Whoever can write the file can write the
/// whole chain anew: a hash noted elsewhere shows that, too.
package struct EventChain {
  /// The number of the newest event that is whole.
  package private(set) var number: UInt64 = 0
  /// Its hash; before the first event 32 zeros.
  package private(set) var hash = [UInt8](repeating: 0, count: 32)

  /// A chain without an event.
  package init() {}

  /// A chain that goes on after an event.
  init(after number: UInt64, hash: [UInt8]) {
    self.number = number
    self.hash = hash
  }

  /// Adds an event.
  mutating func append(_ event: NewEvent) -> EventEntry {
    number += 1
    hash = Self.hash(event, number, after: hash)
    return EventEntry(number: number, event: event, hash: hash)
  }

  /// Takes the next event in; false, and nothing happens, if it does not follow or is not as it was
  /// written.
  package mutating func follows(_ entry: EventEntry) -> Bool {
    guard entry.number == number &+ 1,
      Self.hash(entry.event, entry.number, after: hash) == entry.hash
    else { return false }
    number = entry.number
    hash = entry.hash
    return true
  }

  private static func hash(_ event: NewEvent, _ number: UInt64, after hash: [UInt8]) -> [UInt8] {
    var digest = SHA256()
    digest.update(data: hash)
    for column in [
      number, UInt64(bitPattern: event.account?.rawValue ?? 0),
      UInt64(bitPattern: event.at.milliseconds), UInt64(bitPattern: Int64(event.kind.rawValue)),
      event.actor.rawValue, event.subject.rawValue, UInt64(bitPattern: event.detail),
      UInt64(event.count),
    ] {
      withUnsafeBytes(of: column.bigEndian) { digest.update(bufferPointer: $0) }
    }
    return Array(digest.finalize())
  }
}
