// SPDX-License-Identifier: Apache-2.0
// An offer merged with the stored record, before any decision. Pure.

import AtrestProtocol
import AtrestReplication
import AtrestWire

/// The result of merging an offer with a stored record.
struct MergedOffer {
  /// The stored record, and its decoded form.
  let found: StoredRecord
  let stored: Record
  let outcome: Offer.Outcome

  /// Merges. Nil if the stored record is corrupt.
  ///
  /// - Parameter now: The detection time for journal entries.
  init?(_ item: PreparedExchange.PreparedOffer, with found: StoredRecord, at now: WallTime) {
    // Two records merge only if they are copies of the same record.
    guard let stored = try? Record(unpacking: found.body), stored.key == item.offer.record.key
    else {
      return nil
    }
    self.found = found
    self.stored = stored
    outcome = item.offer.merged(into: stored, history: found.recordHistory, at: now)
  }
}
