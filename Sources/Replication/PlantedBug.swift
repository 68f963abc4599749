// SPDX-License-Identifier: Apache-2.0
// Mistakes that can be switched on, to prove that the simulator would find them. Not in release builds.

/// A mistake somebody could make here one day. Each stands at the place where it would be made.
package enum PlantedBug: String, CaseIterable, Sendable {
  /// Of two writes with one stamp the one that came last stays.
  case arrivalDecidesTie
  /// The server gives a time as the place in the feed.
  case timeAsCursor
  /// The server answers before its commit returned.
  case acknowledgedBeforeCommit
  /// The client forgets what it offered before the answer is stored.
  case outboxClearedEarly
  /// The receiver turns a stamp ahead of its clock back.
  case stampClamped
  /// The server does not pass a deletion on.
  case tombstoneDropped
  /// The server does not journal a write that lost.
  case journalForgotten
  /// The client's logical clock starts anew with the program.
  case clockForgotten
  /// The client moves its cursor, and stores the records in another transaction.
  case cursorMovedFirst
  /// The client takes a refused write out of the outbox.
  case refusedForgotten
  /// The server gives a sequence that was given before.
  case sequenceGivenTwice
  /// The server drops fields it does not know.
  case unknownFieldDropped
  /// The client takes any offer that waits for acknowledged, not only those it made.
  case laterOfferForgotten
  /// The server's log is not synced before the answer.
  case commitNotSynced
  /// The client's log is not synced before the command returns.
  case writeNotSynced
  /// A page that has more after it ends one record too far.
  case cursorAhead
  /// The server takes any place in the feed for one of its own past.
  case restoreNotNoticed
  /// The server does not look at sync tokens.
  case copyNotNoticed
  /// The client notes that it compared everything, and did not.
  case comparisonSkipped
  /// Merging leaves what is older than the floor of a stripped record.
  case floorIgnored

  #if DEBUG || PLANTED_BUGS
    /// The mistake that is made in this task and those it starts.
    @TaskLocal package static var current: PlantedBug?

    /// Whether the mistake is to be made here.
    package var isPlanted: Bool { PlantedBug.current == self }
  #else
    /// Whether the mistake is to be made here: never.
    @inlinable package var isPlanted: Bool { false }
  #endif
}

extension Record {
  /// A received record as a receiver that meddles would take it; without a planted bug as it is.
  package func bent(at now: @autoclosure () -> WallTime) -> Record {
    if PlantedBug.unknownFieldDropped.isPlanted {
      return Record(key: key, registers: registers.filter { $0.field < 16 }) ?? self
    }
    guard PlantedBug.stampClamped.isPlanted else { return self }
    let bound = HybridTime(now())
    let clamped = registers.map { register in
      Register(
        field: register.field,
        stamp: Stamp(time: min(register.stamp.time, bound), replica: register.stamp.replica),
        replaced: register.replaced, value: register.value)
    }
    return Record(key: key, registers: clamped) ?? self
  }
}
