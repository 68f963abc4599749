// SPDX-License-Identifier: Apache-2.0
// The syntax of scenario files, and error messages: file, line, what was expected, what was found.

import AtrestTestSupport
import Foundation
import Testing

@testable import AtrestLab

/// A scenario with these steps, which begin at line 5.
func scenarioText(_ steps: String, devices: String = "[phone, tablet]") -> String {
  """
  scenario: A test
  start: 2026-03-02T20:00
  devices: \(devices)
  steps:
  \(steps)
  """
}

@Suite("A scenario file", .timeLimit(.minutes(20)))
struct ParserTests {
  private func problem(_ text: String) throws -> ScenarioError {
    try #require(throws: ScenarioError.self) { try Scenario(parsing: text, file: "x.yaml") }
  }

  @Test(
    "names the line of a flaw, what was expected, and what is there",
    arguments: [
      ("- phone: {start: a, target: sixteen}", 5, "a duration such as 16h", "“sixteen”"),
      ("- phone: {start: a}\n- phone: {drink: b, amount: 2 cups}", 6, "an amount", "“2 cups”"),
      ("- phone: {drink: b}", 5, "`amount`", "none"),
      ("- phone: {start: a}\n- tablet: {start: a}", 6, "is taken already", "“a”"),
      ("- phone: {delete: b}", 5, "named before", "“b”"),
      ("- phone: {drink: b, amount: 250}\n- phone: {complete: b}", 6, "a fast", "“b”"),
      ("- phone: {drink: b, amount: 250}\n- phone: {edit: b, target: 16h}", 6, "no `target`", ""),
      ("- watch: {start: a}", 5, "a device (phone, tablet)", "“watch”"),
      ("- phone: {begin: a}", 5, "what happens on “phone”", "“begin”"),
      ("- phone: {start: a, until: 8}", 5, "`began`, `target`", "“until”"),
      ("- sync: [phone, watch]", 5, "a device (phone, tablet)", "“watch”"),
      ("- sync: phone\n  fails: badly", 6, "how a sync can fail", "“badly”"),
      ("- phone: {start: a}\n  fails: offline", 6, "belong to `sync`", ""),
      ("- sync: phone\n  offline: phone", 6, "one thing a step", "“offline”"),
      ("- at: +2h\n  sync: phone\n- at: +1h\n  sync: phone", 7, "after the step before", "“+1h”"),
      ("- wait: a while", 5, "a duration such as 2h", "“a while”"),
      ("- phone: {clock: fast}", 5, "a clock such as", "“fast”"),
      ("- put back: server", 5, "no copy of “server”", ""),
      ("- copy: {from: phone, to: tablet}", 5, "already", "“tablet”"),
      ("- pair: watch", 5, "a device (phone, tablet)", "“watch”"),
      ("- restart: phone", 5, "`server`", "“phone”"),
      ("- expect: {fasts: {a: {target: 16h}}}", 5, "named before", "“a”"),
      ("- expect: {}", 5, "something to hold", "nothing"),
      ("- expect: {journal: [{record: a, kept: 16h}]}", 5, "`field`", "none"),
      ("- expect:\n    identical: perhaps", 6, "`yes` or `no`", "“perhaps”"),
      ("- sync phone", 5, "a step such as", "“sync phone”"),
      ("- sync: [phone", 6, "not YAML", ""),
      ("- phone: {delete: g 1..2000}", 5, "a range of 1 to 1000", "“g 1..2000”"),
    ])
  func flaws(steps: String, line: Int, expected: String, found: String) throws {
    let error = try problem(scenarioText(steps))
    #expect(error.line == line, "\(error.userMessage)")
    #expect(error.problem.contains(expected), "\(error.userMessage)")
    #expect(found.isEmpty || error.problem.contains(found), "\(error.userMessage)")
    #expect(error.userMessage.hasPrefix("x.yaml:\(line): "))
  }

  @Test(
    "names a flaw of the head",
    arguments: [
      ("", "a scenario"), ("just words", "a scenario"),
      ("scenario: A\nstart: soon\ndevices: [a]\nsteps: []", "a date and a time"),
      ("scenario: A\nstart: 2026-03-02T20:00\nsteps: []", "`devices`"),
      ("scenario: A\nstart: 2026-03-02T20:00\ndevices: [a, a]\nsteps: []", "already"),
      ("scenario: A\nstart: 2026-03-02T20:00\ndevices: [sync]\nsteps: []", "meaning of its own"),
      ("scenario: A\nstart: 2026-03-02T20:00\ndevices: []\nsteps: []", "at least one device"),
      ("scenario: A\nzone: Mars\nstart: 2026-03-02T20:00\ndevices: [a]\nsteps: []", "a time zone"),
      ("scenario: A\nscenario: B", "once"),
    ])
  func head(text: String, expected: String) throws {
    let error = try problem(text)
    #expect(error.problem.contains(expected), "\(error.userMessage)")
  }

  @Test("is bounded: size, steps, devices, nesting, and no aliases that multiply")
  func bounds() throws {
    let large = scenarioText("- sync: phone #" + String(repeating: "x", count: 1 << 20))
    #expect(try problem(large).problem.contains("1 MiB"))
    let many = scenarioText(String(repeating: "- sync: phone\n", count: 10_001))
    #expect(try problem(many).problem.contains("at most 10000 steps, found 10001"))
    let devices = "[" + (1...17).map { "d\($0)" }.joined(separator: ", ") + "]"
    #expect(
      try problem(scenarioText("- sync: d1", devices: devices)).problem.contains("16 devices"))
    for open in ["[", "- ", "? ", "{a: "] {
      let deep = scenarioText("- sync: " + String(repeating: open, count: 100_000))
      #expect(throws: ScenarioError.self) { try Scenario(parsing: deep, file: "x.yaml") }
    }
    let deep = String(repeating: "[", count: 30) + String(repeating: "]", count: 30)
    #expect(try problem(scenarioText("- sync: \(deep)")).problem.contains("less nesting"))
    var bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    for level in 1...60 {
      let last = "*a\(level - 1)"
      bomb += "a\(level): &a\(level) [\([last, last, last, last].joined(separator: ", "))]\n"
    }
    #expect(try problem(bomb).problem.contains("no meaning in a scenario"))
    let alias = scenarioText("- sync: &all [phone, tablet]\n- sync: *all")
    #expect(try problem(alias).userMessage.hasPrefix("x.yaml:5: anchors and aliases"))
  }

  @Test("repeats nothing of a file that could steer a terminal")
  func escape() throws {
    let error = try problem(scenarioText("- \"phone\\e[2J\": {start: a}"))
    #expect(!error.userMessage.unicodeScalars.contains("\u{1B}"))
  }

  @Test("lets time pass: a minute a step, or as the step says")
  func times() throws {
    let scenario = try Scenario(
      parsing: scenarioText(
        """
        - sync: phone
        - sync: phone
        - at: +2h
          sync: phone
        - at: 21:00
          sync: phone
        - wait: 1d 30m
        - at: 2026-03-09T08:00
          sync: phone
        """), file: "x.yaml")
    let offsets = scenario.steps.map { $0.at.milliseconds(since: scenario.start) / 60_000 }
    #expect(offsets == [0, 1, 120, 1500, 2970, 6 * 1440 + 720])
    #expect(scenario.steps.map(\.line) == [5, 6, 8, 10, 11, 13])
  }

  @Test("reads lengths of time, and writes what it reads")
  func lengths() {
    let day: Int64 = 86_400_000
    #expect(Lengths.milliseconds("1y") == 365 * day)
    #expect(Lengths.milliseconds("2w 1d") == 15 * day)
    #expect(Lengths.milliseconds("2h30m 5s") == 9_005_000)
    for text in ["", "2", "h", "2m 1h", "1h 1h", "-1h", "101y", "9999999y", "99999999s", "1.5h"] {
      #expect(Lengths.milliseconds(text) == nil, "\(text)")
    }
    var random = SplitMix(seed: 1)
    for _ in 0..<1000 {
      let length = Int64.random(in: 0...10_000_000, using: &random) * 1000
      #expect(Lengths.milliseconds(Lengths.text(length)) == length)
    }
  }

  @Test("reads ranges of names")
  func ranges() throws {
    let scenario = try Scenario(
      parsing: scenarioText("- phone: {drink: glass 9..11, amount: 0.25 l}"), file: "x.yaml")
    #expect(
      scenario.steps[0].action
        == .edit(
          device: "phone",
          .drink(["glass 9", "glass 10", "glass 11"], millilitres: 250, at: nil)))
  }

  @Test("survives any damage to a file", arguments: seeds(300))
  func damage(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let file = try #require(Scenarios.files.randomElement(using: &random))
    var bytes = Array(try Data(contentsOf: file))
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      let index = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: bytes[index] = UInt8.random(in: 0...127, using: &random)
      case 1: bytes.remove(at: index)
      default: bytes.insert(contentsOf: bytes[index..<min(bytes.count, index + 20)], at: index)
      }
    }
    let text = String(decoding: bytes, as: UTF8.self)
    // Either a scenario or a typed error. Anything else ends the process.
    _ = try? Scenario(parsing: text, file: "seed \(seed)")
  }
}
