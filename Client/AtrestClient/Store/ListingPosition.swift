// SPDX-License-Identifier: Apache-2.0
// Where a record stands in the listings: what a look can sort and bound by without decoding what it
// does not show.

import AtrestDomain
import AtrestProtocol
import AtrestReplication
import Foundation
import GRDB

import struct AtrestReplication.Record

/// A record's place in the listings, derived from the record whenever it is stored.
struct ListingPosition: Hashable {
  /// In which listing. The numbers are stored.
  enum State: Int {
    /// A fast without an end, or something drunk.
    case open = 0
    /// A completed fast of 4 hours or more.
    case inHistory = 1
    /// A fast that was let go.
    case abandoned = 2
    /// A deleted fast that was completed once, or may have been: it counts for the trial and is
    /// shown nowhere.
    case deleted = 3
    /// A completed fast under 4 hours.
    case short = 4

    /// Something drunk.
    static let drunk = State.open
  }

  /// In which listing.
  var state: State
  /// When a fast ended, or began if it goes on; when something was drunk. Milliseconds since 1970.
  var at: Int64

  /// nil for a record that no listing shows or counts.
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

  /// Gives every record its place: for a file of a version that had none.
  static func fill(_ database: Database) throws {
    let rows = try Row.fetchCursor(
      database, sql: "SELECT rowid, body FROM record WHERE kind IN (?, ?)",
      arguments: [RecordKind.session.rawValue, RecordKind.water.rawValue])
    var places: [(Int64, ListingPosition)] = []
    while let row = try rows.next() {
      // What cannot be read is found, and told of, when it is looked at.
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
