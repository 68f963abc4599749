// SPDX-License-Identifier: Apache-2.0
// Parses expectations.

import Foundation

extension ScenarioParser {
  private static let keys =
    [
      "on", "fasts", "water", "settings", "number of fasts", "number of waters", "active",
      "journal", "waiting", "identical",
    ] + gardenKeys

  func expectation(_ part: Part) throws(ScenarioError) -> Expectation {
    let parts = try part.pairs("an expectation", keys: Self.keys)
    guard parts.contains(where: { $0.key != "on" }) else {
      throw part.error("expected something to hold, found nothing")
    }
    var expectation = Expectation()
    if let on = parts["on"] { expectation.devices = try someDevices(on) }
    expectation.fasts = try named(parts["fasts"], .fast) { part throws(ScenarioError) in
      try part.fastMatch(around)
    }
    expectation.water = try named(parts["water"], .water) { part throws(ScenarioError) in
      try part.waterMatch(around)
    }
    expectation.settings = try named(parts["settings"], nil) { part throws(ScenarioError) in
      try part.text("a value, or `gone`")
    }
    expectation.fastCount = try parts["number of fasts"]?.count()
    expectation.waterCount = try parts["number of waters"]?.count()
    expectation.waiting = try parts["waiting"]?.count()
    expectation.isIdentical = try parts["identical"]?.flag()
    if let active = parts["active"] {
      let name = try active.text("the name of a fast, or `none`") == "none" ? nil : fast(active)
      expectation.active = .init(name: "active", value: name, line: active.line)
    }
    expectation.garden = try gardenExpectation(parts)
    if let journal = parts["journal"] { expectation.journal = try entries(journal) }
    return expectation
  }

  func named<Value: Hashable & Sendable>(
    _ part: Part?, _ kind: Kind?, _ read: (Part) throws(ScenarioError) -> Value
  ) throws(ScenarioError) -> [Expectation.Named<Value?>] {
    var found: [Expectation.Named<Value?>] = []
    for (key, value) in try part?.pairs("names and what is expected of them") ?? [] {
      let names = kind == nil ? [try key.name("a setting's name")] : try key.names("a name")
      for name in names {
        if let kind, records[name] != kind {
          throw key.error("expected \(kind.noun) that was named before, found “\(name)”")
        }
        let isGone = if case .text("gone") = value.content { true } else { false }
        found.append(.init(name: name, value: isGone ? nil : try read(value), line: key.line))
      }
    }
    return found
  }

  private func entries(_ part: Part) throws(ScenarioError) -> Expectation.Journal {
    guard case .list(let list) = part.content else {
      return .count(try part.count())
    }
    var entries: [Expectation.Named<Expectation.EntryMatch>] = []
    for item in list {
      let parts = try item.pairs(
        "a journal entry", keys: ["record", "field", "kept", "set aside", "won by", "from"])
      guard let record = parts["record"] else {
        throw item.error("expected `record` in a journal entry, found none")
      }
      var match = Expectation.EntryMatch()
      match.field = try parts["field"]?.field()
      match.kept = try value(parts["kept"], match.field)
      match.setAside = try value(parts["set aside"], match.field)
      match.wonBy = try parts["won by"].map { part throws(ScenarioError) in try device(part) }
      match.from = try parts["from"].map { part throws(ScenarioError) in try device(part) }
      entries.append(
        .init(name: try record.name("a record's name"), value: match, line: item.line))
    }
    return .entries(entries)
  }

  private func value(
    _ part: Part?, _ field: Scenario.FieldName?
  ) throws(ScenarioError) -> Expectation.ValueMatch? {
    guard let part else { return nil }
    switch field {
    case .times: return .fast(try part.fastMatch(around))
    case .target: return .target(try part.target())
    case .amount: return .water(try part.waterMatch(around))
    case .value: return .text(try part.text("a value"))
    case .deleted: return .deleted(try part.flag())
    case .title, .twig, .plan, .planting, .outcome, .leaf, .name, .label, .note:
      return try gardenValue(part, field).map { .garden($0) }
    case nil: throw part.error("expected `field` beside `kept` and `set aside`, found none")
    }
  }
}

extension Part {
  fileprivate func fastMatch(_ around: Around) throws(ScenarioError) -> Expectation.FastMatch {
    let parts = try pairs("a fast", keys: ["began", "ended", "outcome", "target"])
    return Expectation.FastMatch(
      began: try parts["began"]?.moment(around), ended: try parts["ended"]?.moment(around),
      outcome: try parts["outcome"]?.outcome(), targetMinutes: try parts["target"]?.target())
  }

  fileprivate func waterMatch(_ around: Around) throws(ScenarioError) -> Expectation.WaterMatch {
    if case .text = content { return Expectation.WaterMatch(millilitres: try amount()) }
    let parts = try pairs("water", keys: ["amount", "drunk"])
    return Expectation.WaterMatch(
      millilitres: try parts["amount"]?.amount(), at: try parts["drunk"]?.moment(around))
  }
}
