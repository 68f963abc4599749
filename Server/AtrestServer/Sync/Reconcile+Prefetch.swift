// SPDX-License-Identifier: Apache-2.0
// What a round of reconciliation is known to read, for an engine that loads it in one trip.

import AtrestReplication
import AtrestWire

extension ReconcileRequest {
  /// Notes the ranges that are compared record by record. What the sums lack is found out later.
  func prefetch(_ queries: inout StoreQueries, of account: AccountID) {
    if let cursor, cursor.sequence > 0 {
      queries.positions.insert(FeedPosition(account: account, sequence: cursor.sequence))
    }
    var begin: [UInt8] = []
    for range in ranges {
      if case .items = range.content {
        let interval = KeyInterval(from: begin, to: range.end)
        queries.rangeChunks.insert(RecordRange(account: account, interval: interval))
      }
      begin = range.end
    }
  }
}
