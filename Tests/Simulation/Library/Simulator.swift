// SPDX-License-Identifier: Apache-2.0
// Runs histories, and shrinks those that fail.

import AtrestReplication

/// The simulator's interface for the command and the tests.
package enum Simulator {
  /// Runs one history in a new world.
  package static func run(_ history: History) -> Outcome {
    let world = World(history)
    defer { world.finish() }
    return world.run()
  }

  /// Runs a history again and describes what happens to one record on every holder.
  package static func tell(_ history: History, about key: RecordKey) -> [String] {
    let world = World(history, telling: key)
    defer { world.finish() }
    _ = world.run()
    return world.story?.lines ?? []
  }

  /// Whether this build supports mutations.
  package static var canMutate: Bool {
    #if DEBUG || MUTATIONS
      true
    #else
      false
    #endif
  }

  /// Finds the first seed that fails with a mutation and passes without it.
  ///
  /// - Returns: The number of seeds tried and the violation. Nil if no seed fails.
  package static func hunt(
    _ bug: Mutation, seeds: ClosedRange<UInt64>, plan: History.Plan = History.Plan()
  ) -> (seeds: Int, violation: Violation)? {
    #if DEBUG || MUTATIONS
      for seed in seeds {
        let history = History(seed: seed, plan: plan)
        let mutated = Mutation.$current.withValue(bug) { run(history) }
        if let violation = mutated.violation, run(history).violation == nil {
          return (Int(seed - seeds.lowerBound) + 1, violation)
        }
      }
      return nil
    #else
      return nil
    #endif
  }

  /// Shrinks a failing history by delta debugging.
  ///
  /// Source: Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002.
  /// - Parameter limit: Maximum number of runs.
  /// - Returns: The shortest history found that fails in the same way, and its failure.
  package static func shrink(
    _ history: History, limit: Int = 600, run: (History) -> Outcome = Simulator.run
  ) -> (history: History, violation: Violation)? {
    guard let first = run(history).violation else { return nil }
    var shortest = (history: history, violation: first)
    var runs = 0
    var piece = max(1, history.steps.count / 2)
    while true {
      var start = 0
      var isShorter = false
      while start < shortest.history.steps.count, runs < limit {
        var shorter = shortest.history
        let end = min(start + piece, shorter.steps.count)
        // The time of removed steps still passes.
        let passed = shorter.steps[start..<end].reduce(0) { $0 + $1.delay }
        shorter.steps.removeSubrange(start..<end)
        if start < shorter.steps.count { shorter.steps[start].delay += passed }
        runs += 1
        if let violation = run(shorter).violation, violation.sort == first.sort {
          shortest = (shorter, violation)
          isShorter = true
        } else {
          start = end
        }
      }
      if runs >= limit || (piece == 1 && !isShorter) { return shortest }
      piece = max(1, piece / 2)
    }
  }
}

extension Mutation {
  /// The plan under which the mutation can show. Most mutations need no special plan.
  package func plan(_ usual: History.Plan) -> History.Plan {
    guard let faults = telling else { return usual }
    var plan = usual
    plan.faults = faults
    plan.isSwarm = false
    if self == .cursorAhead { plan.operations = max(plan.operations, 100) }
    if self == .headNotSent || self == .overtakenStored {
      plan.hasSmallPages = true
      plan.operations = max(plan.operations, 120)
    }
    return plan
  }

  /// The faults that reveal the mutation. Nil: the seed's own.
  private var telling: Set<Fault>? {
    switch self {
    case .refusedForgotten, .restampedBelowFloor: [.wildClock]
    case .cursorAhead: [.foreign]  // Only large records fill a page.
    case .restoreNotNoticed, .comparisonSkipped, .commitsNotNamed, .restoredNotJudged,
      .notOfferedBeforeItGoes, .ownWritesConflict, .judgedAgain:
      [.serverRestore]
    case .copyNotNoticed, .positionAlwaysKnown, .renewalMovesTimes: [.clone, .deviceRestore]
    case .floorIgnored, .notLifted, .liftedTooHigh, .prunedTooEarly, .prunedThoughListed: [.pause]
    case .cursorMovedFirst: [.deviceEnd, .devicePower]
    case .sentEntryRestamped: [.serverWildClock, .wildClock, .cut, .lostAnswers]
    case .stepsNotTaken: [.serverWildClock]
    case .headNotSent: [.serverRestore, .cut, .lostAnswers]
    case .overtakenStored: [.serverRestore, .twoProcesses]
    case .partsNotKnown, .partsNotNoted: [.serverRestore]
    default: nil
    }
  }

  /// Mutations that sixty seeds do not reveal, because a world or a check for them is missing. See
  /// docs/develop/reliability.md.
  package static let unseen: Set<Mutation> = [
    .overtakenStored, .partsNotKnown, .partsNotNoted, .sentEntryRestamped,
    .prunedTooEarly, .ownWritesConflict,
  ]
}
