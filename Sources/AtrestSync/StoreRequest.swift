// SPDX-License-Identifier: Apache-2.0
// What a sync asks of its store, and what the store replies: one transaction each.

import AtrestReplication
import AtrestWire

/// One transaction on a replica. Durable when it is replied to, without effect when it fails.
package enum StoreRequest: Hashable, Sendable {
  /// Reads the replica's sync position.
  case position
  /// Takes the oldest waiting writes with a number above this one, then unnumbered ones.
  case nextPage(after: UInt64)
  /// Reads the sequence of the newest refused write; 0 if there is none.
  case lastRefused
  /// Makes refused writes eligible again, up to the one with this sequence.
  case retryRefused(through: Int64)
  /// Decides anew which deletions to hold.
  case holdMassDeletion(areAllowed: Bool)
  /// Stores an answer to an exchange.
  case apply(ExchangeResponse, to: ExchangeAttempt, at: Reading)
  /// Stores an event of the stream, if the replica is where the event begins.
  case applyEvent(WatchEvent, at: WallTime)
  /// Restamps writes that were, or would be, refused for their stamps.
  case restamp(at: WallTime)
  /// Reads the request for a new identity.
  case renewal
  /// Takes a new identity in place of the one with this credential.
  case adopt(PairResponse, insteadOf: String?)
  /// Reads the pending demand to reconcile.
  case reconcileDemand
  /// Reads the keys and hashes of all records.
  case hashes
  /// Merges records from a comparison and queues others, unless the head is another by now.
  case merge(records: [[UInt8]], offering: [RecordKey], asKnowing: Cursor?)
  /// Clears a demand to reconcile, unless a newer one has replaced it.
  case endReconcile(UInt64)
  /// Records the completion of a sync.
  case noteSync(at: WallTime)
}

/// The reply to a `StoreRequest`.
package enum StoreReply: Hashable, Sendable {
  /// To `position`.
  case position(SyncPosition)
  /// To `nextPage`; empty at the end.
  case page(OutboxPage)
  /// To `lastRefused`.
  case sequence(Int64)
  /// To `holdMassDeletion`.
  case held(HeldDeletions?)
  /// To `apply`, `applyEvent` and `merge`; nil if an event did not fit.
  case applied(AppliedAnswer?)
  /// To `renewal`.
  case renewal(RenewRequest)
  /// To `adopt`: whether it did.
  case adopted(Bool)
  /// To `reconcileDemand`.
  case demand(UInt64?)
  /// To `hashes`.
  case hashes([KeyRange.Item])
  /// To the requests that only change something.
  case done
}

/// One request with the outbox page that it carries.
package struct ExchangeAttempt: Hashable, Sendable {
  /// What is sent.
  package var request: ExchangeRequest
  /// The waiting writes in it.
  package var page: OutboxPage

  /// An attempt from its parts.
  package init(request: ExchangeRequest, page: OutboxPage) {
    self.request = request
    self.page = page
  }
}
