// SPDX-License-Identifier: Apache-2.0
// One transaction on a replica: every rule of writing, merging and settling, on any store.

import AtrestReplication
import AtrestWire

/// The rules of a replica within one transaction of its store. What they share is here; extensions
/// have one group of rules each.
///
/// Its owner begins the transaction, commits it if all went well and the tables are not damaged,
/// and otherwise rolls back.
package struct UnitOfWork<Tables: ReplicaTables> {
  /// The store.
  package let tables: Tables
  /// The merged view of all records.
  package let records: RecordTable<Tables>
  /// Records in the order of the listings.
  package let listings: ListingIndex<Tables>
  /// The writes that the server has not acknowledged.
  package let outbox: Outbox<Tables>
  /// The guard of waiting deletions.
  package let massDeletions: MassDeletionGuard<Tables>
  /// The latest user actions, for undo.
  let actions: ActionLog<Tables>
  /// This device's clock when the transaction began.
  package let now: WallTime
  /// An unpredictable number, not zero.
  package let nonce: () -> UInt64

  /// The records that local writes changed.
  package internal(set) var written: Set<RecordKey> = []
  /// The records that merging changed.
  package internal(set) var received: Set<RecordKey> = []
  /// What the current user action wrote so far; nil outside of one.
  var steps: [ActionStep]?

  /// The rules on a store.
  ///
  /// - Parameters:
  ///   - now: This device's clock, right or wrong.
  ///   - random: Unpredictable numbers.
  package init(_ tables: Tables, now: WallTime, random: @escaping () -> UInt64) {
    let nonce = {
      let number = random()
      return number == 0 ? 1 : number
    }
    self.tables = tables
    self.now = now
    self.nonce = nonce
    records = RecordTable(tables)
    listings = ListingIndex(tables)
    outbox = Outbox(tables, nonce: nonce)
    massDeletions = MassDeletionGuard(outbox)
    actions = ActionLog(tables)
  }

  /// Demands a comparison of all records with the server. A comparison already in progress does not
  /// satisfy the demand.
  ///
  /// - Parameter afterLoss: Whether the server lost something.
  package func demandReconcile(afterLoss: Bool) {
    // Bit 0 of the demand marks a loss.
    tables.state.mustReconcile =
      afterLoss || tables.state.isAfterLoss ? nonce() | 1 : max(2, nonce() & ~1)
  }
}
