// SPDX-License-Identifier: Apache-2.0
// A short run of the simulator for every change: seeds that must pass, and mutations that must
// fail.

import AtrestReplication
import Foundation
import Testing

@testable import AtrestSimulation

@Suite("Simulation", .timeLimit(.minutes(20)))
struct AtrestSimulationTests {
  /// Small enough for a debug build.
  static let plan: History.Plan = {
    var plan = History.Plan()
    plan.operations = 40
    return plan
  }()

  /// `SIMULATION_SEEDS` selects other seeds than the fixed ones: the first of the same number.
  static let first =
    ProcessInfo.processInfo.environment["SIMULATION_SEEDS"].flatMap { UInt64($0) } ?? 1

  @Test("every promise is kept", arguments: (0..<10).map { first + $0 * 10 })
  func promises(first: UInt64) {
    for seed in first..<first + 10 {
      let history = History(seed: seed, plan: Self.plan)
      guard let violation = Simulator.run(history).violation else { continue }
      Issue.record("make simulate OPERATIONS=40 SEED=0x\(String(seed, radix: 16)): \(violation)")
    }
  }

  @Test("a seed decides everything that happens", arguments: [3, 17, 42])
  func determinism(seed: UInt64) {
    let history = History(seed: seed, plan: Self.plan)
    let first = Simulator.run(history)
    let second = Simulator.run(history)
    #expect(first.trace == second.trace)
    #expect(first.counts == second.counts)
    #expect(first.trace != Simulator.run(History(seed: seed + 1, plan: Self.plan)).trace)
  }

  @Test(
    "a mutation is found", arguments: Mutation.allCases.filter { !Mutation.unseen.contains($0) })
  func mutated(mutation: Mutation) {
    #expect(Simulator.hunt(mutation, seeds: 1...60, plan: mutation.plan(Self.plan)) != nil)
  }

  @Test("a failing history is made shorter, and still fails")
  func shrinking() throws {
    try Mutation.$current.withValue(.journalForgotten) {
      let failing = try #require(
        (1...50).lazy.map { History(seed: $0, plan: Self.plan) }
          .first { Simulator.run($0).violation != nil })
      let short = try #require(Simulator.shrink(failing, limit: 60))
      #expect(short.history.steps.count < failing.steps.count)
      #expect(Simulator.run(short.history).violation != nil)
    }
  }
}
