// SPDX-License-Identifier: Apache-2.0
// Parses edits of gardens.

import TrunkDomain

extension ScenarioParser {
  /// The verbs of gardens, with what each can say.
  static let gardenVerbs: [String: [String]] = [
    "plant": ["on", "season", "environment", "leaf", "planted"],
    "draft": ["on", "season", "environment", "leaf"],
    "water": ["note", "watered"], "shine": ["note", "shone"],
    "harvest": ["result", "note", "ended"], "uproot": ["ended"],
    "leaf": ["on"], "label": ["to", "note"],
  ]

  /// - Returns: nil for a verb that is none of a garden.
  mutating func gardenEdit(
    _ verb: String, _ value: Part, _ parts: [String: Part]
  ) throws(ScenarioError) -> GardenEdit? {
    switch verb {
    case "plant": return try planting(value, parts)
    case "draft": return .draft(try newSprout(value, parts))
    case "water":
      return .water(
        try sprout(value), note: try note(parts), at: try parts["watered"]?.moment(around))
    case "shine":
      return .shine(try value.twig(), note: try note(parts), at: try parts["shone"]?.moment(around))
    case "harvest":
      guard let result = parts["result"] else {
        throw value.error("expected `result`, from 1 to 5, found none")
      }
      return .harvest(
        try sprout(value), try result.result(), reflection: try note(parts),
        at: try parts["ended"]?.moment(around))
    case "uproot": return .uproot(try sprout(value), at: try parts["ended"]?.moment(around))
    case "leaf":
      let name = try value.name("a name for the leaf")
      let twig = try on(value, parts)
      try introduce([name], as: .leaf, value)
      return .addLeaf(name, on: twig)
    case "label":
      let node = try value.node()
      guard parts.count > 1 else {
        throw value.error("expected `to` with the label, or `note`, found neither")
      }
      let name = try value.text("a part of the tree")
      if records[name] != .node { try introduce([name], as: .node, value) }
      return .label(
        node, label: try parts["to"]?.words(GardenRules.label),
        note: try parts["note"]?.words(GardenRules.note))
    default: return nil
    }
  }

  private mutating func planting(
    _ value: Part, _ parts: [String: Part]
  ) throws(ScenarioError) -> GardenEdit {
    let at = try parts["planted"]?.moment(around)
    let name = try value.name("a name for the sprout, or a draft's")
    guard records[name] == .sprout else {
      guard parts["on"] != nil || records[name] != nil else {
        throw value.error(
          "expected `on` with a twig such as 3.5, or a draft that was named before, found "
            + value.found)
      }
      return .plant(try newSprout(value, parts), at: at)
    }
    for key in ["on", "season", "environment", "leaf"] {
      if let part = parts[key] {
        throw part.error(
          "“\(name)” was named before and is planted as it is; leave `\(key)` out, or `edit` it")
      }
    }
    return .plantDraft(name, at: at)
  }

  private mutating func newSprout(
    _ value: Part, _ parts: [String: Part]
  ) throws(ScenarioError) -> GardenEdit.NewSprout {
    let name = try value.name("a name for the sprout")
    let sprout = GardenEdit.NewSprout(
      name: name, twig: try on(value, parts),
      plan: Sprout.Plan(
        try parts["season"]?.season() ?? .oneMonth,
        try parts["environment"]?.environment() ?? .fertile),
      leaf: try parts["leaf"].map { part throws(ScenarioError) in try leaf(part) })
    try introduce([name], as: .sprout, value)
    return sprout
  }

  func sproutChange(
    _ name: String, _ parts: [String: Part]
  ) throws(ScenarioError) -> GardenEdit {
    var change = GardenEdit.SproutChange()
    change.title = try parts["title"]?.words(GardenRules.title)
    change.twig = try parts["on"]?.twig()
    change.season = try parts["season"]?.season()
    change.environment = try parts["environment"]?.environment()
    change.reflection = try parts["note"]?.words(GardenRules.note)
    if let part = parts["leaf"] { change.leaf = .some(try leafOrNone(part)) }
    return .correct(name, change)
  }

  func leafChange(
    _ name: String, _ value: Part, _ parts: [String: Part]
  ) throws(ScenarioError) -> GardenEdit {
    guard let part = parts["name"] else {
      throw value.error("expected `name` with the leaf's new name, found none")
    }
    return .rename(name, to: try part.words(GardenRules.leafName))
  }

  /// How a garden may refuse an edit.
  func refusal(_ part: Part) throws(ScenarioError) -> GardenRefusal {
    guard case .text(let text) = part.content, let refusal = GardenRefusal(rawValue: text) else {
      let names = GardenRefusal.allCases.map(\.rawValue).joined(separator: ", ")
      throw part.expected("why a garden refuses something (\(names))")
    }
    return refusal
  }

  // MARK: - Values

  private func on(_ value: Part, _ parts: [String: Part]) throws(ScenarioError) -> Twig {
    guard let part = parts["on"] else {
      throw value.error("expected `on` with a twig such as 3.5, found none")
    }
    return try part.twig()
  }

  private func note(_ parts: [String: Part]) throws(ScenarioError) -> String? {
    let text = try parts["note"]?.words(GardenRules.note)
    return text == "" ? nil : text
  }

  private func sprout(_ part: Part) throws(ScenarioError) -> String {
    let name = try part.name("the name of a sprout")
    guard records[name] == .sprout else {
      throw part.expected("a sprout that was planted or drafted before")
    }
    return name
  }

  func leaf(_ part: Part) throws(ScenarioError) -> String {
    let name = try part.name("the name of a leaf")
    guard records[name] == .leaf else { throw part.expected("a leaf that was named before") }
    return name
  }

  /// A leaf's name, or nil for `none`.
  func leafOrNone(_ part: Part) throws(ScenarioError) -> String? {
    if case .text("none") = part.content { return nil }
    return try leaf(part)
  }
}
