// SPDX-License-Identifier: Apache-2.0
// Exhaustive search of a small world, up to a number of actions.

import AtrestReplication

/// A breadth-first search. Every state is judged and expanded once.
package struct SmallLaw {
  /// The result for all paths of one length.
  package struct Level: Sendable {
    /// The number of actions per path.
    package var depth = 0
    /// The number of paths that were run.
    package var paths = 0
    /// The number of new states that no shorter or earlier path reached. Each was judged.
    package var states = 0
  }

  /// A shortest path to a violation.
  package struct Find: Sendable {
    package var path: [SmallAction]
    package var violation: Violation

    /// The path, one action per line.
    package var text: String {
      (path.map { "  \($0.name)" } + ["\(violation)"]).joined(separator: "\n")
    }
  }

  /// The completed levels.
  package private(set) var levels: [Level] = []
  /// The first violation of each sort.
  package private(set) var finds: [Find] = []
  private let start: SmallWorld.Start
  private let actions: [SmallAction]
  private var frontier: [[SmallAction]] = []
  private var known: Set<Mark> = []

  /// A 128-bit hash of a state.
  private struct Mark: Hashable {
    var first: Int
    var second: Int

    init(_ text: String) {
      var hasher = Hasher()
      hasher.combine(text)
      first = hasher.finalize()
      hasher = Hasher()
      hasher.combine(0)
      hasher.combine(text)
      second = hasher.finalize()
    }
  }

  /// - Parameter actions: The possible actions.
  package init(_ actions: [SmallAction]) throws {
    self.actions = actions
    start = try SmallWorld.start()
  }

  /// The number of judged states.
  package var states: Int { levels.reduce(0) { $0 + $1.states } }

  /// Searches one level deeper. Level 0 is the start.
  ///
  /// - Parameter stopsAtFind: Whether to stop at the first violation.
  /// - Returns: Whether there was anything to search.
  @discardableResult
  package mutating func deepen(stopsAtFind: Bool = false) throws -> Bool {
    var level = Level(depth: levels.count)
    var next: [[SmallAction]] = []
    let paths =
      levels.isEmpty ? [[]] : frontier.flatMap { path in actions.map { path + [$0] } }
    for path in paths {
      if stopsAtFind, !finds.isEmpty { break }
      level.paths += 1
      guard try visit(path) else { continue }
      level.states += 1
      next.append(path)
    }
    levels.append(level)
    frontier = next
    return !next.isEmpty
  }

  /// Runs a path in a new world. Judges its final state unless that is known.
  ///
  /// - Returns: Whether to expand the path.
  private mutating func visit(_ path: [SmallAction]) throws -> Bool {
    let small = SmallWorld(start)
    defer { small.world.finish() }
    small.perform(path)
    if small.world.violation == nil {
      guard known.insert(Mark(try small.state())).inserted else { return false }
    }
    guard let violation = small.judge() else { return true }
    if !finds.contains(where: { $0.violation.sort == violation.sort }) {
      finds.append(Find(path: path, violation: violation))
    }
    return false
  }
}
