// SPDX-License-Identifier: Apache-2.0
// A waiting write, decoded.

import AtrestReplication
import AtrestWire

/// An entry of the outbox.
package struct OutboxEntry {
  /// Entries are in the order in which they were written.
  package let sequence: Int64
  /// The record's key.
  package let key: RecordKey
  /// nil for an acknowledged record that is to be offered again, and was not yet.
  package let offer: Offer?
  /// Why it is not sent; nil if it may be.
  package let refusal: OutboxRefusal?
  /// Its number in the outbox's log; nil for one that was never sent, or that the server did not
  /// take. What has a number may be on the server, and never changes.
  package let number: UInt64?

  /// Whether the server refused it permanently, so that later writes of the record do not wait for
  /// it.
  var isRefusedForGood: Bool {
    guard let refusal, number == nil else { return false }
    return !RefusalReason.transient.contains(refusal.reason)
  }

  /// Whether the entry deletes its record, was never sent, and waits for confirmation.
  var isHeldDeletion: Bool {
    guard number == nil, refusal?.reason == .massDeletion, let offer else { return false }
    return offer.record.isDeleted && offer.written.contains(Register.deletedField)
  }

  /// Whether the entry's writes include a register.
  package func wrote(_ register: Register) -> Bool {
    guard let offer, offer.written.contains(register.field) else { return false }
    return offer.record[register.field] == register
  }
}

extension Offer {
  /// Whether this offers a record again because the server may have lost it. A signed fact also has
  /// an empty `written`, but is new.
  var isHeld: Bool { isRestored || (written.isEmpty && record.key.kind != .entitlement) }
}
