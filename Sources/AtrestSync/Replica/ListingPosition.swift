// SPDX-License-Identifier: Apache-2.0
// A record's sort position in the listings, so that a query can sort and bound without decoding.

import AtrestDomain
import AtrestReplication
import AtrestWire

/// A record's listing and sort key, derived whenever the record is stored.
package struct ListingPosition: Hashable, Sendable {
  /// The listing. The raw values are stored.
  package enum State: Int, Sendable {
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
    package static let drunk = State.open

    /// The states of fasts that were, or may have been, completed.
    package static let completed: [State] = [.inHistory, .deleted, .short]
  }

  /// The listing.
  package var state: State
  /// The end of a fast, or its start if it is running; the time of a drink. Milliseconds since
  /// 1970.
  package var at: Int64

  /// nil for a record that is neither listed nor counted.
  package init?(of record: Record) {
    switch record.key.kind {
    case .session: self.init(fast: record)
    case .water:
      guard !record.isDeleted, let entry = try? WaterEntry(record) else { return nil }
      self.init(state: .drunk, at: entry.intake.at.milliseconds)
    default: return nil
    }
  }

  /// A position from its columns.
  package init(state: State, at: Int64) {
    self.state = state
    self.at = at
  }

  private init?(fast record: Record) {
    guard let session = try? Session(record) else {
      // Of a pruned fast only its deletion is left: see `ReplicaTransaction.completedFasts()`.
      guard record.isDeleted, record.floor != nil else { return nil }
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
}
