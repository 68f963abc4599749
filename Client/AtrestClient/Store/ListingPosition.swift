// SPDX-License-Identifier: Apache-2.0
// A record's sort position in the listings, so that a query can sort and bound without decoding.

import AtrestDomain
import AtrestReplication
import AtrestWire
import Foundation
import GRDB

import struct AtrestReplication.Record

/// A record's listing and sort key, derived whenever the record is stored.
struct ListingPosition: Hashable {
  /// The listing. The raw values are stored.
  enum State: Int {
    /// A running fast, or a drink.
    case open = 0
    /// A completed fast of 4 hours or more.
    case inHistory = 1
    /// An abandoned fast.
    case abandoned = 2
    /// A deleted fast that was, or may have been, completed. It counts for the trial and is not
    /// listed.
    case deleted = 3
    /// A completed fast under 4 hours.
    case short = 4

    /// The state of a drink: `open`, whose number it shares.
    static let drunk = State.open
  }

  var state: State
  /// The end of a fast, or its start if it is running; the time of a drink. Milliseconds since
  /// 1970.
  var at: Int64

  /// nil for a record that is neither listed nor counted.
  init?(of record: Record) {
    switch record.key.kind {
    case .session: self.init(fast: record)
    case .water:
      guard !record.isDeleted, let entry = try? WaterEntry(record) else { return nil }
      self.init(state: .drunk, at: entry.intake.at.milliseconds)
    default: return nil
    }
  }

  private init(state: State, at: Int64) {
    self.state = state
    self.at = at
  }

  private init?(fast record: Record) {
    guard let session = try? Session(record) else {
      // Of a pruned fast only its deletion is left: see `ReplicaTransaction.completedFasts()`.
      guard record.isDeleted, record[Register.pruneFloorField] != nil else { return nil }
      self.init(state: .deleted, at: 0)
      return
    }
    let state: State
    switch session.span.outcome {
    case .completed where record.isDeleted: state = .deleted
    case _ where record.isDeleted: return nil
    case .active: state = .open
    case .abandoned: state = .abandoned
    case .completed: state = session.isInHistory ? .inHistory : .short
    }
    self.init(state: state, at: (session.span.end ?? session.span.start).milliseconds)
  }

  /// Derives the position of every record: a migration for files of versions without positions.
  static func fill(_ database: Database) throws {
    let rows = try Row.fetchCursor(
      database, sql: "SELECT rowid, body FROM record WHERE kind IN (?, ?)",
      arguments: [RecordKind.session.rawValue, RecordKind.water.rawValue])
    var places: [(Int64, ListingPosition)] = []
    while let row = try rows.next() {
      // An unreadable record is reported when it is read.
      guard let record = try? Record(decoding: row.bytes(at: 1)),
        let place = ListingPosition(of: record)
      else { continue }
      places.append((try row.decode(atIndex: 0), place))
    }
    let update = try database.cachedStatement(
      sql: "UPDATE record SET state = ?, at = ? WHERE rowid = ?")
    for (row, place) in places {
      try update.execute(arguments: [place.state.rawValue, place.at, row])
    }
  }
}
