// SPDX-License-Identifier: Apache-2.0
// The writes that one request carries.

import AtrestWire

/// A page of the outbox as sent in a request.
package struct OutboxPage: Hashable, Sendable {
  /// The store's sequences of the entries.
  package var sequences: [Int64]
  /// Encoded `Offer`s, one per entry.
  package var offers: [[UInt8]]
  /// The page's position in the outbox log; nil for an empty page. The bytes under a number never
  /// change.
  package var segment: OutboxSegment?

  /// Creates a page; empty by default.
  package init(sequences: [Int64] = [], offers: [[UInt8]] = [], segment: OutboxSegment? = nil) {
    self.sequences = sequences
    self.offers = offers
    self.segment = segment
  }
}
