// SPDX-License-Identifier: Apache-2.0
// What a simulation found.

import AtrestReplication

/// A promise that was broken.
package struct Violation: Error, Sendable, CustomStringConvertible {
  /// What was promised, and what was found instead.
  package let description: String
  /// The record it is about, if it is about one.
  package let key: RecordKey?

  /// What sort of promise it was: its first words, without figures.
  var sort: String { String(description.prefix(80).filter { !$0.isNumber }) }

  init(_ description: String, about key: RecordKey? = nil) {
    self.description = description
    self.key = key
  }
}

/// What came of one history.
package struct Outcome: Sendable {
  /// Nil: every promise was kept.
  package var violation: Violation?
  /// A fingerprint of all that happened: equal seeds must give equal ones.
  package var trace: UInt64
  /// Days that passed, times devices.
  package var deviceDays: Double
  /// How often each thing happened.
  package var counts: [Counted: Int]
}

/// Things that are counted, to see that a simulation does what it is meant to.
package enum Counted: String, CaseIterable, Sendable {
  case edits, syncs, failedSyncs, cut, deviceEnds, serverEnds, fatalServerErrors, putBacks, clones
  case conflicts, records, replays, foreignWrites, comparisons, renewals, pruned
  /// Owed writes that were excused, and false entries that were granted, because a server forgot
  /// something.
  case lossesExcused, falseEntriesExcused
  case serverClockSteps, quotaRefusals, quotaTaken, heldDeletions, allowedDeletions, unpairs
  case watches, watchEvents, unheardRuns, endedBeside, neighbourSyncs, slowBytes
}
