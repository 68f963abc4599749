// SPDX-License-Identifier: Apache-2.0
// Formats a scenario as a file that parses to the same scenario.

import AtrestDomain
import AtrestReplication
import Foundation

extension Scenario {
  /// The scenario as YAML. Times are in UTC or relative to the start, in seconds.
  ///
  /// - Precondition: Expectations only count things or ask whether devices are identical, as random
  ///   scenarios do.
  package var text: String {
    var lines = ["scenario: \(quoted(name))"]
    if !about.isEmpty { lines.append("about: \(quoted(about))") }
    lines.append("start: \(TimeText.iso(start))")
    if zone != .gmt { lines.append("zone: \(zone.identifier)") }
    lines.append("devices:")
    for device in devices {
      var options: [String] = []
      if device.clock != .none { options.append("clock: \(words(device.clock))") }
      if !device.isPaired { options.append("paired: no") }
      lines.append("  \(quoted(device.name)): {\(options.joined(separator: ", "))}")
    }
    lines += ["", "steps:"]
    for step in steps {
      lines.append("  - at: +\(Lengths.text(step.at.milliseconds(since: start)))")
      lines += words(step.action).map { "    " + $0 }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Double quotes preserve any text.
  func quoted(_ text: String) -> String {
    let escaped = text.replacingOccurrences(of: "\\", with: "\\\\")
      .replacingOccurrences(of: "\"", with: "\\\"").replacingOccurrences(of: "\n", with: "\\n")
    return "\"\(escaped)\""
  }

  private func list(_ names: [String]) -> String {
    "[\(names.map(quoted).joined(separator: ", "))]"
  }

  private func words(_ clock: ClockError) -> String {
    switch clock {
    case .none: "right"
    case .stuck(let date): "stuck at \(TimeText.iso(date))"
    case .ahead(let milliseconds) where milliseconds >= 0: "\(Lengths.text(milliseconds)) ahead"
    case .ahead(let milliseconds): "\(Lengths.text(-milliseconds)) behind"
    }
  }

  private func words(_ action: Action) -> [String] {
    switch action {
    case .edit(let device, let edit):
      let line = "\(quoted(device)): {\(words(edit))}"
      guard case .garden(_, let refusal?) = edit else { return [line] }
      return [line, "fails: \(refusal.rawValue)"]
    case .sync(let names, let allows, let failure):
      var lines = ["sync: \(list(names))"]
      if allows { lines.append("allow mass deletion: yes") }
      if let failure { lines.append("fails: \(failure.rawValue)") }
      return lines
    case .network(let names, let isOnline):
      return ["\(isOnline ? "online" : "offline"): \(list(names))"]
    case .clock(let device, let error): return ["\(quoted(device)): {clock: \(words(error))}"]
    case .copy(let from, let to): return ["copy: {from: \(quoted(from)), to: \(quoted(to))}"]
    case .backUp(let place): return ["back up: \(quoted(place.name))"]
    case .putBack(let place): return ["put back: \(quoted(place.name))"]
    case .restartServer: return ["restart: server"]
    case .pair(let device): return ["pair: \(quoted(device))"]
    case .wait: return ["wait: 0s"]
    case .expect(let expectation): return words(expectation)
    }
  }

  private func words(_ edit: Edit) -> String {
    func time(_ key: String, _ date: WallTime?) -> String? {
      date.map { "\(key): \(quoted(TimeText.iso($0)))" }
    }
    func target(_ minutes: Int?) -> String? { minutes.map { "target: \($0)m" } }
    func joined(_ parts: String?...) -> String {
      parts.compactMap { $0 }.joined(separator: ", ")
    }
    switch edit {
    case .start(let name, let began, let minutes):
      return joined("start: \(quoted(name))", time("began", began), target(minutes))
    case .finish(let name, let ended, let isCompleted):
      return joined(
        "\(isCompleted ? "complete" : "abandon"): \(quoted(name))", time("ended", ended))
    case .correctFast(let name, let change):
      return joined(
        "edit: \(quoted(name))", time("began", change.began), time("ended", change.ended),
        change.outcome.map { "outcome: \($0)" }, target(change.targetMinutes))
    case .drink(let names, let millilitres, let at):
      return joined(
        "drink: \(quoted(range(names)))", "amount: \(millilitres) ml", time("drunk", at))
    case .correctWater(let name, let millilitres, let at):
      return joined(
        "edit: \(quoted(name))", millilitres.map { "amount: \($0) ml" }, time("drunk", at))
    case .delete(let names): return "delete: \(quoted(range(names)))"
    case .garden(let edit, _): return words(edit)
    case .set(let key, let value): return "set: \(quoted(key)), to: \(quoted(value))"
    case .bringBack(let choice):
      return joined(
        "bring back: \(quoted(choice.record))", choice.field.map { "field: \($0.rawValue)" },
        choice.from.map { "from: \(quoted($0))" })
    }
  }

  /// A range such as `glass 1..25` that `Part.names` expands.
  private func range(_ names: [String]) -> String {
    guard names.count > 1, let first = names.first, let last = names.last else {
      return names.first ?? ""
    }
    let digits = last.reversed().prefix { $0.isASCII && $0.isNumber }.reversed()
    return "\(first)..\(String(digits))"
  }

  private func words(_ expectation: Expectation) -> [String] {
    var lines = ["expect:"]
    func add(_ key: String, _ value: Int?) {
      if let value { lines.append("  \(key): \(value)") }
    }
    if !expectation.devices.isEmpty { lines.append("  on: \(list(expectation.devices))") }
    add("number of fasts", expectation.fastCount)
    add("number of waters", expectation.waterCount)
    add("waiting", expectation.waiting)
    if case .count(let count)? = expectation.journal { add("journal", count) }
    if let isIdentical = expectation.isIdentical {
      lines.append("  identical: \(isIdentical ? "yes" : "no")")
    }
    return lines
  }
}
