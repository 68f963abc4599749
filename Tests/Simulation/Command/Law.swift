// SPDX-License-Identifier: Apache-2.0
// The command behind `make law`: an exhaustive search of a small world, up to a number of actions.

import AtrestSimulation
import Foundation

/// Searches the small world. `ACTIONS` names an alphabet, or actions, with commas between them.
struct Law {
  let depth: Int
  let actions: [SmallAction]

  init(depth: Int) {
    self.depth = depth
    let text = Simulate.text("ACTIONS") ?? SmallAlphabet.all.rawValue
    actions =
      SmallAlphabet(rawValue: text)?.actions
      ?? text.split(separator: ",").compactMap { SmallAction(rawValue: "\($0)") }
  }

  func run() -> Int32 {
    do {
      return try search()
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
}
