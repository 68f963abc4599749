// SPDX-License-Identifier: Apache-2.0
// One transaction on a replica, as apps see it.

import AtrestReplication
import AtrestSync
import AtrestWire
import GRDB

import struct AtrestReplication.Record

/// The reads and writes of one transaction. Invalid after the transaction ends.
///
/// Every method throws `ReplicaError` if the database fails; the transaction then rolls back.
public final class ReplicaTransaction {
  /// The rules, on this transaction's tables.
  var work: UnitOfWork<SQLiteTables>

  init(
    _ database: Database, path: String, now: WallTime, random: @escaping @Sendable () -> UInt64
  ) throws {
    work = UnitOfWork(try SQLiteTables(database, path: path), now: now, random: random)
  }

  var database: Database { work.tables.database }

  /// This device's clock when the transaction began.
  var now: WallTime { work.now }

  var state: ReplicaState {
    get { work.tables.state }
    set { work.tables.state = newValue }
  }

  /// The records whose contents this transaction changed.
  var changed: ChangedRecords {
    var changed = ChangedRecords()
    changed.written = work.written
    changed.received = work.received
    return changed
  }

  /// Called before the commit.
  func finish() throws { try work.tables.finish() }

  /// Runs database code and remembers its failure.
  func storage<Result>(_ body: () throws -> Result) throws(ReplicaError) -> Result {
    try work.tables.storage(body)
  }

  /// A stored record of any kind, deleted or not; nil if there is none.
  public func record(_ key: RecordKey) throws(ReplicaError) -> Record? {
    try work.records.record(key)
  }
}
