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

  /// Takes out of a failing history what it fails without: delta debugging.
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
