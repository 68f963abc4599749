// SPDX-License-Identifier: Apache-2.0
// The command behind `make law`: an exhaustive search of a small world, up to a number of actions.

import AtrestReplication
import AtrestSimulation
import Foundation

/// Searches the small world. `BUGS` runs it for each mutation in turn or for the one it names.
/// `ACTIONS` names an alphabet or a comma-separated list of actions.
struct Law {
  let depth: Int
  private let actions: [SmallAction]

  init(depth: Int) {
    self.depth = depth
    let text = Simulate.text("ACTIONS") ?? SmallAlphabet.all.rawValue
    actions =
      SmallAlphabet(rawValue: text)?.actions
      ?? text.split(separator: ",").compactMap { SmallAction(rawValue: "\($0)") }
  }

  func run() -> Int32 {
    do {
      return Simulate.text("BUGS") == nil ? try search() : try table()
    } catch {
      say("the small world does not begin: \(error)")
      return 1
    }
  }

  private func say(_ line: String) {
    print(line)
    fflush(nil)
  }

  private func search() throws -> Int32 {
    let began = Date()
    var law = try SmallLaw(actions)
    for depth in 0...depth {
      let known = law.finds.count
      let isMore = try law.deepen()
      let seconds = Int(Date().timeIntervalSince(began))
      let level = law.levels[depth]
      say(
        "depth \(depth): \(level.paths) paths, \(level.states) new states, \(law.states) in all, "
          + "\(seconds) s")
      for find in law.finds.dropFirst(known) { say("Broken:\n\(find.text)") }
      if !isMore { break }
    }
    return law.finds.isEmpty ? 0 : 1
  }

  /// Prints how many actions each mutation needs to show.
  private func table() throws -> Int32 {
    let only = Simulate.text("BUGS").flatMap { Mutation(rawValue: $0) }
    for mutation in only.map({ [$0] }) ?? Mutation.allCases {
      let name = mutation.rawValue.padding(toLength: 26, withPad: " ", startingAt: 0)
      guard let find = try SmallLaw.hunt(mutation, actions, depth: depth) else {
        say("\(name) not found with \(depth) actions")
        continue
      }
      let actions = find.path.map(\.name).joined(separator: "; ")
      let words = find.violation.description.split(separator: "\n").first ?? ""
      say("\(name) \(find.path.count) actions: \(actions): \(words)")
    }
    return 0
  }
}
