// SPDX-License-Identifier: Apache-2.0
// What an exchange is known to read, for an engine that loads it in one trip.

import AtrestReplication
import AtrestWire

extension PreparedExchange {
  /// Notes what the exchange reads at least. Conflicts read journal entries besides.
  func prefetch(_ queries: inout StoreQueries, for session: DeviceSession) {
    let account = session.account.id
    queries.devices.insert(session.replica)
    queries.feedStates.insert(account)
    if segment != nil { queries.outboxes.insert(session.address) }
    for item in items {
      queries.records.insert(RecordAddress(account: account, key: item.key))
    }
    // A replica that is up to date gets no page; what it is up to date with is the feed's head.
    let head = session.account.head
    if let cursor, cursor != head, cursor.sequence > 0 {
      queries.positions.insert(FeedPosition(account: account, sequence: cursor.sequence))
    }
    if let lastKnownHead, lastKnownHead != head, lastKnownHead.sequence > 0 {
      queries.positions.insert(FeedPosition(account: account, sequence: lastKnownHead.sequence))
    }
    if cursor != head || head == .start {
      let after = cursor?.sequence ?? 0
      queries.feedChunks.insert(FeedPosition(account: account, sequence: after))
    }
  }
}
