// SPDX-License-Identifier: Apache-2.0
// Fuzzes the lab's scenario files.

import AtrestLab
import Foundation

extension FuzzTarget {
  /// A complete file.
  static let scenario = FuzzTarget(name: "scenario", limitBytes: 4096) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    let scenario: Scenario
    do throws(ScenarioError) { scenario = try Scenario(parsing: text, file: "x.yaml") } catch {
      let words = error.userMessage
      try law(!error.problem.isEmpty && words.utf8.count < 2000, "what is wrong is said, in short")
      try law(
        words.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control },
        "a file does not steer the terminal")
      return
    }
    try law(!scenario.devices.isEmpty, "a scenario has devices")
    try law(
      scenario.steps.allSatisfy { $0.at >= scenario.start }, "no step comes before the start")
    // Expectations in free text cannot always be written. The rest can.
    var plain = scenario
    plain.steps.removeAll { if case .expect = $0.action { true } else { false } }
    _ = plain.text
  } seeds: {
    let devices = "scenario: a\nstart: 2026-03-02T08:00:00Z\ndevices: [phone, tablet]\n"
    let steps = [
      "- phone: {start: evening, target: 16h}", "- phone: {drink: glass 1..3, amount: 250 ml}",
      "- offline: [phone]", "- sync: all", "- tablet: {complete: evening, ended: +16h}",
      "- wait: 2h", "- at: +2d\n  copy: phone\n  to: laptop", "- back up: server",
      "- put back: server", "- restart: server", "- phone: {clock: 2h ahead}",
      "- expect: {identical: all}", "- expect: {fasts: 1, on: phone}",
      "- phone: {bring back: evening, field: target, from: tablet}", "- phone: {delete: evening}",
      "- phone: {set: theme, to: dark}", "- at: 22:30\n  sync: [phone]\n  fails: clock",
      "- phone: {draft: a, on: 2.1, season: 1y, environment: barren}\n- phone: {plant: a}",
      "- phone: {plant: a, on: 3.5}\n- phone: {water: a, note: b}\n  fails: no water left",
      "- phone: {plant: a, on: 3.5}\n- phone: {harvest: a, result: 4, ended: +1h}",
      "- phone: {leaf: a, on: 3.5}\n- phone: {edit: a, name: b}", "- phone: {shine: 3.5}",
      "- phone: {label: trunk, to: a}\n- expect: {labels: {trunk: a}, soil: -6.00, sun left: 1}",
      "- phone: {plant: a, on: 3.5}\n- expect: {sprouts: {a: {state: growing, words: [b]}}}",
    ]
    return steps.enumerated().map {
      (
        name: "step-\($0)",
        input: Array("\(devices)steps:\n- phone: {start: evening}\n\($1)\n".utf8)
      )
    } + [
      ("alias", Array("a: &b c\nd: *b\n".utf8)),
      ("nested", Array(String(repeating: "[", count: 40).utf8)),
      ("two", Array("--- a\n--- b\n".utf8)), ("twice", Array("{a: 1, a: 2}".utf8)),
    ]
  }
}
