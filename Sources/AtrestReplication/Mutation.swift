// SPDX-License-Identifier: Apache-2.0
// Bugs that can be switched on to prove that the simulator finds them. Absent from release builds.

/// A plausible bug. Each case is checked at the place where the bug would be made.
package enum Mutation: String, CaseIterable, Sendable {
  /// Of two writes with one stamp the last to arrive wins.
  case arrivalDecidesTie
  /// The server uses a time as the cursor.
  case timeAsCursor
  /// The server answers before its commit has returned.
  case acknowledgedBeforeCommit
  /// The client clears its outbox before the answer is stored.
  case outboxClearedEarly
  /// The receiver clamps a stamp that is ahead of its clock.
  case stampClamped
  /// The server does not forward a tombstone.
  case tombstoneDropped
  /// The server does not journal a losing write.
  case journalForgotten
  /// The client's logical clock restarts with the program.
  case clockForgotten
  /// The client moves its cursor in one transaction and stores the records in another.
  case cursorMovedFirst
  /// The client removes a refused write from the outbox.
  case refusedForgotten
  /// The server issues a sequence number twice.
  case sequenceGivenTwice
  /// The server drops unknown fields.
  case unknownFieldDropped
  /// The client treats every waiting offer as acknowledged, not only those in the request.
  case laterOfferForgotten
  /// The server answers before its log is synced to disk.
  case commitNotSynced
  /// A client command returns before its log is synced to disk.
  case writeNotSynced
  /// A page that is not the last ends one record too far.
  case cursorAhead
  /// The server accepts any cursor as one of its own past.
  case restoreNotNoticed
  /// The server ignores outbox positions.
  case copyNotNoticed
  /// The client records a full comparison that it did not make.
  case comparisonSkipped
  /// Merging keeps registers that are below a pruned record's floor.
  case floorIgnored
  /// The server accepts stamps however far they lead its clock.
  case skewNotChecked
  /// The client never sends its last known head.
  case headNotSent
  /// The client stores an answer whose request was made before a concurrent sync learned of another
  /// head.
  case overtakenStored
  /// All commits have the same name, so any of them passes for any other.
  case commitsNotNamed
  /// The client accepts any position of its outbox as one of its own past.
  case positionAlwaysKnown
  /// The server judges an offer twice.
  case offerJudgedTwice
  /// The server forgets which offers it refused and acknowledges them.
  case refusalNotRepeated
  /// The client changes an outbox entry after sending it.
  case sentEntryChanged
  /// A write that replaces a waiting one inherits its `replaced`, even if the waiting one was sent.
  case replacedCarriedTooFar
  /// The client restamps writes that the server may already have.
  case sentEntryRestamped
  /// The client restamps writes without regard to what they replaced.
  case restampedBelowFloor
  /// A new identity changes the times of waiting writes.
  case renewalMovesTimes
  /// A write that follows an accepted stamp is still measured against the server's clock.
  case stepsNotTaken
  /// A deletion knows an action only by the action's own `deleted` register.
  case partsNotKnown
  /// When parts of several actions return to a deleted record, only the last action is journalled.
  case partsNotNoted
  /// Every losing write is journalled, even if the winner knew it.
  case everythingJournalled
  /// Registers that are not in `written` conflict like any other.
  case unwrittenConflicts
  /// Registers that the server may have lost are accepted without judgement.
  case restoredNotJudged
  /// The server judges a returning register again although it judged it when it lost.
  case judgedAgain
  /// Writes of one replica conflict with each other.
  case ownWritesConflict
  /// Two writes of the same value conflict.
  case equalValuesConflict
  /// A deletion does not journal the actions that it hides.
  case hiddenNotJournalled
  /// A winning deletion journals only the last action of an offer.
  case earlierNotJournalled
  /// An action that revives a pruned record does not lift its other registers.
  case notLifted
  /// Lifted registers get the action's stamp instead of the floor's.
  case liftedTooHigh
  /// Records are pruned although the journal lists an action that lost to their deletion.
  case prunedThoughListed
  /// The server prunes a record that some device does not yet know is deleted.
  case prunedTooEarly
  /// A replica that learns of a losing write does not offer it before it goes.
  case notOfferedBeforeItGoes

  #if DEBUG || MUTATIONS
    /// The bug that is active in this task and its child tasks.
    @TaskLocal package static var current: Mutation?

    /// Whether this bug is active here.
    package var isActive: Bool { Mutation.current == self }
  #else
    /// Whether this bug is active here: never in this build.
    @inlinable package var isActive: Bool { false }
  #endif
}

extension Record {
  /// The record as a receiver with the active bug would take it; unchanged without one.
  package func bent(at now: @autoclosure () -> WallTime) -> Record {
    if Mutation.unknownFieldDropped.isActive {
      return Record(key: key, registers: registers.filter { $0.field < 16 }) ?? self
    }
    guard Mutation.stampClamped.isActive else { return self }
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
