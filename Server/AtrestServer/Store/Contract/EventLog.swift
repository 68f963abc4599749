// SPDX-License-Identifier: Apache-2.0
// The contract for the audit log.

/// The audit log: append-only, chained by hashes (`EventChain`), with ascending numbers. It
/// outlives accounts.
package protocol EventLog: AnyObject {
  /// What is one chain.
  var scope: EventScope { get }

  /// Appends events, in order.
  func append(_ events: [NewEvent]) throws(StoreError)

  /// At most `limit` events of one account, or of all, newest first.
  ///
  /// - Parameter number: Only events below it; nil: from the newest on.
  func page(
    of account: AccountID?, before number: UInt64?, limit: Int
  ) throws(StoreError) -> [EventEntry]

  /// A number so that all events up to it are in the log, and none of them comes later; nil if that
  /// holds for all that are there. Engines with several writers give numbers before they commit.
  ///
  /// Later transactions see these events; the one that asks may not.
  func settledNumber() throws(StoreError) -> UInt64?

  /// Visits all events above `number`, oldest first, until `visit` returns false.
  func scan(after number: UInt64, _ visit: (EventEntry) -> Bool) throws(StoreError)
}
