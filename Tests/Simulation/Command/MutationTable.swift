// SPDX-License-Identifier: Apache-2.0
// Says what it takes to find each mutation: `BUGS` names one, or is `all` or `found`.

import AtrestReplication
import AtrestSimulation
import Foundation

/// Mutations, switched on one after another.
struct MutationTable {
  let plan: History.Plan
  let wanted: String

  init(plan: History.Plan, _ wanted: String) {
    self.plan = plan
    self.wanted = wanted
  }

  #if MUTATIONS
    /// - Returns: The exit status: whether one was missed.
    func run() -> Int32 {
      do {
        if let depth = Simulate.number("LAW") { return try searchSmallWorld(Int(clamping: depth)) }
        return searchSeeds()
      } catch {
        print("the small world does not begin: \(error)")
        return 1
      }
    }

    private var mutations: [Mutation] {
      if wanted == "found" { return Mutation.found }
      return Mutation(rawValue: wanted).map { [$0] } ?? Mutation.allCases
    }

    /// Prints how many seeds it takes to find each.
    private func searchSeeds() -> Int32 {
      let last = Simulate.number("SEEDS") ?? 400
      var missed = 0
      for mutation in mutations {
        if let find = Simulator.hunt(mutation, seeds: 1...last, plan: mutation.plan(plan)) {
          let seeds = "\(find.seeds) \(find.seeds == 1 ? "seed" : "seeds")"
          say(mutation, "\(seeds): \(firstLine(of: find.violation))")
        } else {
          missed += 1
          say(mutation, "not found in \(last) seeds")
        }
      }
      return missed == 0 ? 0 : 1
    }

    /// Prints how few actions each takes to show.
    private func searchSmallWorld(_ depth: Int) throws -> Int32 {
      let law = Law(depth: depth)
      let searches =
        wanted == "found" ? SmallLaw.found : mutations.map { ($0, law.actions, depth) }
      var missed = 0
      for (mutation, actions, depth) in searches {
        guard let find = try SmallLaw.hunt(mutation, actions, depth: depth) else {
          missed += 1
          say(mutation, "not found with \(depth) actions")
          continue
        }
        let path = find.path.map(\.name).joined(separator: "; ")
        say(mutation, "\(find.path.count) actions: \(path): \(firstLine(of: find.violation))")
      }
      // Of all mutations many take more actions than there were.
      return missed == 0 || wanted != "found" ? 0 : 1
    }

    private func firstLine(of violation: Violation) -> Substring {
      violation.description.split(separator: "\n").first ?? ""
    }

    private func say(_ mutation: Mutation, _ words: String) {
      print(mutation.rawValue.padding(toLength: 26, withPad: " ", startingAt: 0), words)
      fflush(nil)
    }
  #else
    /// - Returns: The exit status.
    func run() -> Int32 {
      print("This build holds no mutations. Tests/Mutation/simulator makes one that does.")
      return 64
    }
  #endif
}
