// SPDX-License-Identifier: Apache-2.0
// The single row with the replica's identity and its cursor in the account's feed.

import AtrestReplication
import AtrestWire

/// A join request whose answer may have been lost. Repeated with the same nonce, it yields the same
/// identity.
package struct PendingJoin: Hashable, Sendable {
  /// The whole pairing link. A secret until used.
  package var link: String
  /// The request's nonce. A secret: the token is derived from it.
  package var nonce: [UInt8]

  /// A request from its parts.
  package init(link: String, nonce: [UInt8]) {
    self.link = link
    self.nonce = nonce
  }
}

/// A replica's identity and sync position. Read at the start of a transaction, written at its end.
package struct ReplicaState: Hashable, Sendable {
  /// The identity that stamps its writes; `none` before the first pairing.
  package var replica = ReplicaID.none
  /// The hybrid logical clock.
  package var clock = HybridClock()
  /// The end of what the replica has; nil before the first answer.
  package var cursor: Cursor?
  /// The account's name; nil if unpaired.
  package var account: String?
  /// `HOST:PORT` of the server; nil if unpaired.
  package var server: String?
  /// The secret of its identity; nil if unpaired.
  package var token: String?
  /// By the server's clock as estimated on this device; nil before the first answer after pairing.
  package var lastSync: WallTime?
  /// How far the server's clock leads this device's.
  package var serverOffset = ServerOffset()
  /// The account's head according to the newest answer.
  package var head: Cursor?
  /// Identifies a pending demand to reconcile with the server; nil if there is none. Bit 0 is set
  /// after a loss.
  package var mustReconcile: UInt64?
  /// How far the server has taken the outbox and told what became of it, with the token of its
  /// position, according to the newest answer. What it took stays in the outbox until it is
  /// settled: see `UnitOfWork.settle`.
  package var takenThrough = OutboxPosition.start
  /// The greatest number issued to an outbox entry.
  package var lastNumber: UInt64 = 0
  /// The nonce of a request for a new identity that may be in flight. Repeated, it yields the same
  /// identity. A secret.
  package var renewal: [UInt8]?
  /// A join request that may be in flight.
  package var joining: PendingJoin?
  /// Whether the server last reported that its own clock is doubtful.
  package var isServerClockDoubtful = false
  /// Whether the server said last that this device has no access any more.
  package var hasAccessEnded = false

  /// The state of a replica that was just made.
  package init() {}

  /// Drops the secrets for one server. Cursor and outbox position stay: the same account knows
  /// them, and any other answers `restarted`.
  package mutating func leave() {
    renewal = nil
  }

  /// Whether the replica has all of the account's records: always if unpaired, otherwise once its
  /// cursor is at the head and no reconcile is due.
  package var holdsEverything: Bool {
    guard account != nil else { return true }
    return lastSync != nil && isAtHead
  }

  /// Whether what precedes the head that the server told last is here.
  package var isAtHead: Bool { mustReconcile == nil && cursor == head }

  /// Whether the server is known to have lost something that was not restored to it yet.
  package var isAfterLoss: Bool { mustReconcile.map { $0 & 1 == 1 } ?? false }
}
