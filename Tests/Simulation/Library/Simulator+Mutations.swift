// SPDX-License-Identifier: Apache-2.0
// Looks for mutations. Only where they can be switched on: see Tests/Mutation/simulator.

#if MUTATIONS
  import AtrestReplication

  extension Simulator {
    /// Looks for the first seed that finds a mutation: one that is kept without it.
    ///
    /// - Returns: How many seeds it took, and what broke; nil if none of them found it.
    package static func hunt(
      _ mutation: Mutation, seeds: ClosedRange<UInt64>, plan: History.Plan = History.Plan()
    ) -> (seeds: Int, violation: Violation)? {
      for seed in seeds {
        let history = History(seed: seed, plan: plan)
        let mutated = Mutation.$current.withValue(mutation) { run(history) }
        if let violation = mutated.violation, run(history).violation == nil {
          return (Int(seed - seeds.lowerBound) + 1, violation)
        }
      }
      return nil
    }
  }

  extension SmallLaw {
    /// Searches for the shortest path on which a mutation breaks a promise.
    package static func hunt(
      _ mutation: Mutation, _ actions: [SmallAction], depth: Int
    ) throws -> Find? {
      try Mutation.$current.withValue(mutation) {
        do {
          var law = try SmallLaw(actions)
          for _ in 0...depth where law.finds.isEmpty { try law.deepen(stopsAtFind: true) }
          return law.finds.first
        } catch let violation as Violation {
          // Not even the start is reached.
          return Find(path: [], violation: violation)
        }
      }
    }

    /// Actions among which a mutation shows, and how many of them it takes.
    package static let found: [(Mutation, [SmallAction], Int)] = [
      (.tombstoneDropped, [.deleteA], 1),
      (.everythingJournalled, [.writeTargetA], 1),
      (.journalForgotten, [.writeTargetA, .writeTargetB], 2),
      (.hiddenNotJournalled, [.writeTargetA, .writeSpanA, .deleteB], 3),
      (.refusedForgotten, [.turnClockA, .writeTargetA], 2),
      (.skewNotChecked, [.turnClockA, .writeTargetA], 2),
      (.outboxClearedEarly, [.turnClockA, .writeTargetA], 2),
      (.refusalNotRepeated, [.serverClockBack, .writeTargetA, .syncUnheardA], 3),
      (.copyNotNoticed, [.cloneA, .writeTargetA, .writeTargetC], 3),
      (.positionAlwaysKnown, [.cloneA, .writeTargetA, .writeTargetC], 3),
      (.comparisonSkipped, [.writeTargetA, .syncA, .putBackServer], 3),
      (.restoreNotNoticed, [.writeTargetA, .writeTargetB, .syncB, .putBackServer], 4),
    ]
  }

  extension Mutation {
    /// The plan under which the mutation has a chance to show: most need none of their own.
    package func plan(_ usual: History.Plan) -> History.Plan {
      var plan = usual
      plan.stores = isOfSharedStores ? [.shared] : [.file]
      if self == .restoringForgottenInMemory || self == .otherRefusalsUnreported {
        plan.operations = max(plan.operations, 200)
      }
      guard let faults = telling else { return plan }
      plan.faults = faults
      plan.isSwarm = false
      if self == .cursorAhead { plan.operations = max(plan.operations, 100) }
      if self == .headLowered || self == .repeatNotCommitted {
        plan.operations = max(plan.operations, 150)
      }
      if self == .settledAtOnce || self == .takenNotShown || self == .overtakenStored {
        plan.hasSmallPages = true
        plan.operations = max(plan.operations, self == .settledAtOnce ? 240 : 120)
      }
      return plan
    }

    /// Whether only servers that share a database make the mistake.
    private var isOfSharedStores: Bool {
      switch self {
      case .accountNotLocked, .repeatNotCommitted, .conflictNotRepeated, .unknownToldAsDone,
        .trustedWhileDeaf, .headLowered, .agesByServersClock:
        true
      default: false
      }
    }

    /// The faults that it takes; nil for whatever a seed has.
    private var telling: Set<Fault>? {
      switch self {
      case .refusedForgotten, .restampedBelowReplaced: [.wildClock]
      case .cursorAhead: [.foreign]  // Only large records fill a page.
      case .restoreNotNoticed, .comparisonSkipped, .commitsNotNamed, .restoredNotJudged,
        .notOfferedBeforeItGoes, .ownWritesConflict, .judgedAgain:
        [.serverRestore]
      case .copyNotNoticed, .positionAlwaysKnown, .renewalMovesTimes: [.clone, .deviceRestore]
      case .floorIgnored, .outlivedNotJournalled, .prunedTooEarly, .ownValuesRestored: [.pause]
      case .cursorMovedFirst: [.deviceEnd, .devicePower]
      case .sentEntryRestamped: [.serverWildClock, .wildClock, .cut, .lostAnswers]
      case .stepsNotTaken, .agesByWallClock, .agesByServersClock: [.serverWildClock]
      case .settledAtOnce, .takenNotShown: [.serverRestore, .cut, .lostAnswers]
      case .overtakenStored: [.serverRestore, .twoProcesses]
      case .partsNotKnown, .partsNotNoted: [.serverRestore]
      case .accountNotLocked, .conflictNotRepeated, .headLowered: []
      case .repeatNotCommitted, .unknownToldAsDone: [.failingDisk]
      case .trustedWhileDeaf: [.serverPower]
      default: nil
      }
    }

    /// Those that sixty seeds are known to find.
    package static let found = allCases.filter { !unseen.contains($0) }

    /// Not found yet within sixty seeds: what would tell is a world or a check that does not exist.
    /// See docs/develop/reliability.md.
    private static let unseen: Set<Mutation> = [
      .overtakenStored, .takenNotShown, .partsNotKnown, .partsNotNoted, .sentEntryRestamped,
      .ownWritesConflict,
    ]
  }
#endif
