// SPDX-License-Identifier: Apache-2.0
// One account of the simulated server: what its devices wrote, and what the world has seen of its
// feed.

import AtrestReplication

/// An account and its judge. Accounts share a server and nothing else.
final class Account {
  let index: Int
  /// What the server's owner calls it.
  let name: String
  var oracle: Oracle
  /// The greatest register of each field that an answer took in.
  var acknowledged = Acknowledged()
  /// Losing writes of entries that were ever committed and not lost with every holder.
  var journal: Set<Oracle.Held> = []
  /// Records as the server last showed them.
  var view: [RecordKey: Record] = [:]
  /// When the server's clock says that it took in each entry of the journal, or a little before.
  var entered: [RecordKey: WallTime] = [:]
  /// The greatest stamp that the feed ever showed, and what the server's clock showed then.
  var greatest = HybridTime(rawValue: 0)
  var looked = WallTime(milliseconds: 0)
  /// The feed up to here was looked at.
  var seenHead: UInt64 = 0
  /// The feed when the server ended between two commits; nil if it ended inside one.
  var feedAtEnd: [FeedRecord]?

  init(index: Int) {
    self.index = index
    name = index == 0 ? "home" : "neighbour \(index)"
    oracle = Oracle(first: Int64(index) * 100_000)
  }

  /// The server shows another past from now on.
  func forgetView() {
    view = [:]
    entered = [:]
    seenHead = 0
    feedAtEnd = nil
  }
}
