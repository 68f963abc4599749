// SPDX-License-Identifier: Apache-2.0
// An offer merged with the stored record that it meets, before anything is decided. Pure.

import AtrestProtocol
import AtrestReplication

/// What an offer and a stored record merge to.
struct MergedOffer {
  /// The record as it was found, and what that holds.
  let found: StoredRecord
  let stored: Record
  let outcome: Offer.Outcome

  /// Merges; nil if the stored record cannot be read.
  ///
  /// - Parameter now: The time that dates what lost.
  init?(_ item: PreparedExchange.PreparedOffer, with found: StoredRecord, at now: WallTime) {
    // Two records merge only if they are copies of the same record.
    guard let stored = try? Record(decoding: found.body), stored.key == item.offer.record.key else {
      return nil
    }
    self.found = found
    self.stored = stored
    outcome = item.offer.merged(into: stored, history: found.recordHistory, at: now)
  }
}
