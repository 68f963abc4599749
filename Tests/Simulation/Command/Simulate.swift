// SPDX-License-Identifier: Apache-2.0
// The command behind `make simulate`: runs many seeds, or one that failed.

import AtrestReplication
import AtrestSimulation
import Foundation

/// Reads its parameters from the environment: `SEED`, or `FIRST` and `SEEDS`; `DEVICES`,
/// `OPERATIONS`, `FAULTS`, `STORE`. `STORY` prints what happens to the record without shrinking the
/// history. `LAW` searches a small world to that depth instead.
@main
struct Simulate {
  var plan = History.Plan()

  static func main() {
    var command = Simulate()
    if let devices = number("DEVICES") { command.plan.devices = max(1, Int(clamping: devices)) }
    if let operations = number("OPERATIONS") { command.plan.operations = Int(clamping: operations) }
    if let faults = text("FAULTS") {
      command.plan.faults = Set(
        faults.split(separator: ",").compactMap { Fault(rawValue: "\($0)") })
    }
    if let store = text("STORE").flatMap({ StoreKind(rawValue: $0) }) {
      command.plan.stores = [store]
    }
    if let bugs = text("BUGS") { exit(MutationTable(plan: command.plan, bugs).run()) }
    if let depth = number("LAW") { exit(Law(depth: Int(clamping: depth)).run()) }
    exit(number("SEED").map { command.replay($0) } ?? command.survey())
  }

  /// The value of an environment variable. Nil if make passes it on empty.
  static func text(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  static func number(_ name: String) -> UInt64? {
    guard let text = text(name) else { return nil }
    return text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
  }

  func say(_ line: String) {
    print(line)
    fflush(nil)
  }

  func name(_ seed: UInt64) -> String { "SEED=0x\(String(seed, radix: 16))" }

  func explain(_ seed: UInt64, _ violation: Violation) {
    say("\(name(seed)): \(violation)")
    let history = History(seed: seed, plan: plan)
    if Simulate.text("STORY") != nil {
      tell(history, violation)
    } else if let short = Simulator.shrink(history) {
      say("\(short.history.steps.count) of \(history.steps.count) steps do: \(short.violation)")
      for step in short.history.steps { say("  \(step)") }
      tell(short.history, short.violation)
    }
    say("Replay it with: make simulate \(name(seed))")
  }

  private func tell(_ history: History, _ violation: Violation) {
    guard let key = violation.key else { return }
    say("What became of the record:")
    for line in Simulator.tell(history, about: key) { say("  \(line)") }
  }

  func replay(_ seed: UInt64) -> Int32 {
    let outcome = Simulator.run(History(seed: seed, plan: plan))
    if let violation = outcome.violation {
      explain(seed, violation)
      return 1
    }
    say("\(name(seed)): every promise was kept. Trace \(String(outcome.trace, radix: 16))")
    return 0
  }

  func survey() -> Int32 {
    let first = Simulate.number("FIRST") ?? 1
    let seeds = Simulate.number("SEEDS") ?? 200
    let began = Date()
    var days = 0.0
    var counts: [Counted: Int] = [:]
    var failures = 0
    for seed in first..<(first + seeds) {
      let outcome = Simulator.run(History(seed: seed, plan: plan))
      days += outcome.deviceDays
      counts.merge(outcome.counts, uniquingKeysWith: +)
      guard let violation = outcome.violation else { continue }
      failures += 1
      guard Simulate.text("SURVEY") != nil else {
        explain(seed, violation)
        return 1
      }
      say("\(name(seed)): \(violation)")
    }
    let seconds = Date().timeIntervalSince(began)
    let rate = Int(Double(seeds) / seconds * 60)
    say("\(seeds) seeds in \(Int(seconds)) s, \(rate) a minute; \(Int(days)) device-days")
    say(Counted.allCases.map { "\($0.rawValue) \(counts[$0] ?? 0)" }.joined(separator: ", "))
    return failures == 0 ? 0 : 1
  }
}
