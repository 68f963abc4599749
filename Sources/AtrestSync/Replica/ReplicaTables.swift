// SPDX-License-Identifier: Apache-2.0
// What a store must do to hold a replica: operations on rows, without any rule.

import AtrestReplication
import AtrestWire

/// A replica's tables within one transaction. The rules are in `UnitOfWork` and its parts; a store
/// keeps rows, finds them by key and reads ranges of them in order.
///
/// A value is a handle: copies of it reach the same rows. An operation sees what those before it
/// wrote. If one fails, or the rules find a row that they cannot read (`damaged`), the transaction
/// must not be committed, whatever is done with the error.
package protocol ReplicaTables {
  /// The one row of the table `replica`.
  var state: ReplicaState { get nonmutating set }

  /// Notes that a row cannot be read, and names the replica in the error to throw.
  func damaged() -> ReplicaError

  /// Has the commit of this transaction sync what earlier ones wrote, even if this one changes
  /// nothing. For stores in which a process may see a commit before the disk has it.
  func makeDurable() throws(ReplicaError)

  // MARK: record

  /// The bytes of a record; nil if there is none.
  func recordBody(_ key: RecordKey) throws(ReplicaError) -> [UInt8]?
  /// Inserts a row unless there is one with its key.
  /// - Returns: Whether it was inserted.
  func insertRecord(_ row: RecordRow) throws(ReplicaError) -> Bool
  /// Inserts a row, or replaces the one with its key.
  func putRecord(_ row: RecordRow) throws(ReplicaError)
  /// Calls `visit` for each record of a kind, or of all, ascending by key. `visit` changes none.
  func forEachRecord(
    of kind: RecordKind?, _ visit: (RecordKey, _ body: [UInt8]) throws(ReplicaError) -> Void
  ) throws(ReplicaError)
  /// Calls `visit` with the bytes of each record of a listing, latest first, for equal times the
  /// greatest id first. `visit` changes none.
  func forEachListed(
    _ range: ListingRange, _ visit: (_ body: [UInt8]) throws(ReplicaError) -> Void
  ) throws(ReplicaError)
  /// The number of records of a kind in any of these states.
  func countListed(
    _ kind: RecordKind, in states: [ListingPosition.State]
  ) throws(ReplicaError) -> Int
  /// The greatest id before a record's, and the least one after it, within its kind.
  func nearestIDs(to key: RecordKey) throws(ReplicaError) -> [[UInt8]]

  // MARK: outbox

  /// Appends a row. Its sequence is greater than that of any row before, removed ones included.
  func appendOutbox(
    _ key: RecordKey, _ offer: [UInt8]?, isRestoring: Bool
  ) throws(ReplicaError)
  /// The row with a sequence; nil if there is none.
  func outboxRow(_ sequence: Int64) throws(ReplicaError) -> OutboxRow?
  /// The rows of one record, ascending by sequence.
  func outboxRows(of key: RecordKey) throws(ReplicaError) -> [OutboxRow]
  /// Calls `visit` for each row, ascending by sequence. `visit` changes none.
  func forEachOutboxRow(
    _ visit: (OutboxRow) throws(ReplicaError) -> Void
  ) throws(ReplicaError)
  /// Calls `visit` for at most `limit` rows that are not refused and have a number above `number`,
  /// ascending by number, until it returns false. `visit` changes none.
  func forEachNumberedRow(
    after number: UInt64, limit: Int, _ visit: (OutboxRow) throws(ReplicaError) -> Bool
  ) throws(ReplicaError)
  /// Calls `visit` for at most `limit` rows that are neither refused nor numbered, ascending by
  /// sequence, until it returns false. `visit` changes none.
  ///
  /// - Parameter reasons: A row is left out if an earlier one of its record was refused for one of
  ///   these.
  func forEachUnnumberedRow(
    notBehind reasons: [RefusalReason], limit: Int,
    _ visit: (OutboxRow) throws(ReplicaError) -> Bool
  ) throws(ReplicaError)
  /// The refused rows, ascending by sequence, with their reasons.
  func refusedRows() throws(ReplicaError) -> [(sequence: Int64, reason: RefusalReason)]
  /// The number of rows.
  func outboxCount() throws(ReplicaError) -> Int
  /// Whether any row has a number.
  func hasNumberedRow() throws(ReplicaError) -> Bool
  /// Replaces the offer of a row.
  func setOffer(_ offer: [UInt8], at sequence: Int64) throws(ReplicaError)
  /// Replaces the number of a row.
  func setNumber(_ number: UInt64?, at sequence: Int64) throws(ReplicaError)
  /// Takes the numbers of all rows.
  func removeNumbers() throws(ReplicaError)
  /// Replaces the refusal of a row.
  func setRefusal(_ refusal: OutboxRefusal?, at sequence: Int64) throws(ReplicaError)
  /// Removes a row.
  func removeOutboxRow(_ sequence: Int64) throws(ReplicaError)
  /// Removes the rows with a number up to this one, but for those of records that a row beyond it
  /// gives back after a loss.
  func removeOutboxRows(numberedThrough number: UInt64) throws(ReplicaError)

  // MARK: outbox_token

  /// The row with the greatest number; nil if there is none.
  func newestToken() throws(ReplicaError) -> OutboxPosition?
  /// Whether there is a row with this token whose number is this one or greater.
  func hasToken(atOrAfter position: OutboxPosition) throws(ReplicaError) -> Bool
  /// Inserts a row.
  func insertToken(_ position: OutboxPosition) throws(ReplicaError)
  /// Removes all rows but those with the greatest numbers.
  func removeTokens(butNewest count: Int) throws(ReplicaError)

  // MARK: action, action_step

  /// Inserts an action with its steps, under a sequence greater than that of any action before.
  func insertAction(
    _ what: Int, at time: WallTime, _ steps: [ActionStepRow]
  ) throws(ReplicaError)
  /// The action with the greatest sequence, among all or those of one sort, and among those before
  /// a sequence unless that is nil.
  func newestAction(of what: Int?, before sequence: Int64?) throws(ReplicaError) -> ActionRow?
  /// The steps of an action, in order.
  func actionSteps(_ sequence: Int64) throws(ReplicaError) -> [ActionStepRow]
  /// Gives an action that is there other steps.
  func setActionSteps(_ sequence: Int64, _ steps: [ActionStepRow]) throws(ReplicaError)
  /// Removes an action with its steps.
  func removeAction(_ sequence: Int64) throws(ReplicaError)
  /// Removes the actions before a time or up to a sequence, with their steps.
  func removeActions(before time: WallTime, orThrough sequence: Int64) throws(ReplicaError)
}
