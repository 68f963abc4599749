// SPDX-License-Identifier: Apache-2.0
// Parses edits and tracks record names.

import Foundation

extension ScenarioParser {
  private static let verbs: [String: [String]] = [
    "start": ["began", "target"], "complete": ["ended"], "abandon": ["ended"],
    "edit": changeable.values.flatMap { $0 }.sorted(),
    "drink": ["amount", "drunk"], "delete": [], "set": ["to"],
    "bring back": ["field", "from"], "clock": [],
  ].merging(gardenVerbs) { $1 }

  /// What can be edited.
  private static let changeable: [Kind: [String]] = [
    .fast: ["began", "ended", "outcome", "target"], .water: ["amount", "drunk"],
    .sprout: ["title", "on", "season", "environment", "leaf", "note"], .leaf: ["name"],
  ]

  mutating func deviceAction(
    _ device: String, _ part: Part, fails: Part?
  ) throws(ScenarioError) -> Scenario.Action {
    let words = Self.verbs.keys.sorted()
    let all = try part.pairs("an action such as `{start: evening fast}`")
    var found: (verb: String, value: Part, extras: [String])?
    for (key, value) in all where found == nil {
      if case .text(let verb) = key.content, let extras = Self.verbs[verb] {
        found = (verb, value, extras)
      }
    }
    guard let (verb, value, extras) = found else {
      throw (all.first?.key ?? part).expected(
        "what happens on “\(device)” (\(words.joined(separator: ", ")))")
    }
    let parts = try part.pairs("`\(verb)`", keys: [verb] + extras)
    if verb == "clock" {
      if let fails { throw Self.misplaced(fails) }
      return .clock(device: device, try value.clock(around))
    }
    let before = records
    let edit = try edit(verb, value, parts)
    guard let fails else { return .edit(device: device, edit) }
    guard case .garden(let gardenEdit, _) = edit else { throw Self.misplaced(fails) }
    // What the garden refuses is not there afterwards, and its name is free.
    records = before
    return .edit(device: device, .garden(gardenEdit, fails: try refusal(fails)))
  }

  private mutating func edit(
    _ verb: String, _ value: Part, _ parts: [String: Part]
  ) throws(ScenarioError) -> Scenario.Edit {
    if let edit = try gardenEdit(verb, value, parts) { return .garden(edit, fails: nil) }
    switch verb {
    case "start":
      let name = try value.name("a name for the fast")
      try introduce([name], as: .fast, value)
      return .start(
        name, began: try parts["began"]?.moment(around),
        targetMinutes: try parts["target"]?.target())
    case "complete", "abandon":
      return .finish(
        try fast(value), ended: try parts["ended"]?.moment(around), isCompleted: verb == "complete")
    case "drink":
      let names = try value.names("a name for what was drunk")
      guard let amount = parts["amount"] else {
        throw value.error("expected `amount`, such as 250 ml, found none")
      }
      try introduce(names, as: .water, value)
      return .drink(
        names, millilitres: try amount.amount(), at: try parts["drunk"]?.moment(around))
    case "edit": return try correction(value, parts)
    case "delete":
      let names = try value.names("what to delete")
      for name in names {
        guard try kind(name, value) != .node else {
          throw value.error("a label is taken away with `label: \(name), to: \"\"`")
        }
      }
      return .delete(names)
    case "set":
      guard let to = parts["to"], case .text(let text) = to.content else {
        throw value.error("expected `to` with the setting's new value, found none")
      }
      guard text.utf8.count <= 1000, text.unicodeScalars.allSatisfy(Part.isPlain) else {
        throw to.expected("a line of at most 1000 bytes")
      }
      return .set(key: try value.name("a setting's name"), value: text)
    default:
      return .bringBack(
        Scenario.JournalChoice(
          record: try value.name("the name of a record"), field: try parts["field"]?.field(),
          from: try parts["from"].map { part throws(ScenarioError) in try device(part) }))
    }
  }

  private func correction(
    _ value: Part, _ parts: [String: Part]
  ) throws(ScenarioError) -> Scenario.Edit {
    let name = try value.name("the name of what to edit")
    guard parts.count > 1 else { throw value.error("expected what to change, found nothing") }
    let kind = try kind(name, value)
    let keys = Self.changeable[kind] ?? []
    for (key, part) in parts.sorted(by: { $0.key < $1.key }) where key != "edit" {
      guard keys.contains(key) else { throw part.error("\(kind.noun) has no `\(key)`") }
    }
    switch kind {
    case .fast:
      return .correctFast(
        name,
        Scenario.FastChange(
          began: try parts["began"]?.moment(around), ended: try parts["ended"]?.moment(around),
          outcome: try parts["outcome"]?.outcome(), targetMinutes: try parts["target"]?.target()))
    case .water:
      return .correctWater(
        name, millilitres: try parts["amount"]?.amount(), at: try parts["drunk"]?.moment(around))
    case .sprout: return .garden(try sproutChange(name, parts), fails: nil)
    case .leaf: return .garden(try leafChange(name, value, parts), fails: nil)
    case .node: throw value.error("a label is edited with `label: \(name), to: …`")
    }
  }

  // MARK: - Record names

  mutating func introduce(
    _ names: [String], as kind: Kind, _ part: Part
  ) throws(ScenarioError) {
    for name in names {
      guard records.updateValue(kind, forKey: name) == nil else {
        throw part.error("“\(name)” is taken already; give this one another name")
      }
    }
    guard records.count <= Scenario.Limits.records else {
      throw part.error("expected at most \(Scenario.Limits.records) records, found more")
    }
  }

  func kind(_ name: String, _ part: Part) throws(ScenarioError) -> Kind {
    guard let kind = records[name] else {
      throw part.error(
        "expected a fast, water, a sprout or a leaf that was named before, found “\(name)”")
    }
    return kind
  }

  func fast(_ part: Part) throws(ScenarioError) -> String {
    let name = try part.name("the name of a fast")
    guard records[name] == .fast else {
      throw part.expected("a fast that was started before")
    }
    return name
  }
}

extension Part {
  func field() throws(ScenarioError) -> Scenario.FieldName {
    guard case .text(let text) = content, let field = Scenario.FieldName(rawValue: text) else {
      throw expected(
        "a field (\(Scenario.FieldName.allCases.map(\.rawValue).joined(separator: ", ")))")
    }
    return field
  }
}
