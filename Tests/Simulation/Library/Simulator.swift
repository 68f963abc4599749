// SPDX-License-Identifier: Apache-2.0
// Runs histories, and makes those that fail as short as they get.

import AtrestReplication

/// The simulator, as the command and the specifications use it.
package enum Simulator {
  /// Runs one history in a world of its own.
  package static func run(_ history: History) -> Outcome {
    let world = World(history)
    defer { world.finish() }
    return world.run()
  }

  /// Runs a history again, and tells what becomes of one record on every holder.
  package static func tell(_ history: History, about key: RecordKey) -> [String] {
    let world = World(history, telling: key)
    defer { world.finish() }
    _ = world.run()
    return world.story?.lines ?? []
  }

  /// Whether planted bugs can be switched on in this build.
  package static var canMutate: Bool {
    #if DEBUG || MUTATIONS
      true
    #else
      false
    #endif
  }

  /// Looks for the first seed that finds a bug: one that is kept without it.
  ///
  /// - Returns: How many seeds it took, and what broke; nil if none of them found it.
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

  /// Takes out of a failing history what it fails without: delta debugging.
  ///
  /// Source: Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002.
  /// - Parameter limit: Runs at most.
  /// - Returns: The shortest history found that fails in the same way, and how it fails.
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
        // Time passes all the same.
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
  /// The plan under which the mutation has a chance to show: most need none of their own.
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

  /// The faults that it takes; nil for whatever a seed has.
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

  /// Not found yet within sixty seeds: what would tell is a world or a check that does not exist.
  /// See docs/develop/reliability.md.
  package static let unseen: Set<Mutation> = [
    .overtakenStored, .partsNotKnown, .partsNotNoted, .sentEntryRestamped,
    .prunedTooEarly, .ownWritesConflict,
  ]
}
