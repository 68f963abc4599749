// SPDX-License-Identifier: Apache-2.0
// A small run of the simulator for every change: seeds that must pass. That mutations do not,
// Tests/Mutation/simulator checks.

import AtrestTestSupport
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

  @Test("every promise is kept", arguments: (0..<UInt64(caseCount(10))).map { first + $0 * 10 })
  func promises(first: UInt64) {
    for seed in first..<first + 10 {
      let history = History(seed: seed, plan: Self.plan)
      guard let violation = Simulator.run(history).violation else { continue }
      Issue.record("make simulate OPERATIONS=40 SEED=0x\(String(seed, radix: 16)): \(violation)")
    }
  }

  @Test("tasks and the scheduler own machines of syncs and of followers")
  func owners() {
    var plan = Self.plan
    plan.faults = [.watch]
    plan.isSwarm = false
    var counts: [Counted: Int] = [:]
    for seed in Self.first..<Self.first + 10 {
      counts.merge(Simulator.run(History(seed: seed, plan: plan)).counts, uniquingKeysWith: +)
    }
    for sort in [Counted.taskSyncs, .directSyncs, .taskWatches, .directWatches] {
      #expect(counts[sort, default: 0] > 0, "\(sort)")
    }
  }

  @Test("servers that share a database keep every promise, whatever interleaves or is lost")
  func sharedDatabase() {
    var plan = Self.plan
    plan.stores = [.shared]
    plan.isSwarm = false
    plan.faults = [.serverEnd, .serverPower, .failingDisk, .watch]
    var counts: [Counted: Int] = [:]
    for seed in Self.first..<Self.first + 20 {
      let outcome = Simulator.run(History(seed: seed, plan: plan))
      counts.merge(outcome.counts, uniquingKeysWith: +)
      guard let violation = outcome.violation else { continue }
      Issue.record("STORE=shared SEED=0x\(String(seed, radix: 16)): \(violation)")
    }
    for sort in [
      Counted.sharedCommits, .conflictingTrips, .lockWaits, .unknownCommits, .cutWaits, .crashes,
      .failovers, .answersFromMemory, .lostNews,
    ] {
      #expect(counts[sort, default: 0] > 0, "\(sort)")
    }
  }

  @Test(
    "a seed decides everything that happens", arguments: zip([17, 42], StoreKind.allCases))
  func determinism(seed: UInt64, store: StoreKind) {
    var plan = Self.plan
    plan.stores = [store]
    let history = History(seed: seed, plan: plan)
    let first = Simulator.run(history)
    let second = Simulator.run(history)
    #expect(first.trace == second.trace)
    #expect(first.counts == second.counts)
    #expect(first.trace != Simulator.run(History(seed: seed + 1, plan: plan)).trace)
  }

  @Test("a failing history is made shorter, and still fails", arguments: [1, 2, 3])
  func shrinking(seed: UInt64) throws {
    // What fails here is any history with two edits and a sync after them.
    func run(_ history: History) -> Outcome {
      let edits = history.steps.indices.filter { history.steps[$0].isEdit }
      let isBroken = edits.count > 1 && history.steps[edits[1]...].contains { $0.isSync }
      return Outcome(
        violation: isBroken ? Violation("two edits were synced") : nil, trace: 0, deviceDays: 0,
        counts: [:])
    }
    let failing = History(seed: seed, plan: Self.plan)
    let short = try #require(Simulator.shrink(failing, run: run))
    #expect(short.history.steps.count == 3)
    #expect(run(short.history).violation != nil)
    let length = failing.steps.reduce(0) { $0 + $1.delay }
    #expect(short.history.steps.reduce(0) { $0 + $1.delay } <= length)
  }
}

extension Step {
  fileprivate var isEdit: Bool { if case .edit = action { true } else { false } }
  fileprivate var isSync: Bool { if case .sync = action { true } else { false } }
}
