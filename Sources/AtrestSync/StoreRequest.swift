// SPDX-License-Identifier: Apache-2.0
// What a sync asks of its store, and what the store replies: one transaction each.

import AtrestReplication
import AtrestWire

/// One transaction on a replica. Durable when it is replied to, without effect when it fails.
package enum StoreRequest: Hashable, Sendable {
  /// Reads the replica's sync position.
  case position
  /// Takes the oldest waiting writes with a number above this one, then unnumbered ones, which are
  /// numbered now; at most `Page.records` and `Page.recordBytes` of them, and none at the end. The
  /// numbers and their token are durable before the reply.
  ///
  /// Leaves out refused writes and held deletions.
  case nextPage(after: UInt64)
  /// Reads the sequence of the newest refused write; 0 if there is none.
  case lastRefused
  /// Makes refused writes eligible again, up to the one with this sequence.
  case retryRefused(through: Int64)
  /// Reads whether a write waits that is neither refused nor held.
  case hasWaitingWrites
  /// Decides anew which deletions to hold: all of them, if together they would delete more than
  /// half of at least 20 records that the server knows; otherwise none. If the person confirmed,
  /// none is held.
  case holdMassDeletion(areAllowed: Bool)
  /// Stores an answer to an exchange: merges its records, removes acknowledged entries from the
  /// outbox, records refusals, and updates the cursor, the head, the clock offset and the server's
  /// outbox position. If the server lost something, the cursor becomes the head and a reconcile is
  /// demanded. Fails as `.invalid` if the answer breaks the contract.
  case apply(ExchangeResponse, to: ExchangeAttempt, at: Reading)
  /// Stores an event of the stream, if the replica's cursor and head are where the event begins.
  case applyEvent(WatchResponse, at: WallTime)
  /// Restamps writes that were, or would be, refused for their stamps. Keeps the order within each
  /// record, and uses no time later than the server's clock where that order allows. Clears the
  /// refusals and demands a reconcile. For a device whose clock was ahead.
  case restamp(at: WallTime)
  /// Reads the request for a new identity. Durable, and the same until an identity was taken, so a
  /// repeated request yields no second one.
  case renewal
  /// Takes a new identity in place of the one with this credential, restamps all waiting writes,
  /// starts a new outbox log and demands a reconcile. Does nothing if another sync of this replica
  /// took a new identity in the meantime. Fails as `.invalid` if the answer cannot be used. For a
  /// replica that is a copy or was restored from one.
  case adopt(PairResponse, insteadOf: String?)
  /// Reads the pending demand to reconcile. Each demand has a different number.
  case reconcileDemand
  /// Reads the keys and hashes of all records, ascending by key. O(records): each is hashed.
  case hashes
  /// Merges records from a comparison, and queues records that the server lacks or has differently:
  /// of the keys to offer those without a waiting write and whose merged record differs from the
  /// received one. Stores nothing if the cursor has moved. Fails as `.invalid` if a record
  /// breaks the contract.
  case merge(records: [[UInt8]], offering: [RecordKey], at: Cursor?)
  /// Clears a demand after a full comparison, unless a newer one has replaced it.
  case endReconcile(UInt64)
  /// Records the completion of a sync.
  case noteSync(at: WallTime)

  /// Whether it may have nothing to write: `UnitOfWork.replyWithoutWriting` tells.
  package var mayOnlyRead: Bool {
    switch self {
    case .position, .nextPage, .lastRefused, .hasWaitingWrites, .holdMassDeletion, .reconcileDemand,
      .hashes:
      true
    case .retryRefused, .apply, .applyEvent, .restamp, .renewal, .adopt, .merge, .endReconcile,
      .noteSync:
      false
    }
  }
}

/// The reply to a `StoreRequest`.
package enum StoreReply: Hashable, Sendable {
  /// To `position`.
  case position(SyncPosition)
  /// To `nextPage`; empty at the end.
  case page(OutboxPage)
  /// To `lastRefused`.
  case sequence(Int64)
  /// To `hasWaitingWrites`.
  case waiting(Bool)
  /// To `holdMassDeletion`; nil if none is held.
  case held(HeldDeletions?)
  /// To `apply`, `applyEvent` and `merge`; nil if an event did not fit.
  case applied(AppliedAnswer?)
  /// To `renewal`.
  case renewal(RenewRequest)
  /// To `adopt`: whether it did.
  case adopted(Bool)
  /// To `reconcileDemand`; nil if there is none.
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
