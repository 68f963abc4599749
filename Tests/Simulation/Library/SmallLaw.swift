// SPDX-License-Identifier: Apache-2.0
// Searches everything that can happen in a small world, up to a number of actions.

import AtrestReplication

/// A breadth-first search: every state is judged, and gone on from once.
package struct SmallLaw {
  /// What is known after all paths of one length.
  package struct Level: Sendable {
    /// Actions of each path.
    package var depth = 0
    /// Paths that were run.
    package var paths = 0
    /// States that no shorter path, and none before, led to. Each was judged.
    package var states = 0
  }

  /// A shortest path to a broken promise.
  package struct Find: Sendable {
    package var path: [SmallAction]
    package var violation: Violation

    /// The path, one action a line.
    package var text: String {
      (path.map { "  \($0.name)" } + ["\(violation)"]).joined(separator: "\n")
    }
  }

  /// The levels that are done.
  package private(set) var levels: [Level] = []
  /// The first of each sort of violation.
  package private(set) var finds: [Find] = []
  private let start: SmallWorld.Start
  private let actions: [SmallAction]
  private var frontier: [[SmallAction]] = []
  private var known: Set<Mark> = []

  /// 128 bits of a state.
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

  /// - Parameter actions: What may happen.
  package init(_ actions: [SmallAction]) throws {
    self.actions = actions
    start = try SmallWorld.start()
  }

  /// All states that were judged.
  package var states: Int { levels.reduce(0) { $0 + $1.states } }

  /// Searches one level deeper: level 0 is the start.
  ///
  /// - Parameter stopsAtFind: Whether one broken promise is enough.
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

  /// Runs a path in a world of its own, and judges where it leads, unless that is known.
  ///
  /// - Returns: Whether it is to be gone on from.
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

  /// Searches for the shortest path on which a mutation breaks a promise.
  package static func hunt(
    _ mutation: Mutation, _ actions: [SmallAction], depth: Int
  ) throws -> Find? {
    #if DEBUG || MUTATIONS
      return try Mutation.$current.withValue(mutation) {
        do {
          var law = try SmallLaw(actions)
          for _ in 0...depth where law.finds.isEmpty { try law.deepen(stopsAtFind: true) }
          return law.finds.first
        } catch let violation as Violation {
          // Not even the start is reached.
          return Find(path: [], violation: violation)
        }
      }
    #else
      return nil
    #endif
  }
}
