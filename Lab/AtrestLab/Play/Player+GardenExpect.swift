// SPDX-License-Identifier: Apache-2.0
// Compares a device's garden with what a scenario expects of it.

import AtrestReplication
import TrunkDomain

extension Player {
  mutating func check(
    _ expectation: GardenExpectation, _ step: Scenario.Step, _ device: Device, _ holding: Holding
  ) {
    guard expectation != GardenExpectation() else { return }
    let garden = holding.garden
    for expected in expectation.sprouts {
      let sprout = garden.sprout(RecordBook.id(expected.name))
      var problems: [String] = []
      if let match = expected.value, let sprout { problems = mismatches(match, sprout, garden) }
      checkItem(
        expected.name, isThere: sprout != nil, device.name, expected.line,
        isExpected: expected.value != nil, problems)
    }
    for expected in expectation.leaves {
      let leaf = garden.leaf(RecordBook.id(expected.name))
      var problems: [String] = []
      if let name = expected.value, let leaf, leaf.name != name {
        problems = [differs(name, leaf.name)]
      }
      checkItem(
        expected.name, isThere: leaf != nil, device.name, expected.line,
        isExpected: expected.value != nil, problems)
    }
    for expected in expectation.labels {
      let label = NodeID(typed: expected.name).flatMap { garden.labels[$0]?.label }
      let words = differs(expected.value, label)
      report.check(
        label == expected.value, expected.line,
        "the label of \(expected.name) on \(device.name): \(words)")
    }
    if let count = expectation.sproutCount {
      report.check(
        garden.sprouts.count == count, step.line,
        "sprouts on \(device.name): expected \(count), found \(garden.sprouts.count)")
    }
    let meters = garden.meters(at: device.clock.shown(at: step.at), in: zone)
    for expected in expectation.meters {
      let (wanted, found) = Self.texts(expected.value, meters)
      report.check(
        wanted == found, expected.line,
        "\(expected.name) on \(device.name): expected \(wanted), found \(found)")
    }
  }

  private static func texts(
    _ meter: GardenExpectation.Meter, _ meters: Meters
  ) -> (wanted: String, found: String) {
    switch meter {
    case .soil(let soil): (soil.text, meters.soil.text)
    case .capacity(let capacity): (capacity.text, meters.capacity.text)
    case .water(let count): ("\(count)", "\(meters.water)")
    case .sun(let count): ("\(count)", "\(meters.sun)")
    }
  }

  private func mismatches(
    _ match: GardenExpectation.SproutMatch, _ sprout: Sprout, _ garden: Garden
  ) -> [String] {
    var problems: [String] = []
    func compare<Value: Equatable>(
      _ what: String, _ expected: Value?, _ found: Value?, _ words: (Value) -> String
    ) {
      guard let expected, expected != found else { return }
      problems.append(
        "\(what): expected \(words(expected)), found \(found.map(words) ?? "nothing")")
    }
    let date: (WallTime) -> String = { LabWords.time($0, start, zone) }
    let quoted: (String) -> String = { "“\(Part.shortened($0))”" }
    compare("state", match.state, GardenExpectation.State(sprout.state)) { $0.rawValue }
    compare("result", match.result, sprout.outcome?.result) { "\($0.rawValue)" }
    compare("title", match.title, sprout.title, quoted)
    compare("on", match.twig, sprout.twig) { $0.number }
    compare("season", match.season, sprout.plantedPlan.season) { $0.code }
    compare("environment", match.environment, sprout.plantedPlan.environment) { $0.code }
    if let leaf = match.leaf {
      let found = garden.leaf(of: sprout).map { book.name($0.key) }
      compare("leaf", leaf ?? "none", found ?? "none") { $0 }
    }
    compare("words", match.words, garden.waterings(of: sprout.id).compactMap(\.note)) {
      $0.isEmpty ? "none" : $0.map(quoted).joined(separator: ", ")
    }
    if let reflection = match.reflection {
      let words = { (text: String?) in text.map(quoted) ?? "none" }
      compare("reflection", words(reflection), words(sprout.reflection)) { $0 }
    }
    compare("planted", match.planted, sprout.planting?.at, date)
    compare("ended", match.ended, sprout.ended, date)
    return problems
  }

  private func differs(_ expected: String?, _ found: String?) -> String {
    let words: (String?) -> String = { $0.map { "“\(Part.shortened($0))”" } ?? "none" }
    return "expected \(words(expected)), found \(words(found))"
  }

  /// Whether a journal entry has an expected value.
  func matches(_ match: GardenExpectation.ValueMatch, _ value: GardenValue) -> Bool {
    func holds<Value: Equatable>(_ expected: Value?, _ found: Value?) -> Bool {
      expected == nil || expected == found
    }
    func holds(
      _ season: Season?, _ environment: Environment?, _ plan: Sprout.Plan?
    ) -> Bool { holds(season, plan?.season) && holds(environment, plan?.environment) }
    switch (match, value) {
    case (.text(let text), .title(let found)), (.text(let text), .name(let found)):
      return text == found
    case (.text(let text), .label(let found)), (.text(let text), .note(let found)):
      return text == found
    case (.twig(let twig), .twig(let found)): return twig == found
    case (.plan(let season, let environment, nil), .plan(let plan)):
      return holds(season, environment, plan)
    case (.plan(let season, let environment, let planted), .planting(let found)):
      return holds(season, environment, found?.plan) && holds(planted, found?.at)
    case (.outcome(let state, let result, let ended, let reflection), .outcome(let found)):
      let foundState =
        found.map { $0.result == nil ? .uprooted : .harvested }
        as GardenExpectation.State?
      return holds(state, foundState) && holds(result, found?.result) && holds(ended, found?.at)
        && (reflection == nil || reflection == .some(found?.reflection))
    case (.leaf(let name), .leaf(let found)):
      return name == found.map { book.name(Leaf.key(of: $0)) }
    default: return false
    }
  }
}
