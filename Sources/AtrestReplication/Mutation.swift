// SPDX-License-Identifier: Apache-2.0
// Mistakes that can be switched on, to prove that the simulator would find them. Not in release
// builds.

/// A mistake somebody could make here one day. Each stands at the place where it would be made.
package enum Mutation: String, CaseIterable, Sendable {
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
  /// The server does not look at positions of outboxes.
  case copyNotNoticed
  /// The client notes that it compared everything, and did not.
  case comparisonSkipped
  /// Merging leaves what is older than the floor of a pruned record.
  case floorIgnored
  /// The server takes stamps however far ahead of its clock they are.
  case skewNotChecked
  /// The client never sends its last known head.
  case headNotSent
  /// The client stores an answer to a request that was made before another sync was told of another
  /// head.
  case overtakenStored
  /// Any commit may stand in any other's place: all have one name.
  case commitsNotNamed
  /// The client takes any position of its outbox for one of its own past.
  case positionAlwaysKnown
  /// The server judges an offer again that it judged before.
  case offerJudgedTwice
  /// The server forgets which offers it refused, and says that it took them.
  case refusalNotRepeated
  /// The client changes an entry of the outbox that was sent.
  case sentEntryChanged
  /// A write over one that waits carries on what that one replaced, even if that one was sent.
  case replacedCarriedTooFar
  /// The client stamps writes again that the server may have.
  case sentEntryRestamped
  /// The client stamps writes again without regard to what they replaced.
  case restampedBelowFloor
  /// A new identity moves the times of what waits.
  case renewalMovesTimes
  /// Whatever follows an accepted stamp is measured by the server's clock all the same.
  case stepsNotTaken
  /// A deletion knows nothing of an action but its own `deleted` register.
  case partsNotKnown
  /// What comes back in pieces to a record that is deleted is journalled only with its last action.
  case partsNotNoted
  /// Every write that lost is journalled, whether or not the winner knew it.
  case everythingJournalled
  /// Offers that bring nothing new conflict like any other.
  case unwrittenConflicts
  /// What a server may have lost is taken in without being compared.
  case restoredNotJudged
  /// The server judges what comes back once more, though it judged it when it went.
  case judgedAgain
  /// Writes of one replica conflict with each other.
  case ownWritesConflict
  /// Two writes of one value conflict.
  case equalValuesConflict
  /// A deletion does not journal actions that it hides.
  case hiddenNotJournalled
  /// A deletion that wins journals the last action of an offer only.
  case earlierNotJournalled
  /// An action that brings a pruned record back does not bring it back whole.
  case notLifted
  /// What an action brings back counts as written by it.
  case liftedTooHigh
  /// Records are pruned although the journal lists an action that lost to their deletion.
  case prunedThoughListed
  /// The server prunes what some device does not know is deleted.
  case prunedTooEarly
  /// A replica that learns of a loss does not offer what gives way.
  case notOfferedBeforeItGoes

  #if DEBUG || MUTATIONS
    /// The mistake that is made in this task and those it starts.
    @TaskLocal package static var current: Mutation?

    /// Whether the mistake is to be made here.
    package var isActive: Bool { Mutation.current == self }
  #else
    /// Whether the mistake is to be made here: never.
    @inlinable package var isActive: Bool { false }
  #endif
}

extension Record {
  /// A received record as a receiver that meddles would take it; without a planted bug as it is.
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
