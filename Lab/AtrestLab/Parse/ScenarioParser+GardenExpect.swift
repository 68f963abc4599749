// SPDX-License-Identifier: Apache-2.0
// Parses what is expected of gardens.

import AtrestReplication
import TrunkDomain

extension ScenarioParser {
  static let gardenKeys = [
    "sprouts", "leaves", "labels", "soil", "capacity", "water left", "sun left",
    "number of sprouts",
  ]

  func gardenExpectation(
    _ parts: [String: Part]
  ) throws(ScenarioError) -> GardenExpectation {
    var expectation = GardenExpectation()
    expectation.sprouts = try named(parts["sprouts"], .sprout) { part throws(ScenarioError) in
      try sproutMatch(part)
    }
    expectation.leaves = try named(parts["leaves"], .leaf) { part throws(ScenarioError) in
      try part.text("what the leaf is called, or `gone`")
    }
    for (key, value) in try parts["labels"]?.pairs("parts of the tree and their labels") ?? [] {
      _ = try key.node()
      let label = try value.text("a label, or `gone`")
      expectation.labels.append(
        .init(name: try key.text("a node"), value: label == "gone" ? nil : label, line: key.line))
    }
    expectation.sproutCount = try parts["number of sprouts"]?.count()
    func add(
      _ key: String, _ read: (Part) throws(ScenarioError) -> GardenExpectation.Meter
    ) throws(ScenarioError) {
      guard let part = parts[key] else { return }
      expectation.meters.append(.init(name: key, value: try read(part), line: part.line))
    }
    try add("soil") { part throws(ScenarioError) in .soil(try part.soil()) }
    try add("capacity") { part throws(ScenarioError) in .capacity(try part.capacity()) }
    try add("water left") { part throws(ScenarioError) in
      .water(try part.count("water left", atMost: Watering.perDay))
    }
    try add("sun left") { part throws(ScenarioError) in
      .sun(try part.count("sun left", atMost: Shining.perWeek))
    }
    return expectation
  }

  private func sproutMatch(
    _ part: Part
  ) throws(ScenarioError) -> GardenExpectation.SproutMatch {
    var match = GardenExpectation.SproutMatch()
    if case .text(let text) = part.content, !text.isEmpty {
      match.state = try part.state()
      return match
    }
    let parts = try part.pairs(
      "a sprout",
      keys: [
        "state", "result", "title", "on", "season", "environment", "leaf", "words", "reflection",
        "planted", "ended",
      ])
    match.state = try parts["state"]?.state()
    match.result = try result(parts["result"], match.state)
    match.title = try parts["title"]?.text("a title")
    match.twig = try parts["on"]?.twig()
    match.season = try parts["season"]?.season()
    match.environment = try parts["environment"]?.environment()
    if let leaf = parts["leaf"] { match.leaf = .some(try leafOrNone(leaf)) }
    if let words = parts["words"] {
      guard case .list(let list) = words.content else {
        throw words.expected("a list of the words of its waterings")
      }
      var found: [String] = []
      for item in list { found.append(try item.text("the words of a watering")) }
      match.words = found
    }
    match.reflection = try reflection(parts)
    match.planted = try parts["planted"]?.moment(around)
    match.ended = try parts["ended"]?.moment(around)
    return match
  }

  private func reflection(_ parts: [String: Part]) throws(ScenarioError) -> String?? {
    guard let part = parts["reflection"] else { return nil }
    return .some(try part.wordsOrNone())
  }

  private func result(
    _ part: Part?, _ state: GardenExpectation.State?
  ) throws(ScenarioError) -> HarvestResult? {
    guard let part else { return nil }
    guard state == nil || state == .harvested else {
      throw part.error("only what is `harvested` has a `result`; leave one of the two out")
    }
    return try part.result()
  }

  /// A value of a journal entry; nil for a field that is none of a garden's.
  func gardenValue(
    _ part: Part, _ field: Scenario.FieldName?
  ) throws(ScenarioError) -> GardenExpectation.ValueMatch? {
    switch field {
    case .title, .name, .label, .note: return .text(try part.wordsOrNone())
    case .twig: return .twig(try part.twig())
    case .leaf: return .leaf(try leafOrNone(part))
    case .plan, .planting:
      let keys = ["season", "environment"] + (field == .planting ? ["planted"] : [])
      let parts = try part.pairs("a plan", keys: keys)
      return .plan(
        season: try parts["season"]?.season(), environment: try parts["environment"]?.environment(),
        planted: try parts["planted"]?.moment(around))
    case .outcome:
      if case .text(let text) = part.content, !text.isEmpty {
        return text == "uprooted"
          ? .outcome(state: .uprooted, result: nil, ended: nil, reflection: nil)
          : .outcome(
            state: .harvested, result: try part.result(), ended: nil, reflection: nil)
      }
      let parts = try part.pairs("an outcome", keys: ["state", "result", "ended", "reflection"])
      let state = try parts["state"]?.state()
      return .outcome(
        state: state, result: try result(parts["result"], state),
        ended: try parts["ended"]?.moment(around), reflection: try reflection(parts))
    case .times, .target, .amount, .value, .deleted, nil: return nil
    }
  }
}
