// SPDX-License-Identifier: Apache-2.0
// The lives of a store: each start draws an epoch, and where each life ended is known for every account.

import GRDB

/// One life: from a start of the store to the next.
struct Life {
  /// Its place among the lives of the store.
  let ordinal: Int64
  /// Its name, in cursors.
  let epoch: UInt64

  /// Lives that a store remembers. Whoever stands in an older one starts over, which costs a comparison and loses nothing.
  static let remembered: Int64 = 4096
  /// Draws of an epoch before giving up. One that is taken is as good as impossible already.
  private static let draws = 8

  /// Begins a life, durably.
  static func begin(_ db: Database, drawEpoch: () -> UInt64) throws -> Life {
    var life: Life?
    try db.inTransaction(.immediate) {
      for _ in 0..<draws where life == nil {
        let epoch = max(1, drawEpoch())
        try db.execute(
          sql: "INSERT INTO life (epoch) VALUES (?) ON CONFLICT (epoch) DO NOTHING",
          arguments: [Int64(bitPattern: epoch)])
        guard db.changesCount == 1 else { continue }
        life = Life(ordinal: db.lastInsertedRowID, epoch: epoch)
      }
      guard let life else { throw StoreError.failed(reason: "no new epoch could be drawn") }
      try forget(db, through: life.ordinal - remembered)
      try db.execute(sql: "UPDATE meta SET writes = writes + 1")
      return .commit
    }
    guard let life else { throw StoreError.failed(reason: "no new epoch could be drawn") }
    return life
  }

  private static func forget(_ db: Database, through ordinal: Int64) throws {
    try db.execute(sql: "DELETE FROM life WHERE ordinal <= ?", arguments: [ordinal])
    // Reads all of the table, so only when there is something to forget: once a start, for stores with a long past.
    guard db.changesCount > 0 else { return }
    try db.execute(sql: "DELETE FROM life_start WHERE life <= ?", arguments: [ordinal])
  }
}
