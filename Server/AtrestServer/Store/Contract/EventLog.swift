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

  /// Visits all events above `number`, oldest first, until `visit` returns false.
  func scan(after number: UInt64, _ visit: (EventEntry) -> Bool) throws(StoreError)
}
