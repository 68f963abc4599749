// SPDX-License-Identifier: Apache-2.0
// One account of the simulated server: its devices' writes, and the observed part of its feed.

import AtrestReplication
import AtrestServer

/// An account with its oracle. Accounts share only the server.
final class Account {
  let index: Int
  /// The account's name for the server's operator.
  let name: String
  var oracle: Oracle
  /// The greatest register of each field that a response acknowledged.
  var acknowledged = Acknowledged()
  /// Losing writes of committed journal entries, except those that were lost with every holder.
  var journal: Set<Oracle.Held> = []
  /// Committed journal entries by the record that they are about.
  var entries: [RecordKey: Set<Conflict>] = [:]
  /// The records as the server last showed them.
  var view: [RecordKey: Record] = [:]
  /// The true time when the server accepted each journal entry, or slightly earlier. Microseconds.
  var entered: [RecordKey: Int64] = [:]
  /// The same for each deletion, by its stamp.
  var deleted: [RecordKey: [Stamp: Int64]] = [:]
  /// The true time when the feed was looked at last.
  var lookedAt: Int64 = 0
  /// The greatest stamp that the feed ever showed, and the server's clock at that moment.
  var greatest = HybridTime(rawValue: 0)
  var looked = WallTime(milliseconds: 0)
  /// The feed was checked up to here.
  var seenHead: UInt64 = 0
  /// The feed when the server ended between two commits. Nil if it ended inside one.
  var feedAtEnd: [FeedRecord]?

  /// Its number in a shared database.
  var sharedID: AccountID { AccountID(rawValue: Int64(index) + 1) }
  /// Offers that a server refused, under their numbers.
  var refused: Set<RefusedOffer> = []

  init(index: Int) {
    self.index = index
    name = index == 0 ? "home" : "neighbour \(index)"
    oracle = Oracle(first: Int64(index) * 100_000)
  }

  /// Drops the observed state, because the server now has another history.
  func forgetView() {
    // What a backup holds was there before: `entered` and `deleted` stay.
    view = [:]
    seenHead = 0
    feedAtEnd = nil
  }
}
