// SPDX-License-Identifier: Apache-2.0
// The entries of the audit log, and the hash chain over them.

import AtrestCrypto
import AtrestDomain
import AtrestReplication
import AtrestWire

/// An event to be appended. Numbers only, no name and no value: it outlives its account.
package struct NewEvent: Hashable, Sendable {
  /// The account concerned; nil: none.
  package var account: AccountID?
  package var at: WallTime
  package var kind: AccountEvent.Kind
  /// The device that did it; `.none`: the server's owner, or somebody unauthenticated.
  package var actor: ReplicaID
  /// The device concerned; `.none`: none.
  package var subject: ReplicaID
  /// See `AccountEvent.Kind`.
  package var detail: Int64
  /// The number of events that it stands for, itself included.
  package var count: UInt32

  package init(
    _ kind: AccountEvent.Kind, of account: AccountID?, at: WallTime, actor: ReplicaID? = nil,
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

/// An entry of the audit log.
package struct EventEntry: Hashable, Sendable {
  /// Its position: 1, 2, 3 …
  package var number: UInt64
  package var event: NewEvent
  /// See `EventChain`.
  package var hash: [UInt8]

  /// The event as devices and the owner see it.
  var shown: AccountEvent {
    AccountEvent(
      number: number, at: event.at, kind: event.kind, actor: event.actor, subject: event.subject,
      detail: event.detail, count: event.count)
  }
}

/// A hash chain: each entry has the SHA-256 of the previous hash and of its own columns, so that a
/// changed, removed or inserted entry breaks the chain. Whoever can write the file can rewrite the
/// whole chain: a hash recorded elsewhere shows that, too.
package struct EventChain: Sendable {
  /// The number of the last entry.
  package private(set) var number: UInt64 = 0
  /// Its hash; 32 zeros before the first entry.
  package private(set) var hash = [UInt8](repeating: 0, count: 32)

  /// An empty chain.
  package init() {}

  /// A chain that continues after an entry.
  init(after number: UInt64, hash: [UInt8]) {
    self.number = number
    self.hash = hash
  }

  /// Appends an event.
  ///
  /// - Parameter number: Its number, greater than the last one; nil: the next one.
  mutating func append(_ event: NewEvent, number new: UInt64? = nil) -> EventEntry {
    number = new ?? number + 1
    hash = Self.hash(event, number, after: hash)
    return EventEntry(number: number, event: event, hash: hash)
  }

  /// Verifies the next entry and moves on to it.
  ///
  /// - Parameter isDense: Whether its number must be the next one, and not just a greater one.
  /// - Returns: False if it does not follow, or was changed; nothing happens then.
  package mutating func follows(_ entry: EventEntry, isDense: Bool = true) -> Bool {
    guard entry.number > number, !isDense || entry.number == number &+ 1,
      Self.hash(entry.event, entry.number, after: hash) == entry.hash
    else { return false }
    number = entry.number
    hash = entry.hash
    return true
  }

  private static func hash(_ event: NewEvent, _ number: UInt64, after hash: [UInt8]) -> [UInt8] {
    var digest = SHA256()
    digest.update(hash)
    for column in [
      number, UInt64(bitPattern: event.account?.rawValue ?? 0),
      UInt64(bitPattern: event.at.milliseconds), UInt64(bitPattern: Int64(event.kind.rawValue)),
      event.actor.rawValue, event.subject.rawValue, UInt64(bitPattern: event.detail),
      UInt64(event.count),
    ] {
      digest.update(bigEndian: column)
    }
    return digest.finalized()
  }
}
