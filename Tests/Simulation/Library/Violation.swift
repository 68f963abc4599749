// SPDX-License-Identifier: Apache-2.0
// The results of a simulation.

import AtrestReplication

/// A broken promise.
package struct Violation: Error, Sendable, CustomStringConvertible {
  /// What was promised and what was found.
  package let description: String
  /// The record concerned, if any.
  package let key: RecordKey?

  /// The sort of violation: its first words without numbers.
  var sort: String { String(description.prefix(80).filter { !$0.isNumber }) }

  init(_ description: String, about key: RecordKey? = nil) {
    self.description = description
    self.key = key
  }
}

/// The result of one history.
package struct Outcome: Sendable {
  /// Nil: every promise was kept.
  package var violation: Violation?
  /// A hash of all events. Equal seeds must give equal traces.
  package var trace: UInt64
  /// Simulated days times devices.
  package var deviceDays: Double
  /// How often each counted thing happened.
  package var counts: [Counted: Int]
}

/// Things that are counted, to check that a simulation does what it should.
package enum Counted: String, CaseIterable, Sendable {
  case edits, syncs, failedSyncs, cut, deviceEnds, serverEnds, fatalServerErrors, putBacks, clones
  case conflicts, records, replays, foreignWrites, comparisons, renewals, pruned
  /// Owed writes and false journal entries that were excused because a server forgot something.
  case lossesExcused, falseEntriesExcused
  case serverClockSteps, quotaRefusals, quotaTaken, heldDeletions, allowedDeletions, unpairs
  /// Syncs and watches by the owner of their machine: a task, or `DirectSync`.
  case taskSyncs, directSyncs, taskWatches, directWatches
  case watchEvents, unheardRuns, endedBeside, neighbourSyncs, slowBytes
  /// Of a shared database: commits, what was in their way, and what was lost.
  case sharedCommits, conflictingCommits, conflictingTrips, lockWaits, unknownCommits, cutWaits
  case crashes, failovers, lossyFailovers, answersFromMemory, lostNews
}
