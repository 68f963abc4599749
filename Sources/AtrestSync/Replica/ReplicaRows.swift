// SPDX-License-Identifier: Apache-2.0
// The rows of a replica's tables, as stores keep them. Records and offers are encoded.

import AtrestReplication
import AtrestWire

/// A row of `record`: the merged view of one record.
package struct RecordRow: Hashable, Sendable {
  /// The record's key.
  package let key: RecordKey
  /// Its canonical bytes.
  package let body: [UInt8]
  /// Derived from the bytes; nil if no listing has the record.
  package let listing: ListingPosition?

  /// A row from its columns.
  package init(key: RecordKey, body: [UInt8], listing: ListingPosition?) {
    self.key = key
    self.body = body
    self.listing = listing
  }
}

/// A part of a listing: the records of a kind in one state, by time.
package struct ListingRange: Hashable, Sendable {
  /// The kind of the records.
  package let kind: RecordKind
  /// Their state.
  package let state: ListingPosition.State
  /// The earliest time, inclusive. Milliseconds since 1970.
  package var from = Int64.min
  /// The latest time, exclusive. Milliseconds since 1970.
  package var before = Int64.max
  /// The most records; nil for all.
  package var limit: Int?

  /// The whole listing.
  package init(_ kind: RecordKind, _ state: ListingPosition.State) {
    self.kind = kind
    self.state = state
  }
}

/// A row of `outbox`: something that the server has not acknowledged.
package struct OutboxRow: Hashable, Sendable {
  /// Rows are in the order in which they were written.
  package let sequence: Int64
  /// The record's key.
  package let key: RecordKey
  /// An encoded `Offer`. nil for an acknowledged record that is to be offered again: what that
  /// contains is decided when it is sent for the first time.
  package var offer: [UInt8]?
  /// Whether it gives the record back to a server that may have lost it.
  package let isRestoring: Bool
  /// Why it is not sent; nil if it may be.
  package var refusal: OutboxRefusal?
  /// Its number in the outbox's log; nil for one that was never sent, or that the server did not
  /// take.
  package var number: UInt64?

  /// A row from its columns.
  package init(
    sequence: Int64, key: RecordKey, offer: [UInt8]?, isRestoring: Bool,
    refusal: OutboxRefusal? = nil, number: UInt64? = nil
  ) {
    self.sequence = sequence
    self.key = key
    self.offer = offer
    self.isRestoring = isRestoring
    self.refusal = refusal
    self.number = number
  }
}

/// Why a write is not sent.
package struct OutboxRefusal: Hashable, Sendable {
  /// For programs.
  package let reason: RefusalReason
  /// For people.
  package let message: String

  /// A refusal from its columns.
  package init(reason: RefusalReason, message: String) {
    self.reason = reason
    self.message = message
  }
}

/// A row of `action`: a user action on this device.
package struct ActionRow: Hashable, Sendable {
  /// Rows are in the order of the actions.
  package let sequence: Int64
  /// The raw value of a `UserAction`.
  package let what: Int
  /// The time of the action, by this device's clock.
  package let at: WallTime

  /// A row from its columns.
  package init(sequence: Int64, what: Int, at: WallTime) {
    self.sequence = sequence
    self.what = what
    self.at = at
  }
}

/// A row of `action_step`: an action's effect on one record.
package struct ActionStepRow: Hashable, Sendable {
  /// The encoded record before; nil if there was none.
  package let before: [UInt8]?
  /// The encoded `Offer` that the action wrote.
  package let after: [UInt8]

  /// A row from its columns.
  package init(before: [UInt8]?, after: [UInt8]) {
    self.before = before
    self.after = after
  }
}
