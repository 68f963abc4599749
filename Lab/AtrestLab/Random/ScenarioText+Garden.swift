// SPDX-License-Identifier: Apache-2.0
// Formats edits of gardens.

import AtrestDomain
import AtrestReplication
import TrunkDomain

extension Scenario {
  func words(_ edit: GardenEdit) -> String {
    func time(_ key: String, _ date: WallTime?) -> String? {
      date.map { "\(key): \(quoted(TimeText.iso($0)))" }
    }
    func text(_ key: String, _ text: String?) -> String? { text.map { "\(key): \(quoted($0))" } }
    func joined(_ parts: String?...) -> String {
      parts.compactMap { $0 }.joined(separator: ", ")
    }
    func new(_ sprout: GardenEdit.NewSprout, _ verb: String) -> String {
      joined(
        text(verb, sprout.name), "on: \(sprout.twig.number)",
        "season: \(sprout.plan.season.code)", "environment: \(sprout.plan.environment.code)",
        text("leaf", sprout.leaf))
    }
    switch edit {
    case .draft(let sprout): return new(sprout, "draft")
    case .plant(let sprout, let at): return joined(new(sprout, "plant"), time("planted", at))
    case .plantDraft(let name, let at): return joined(text("plant", name), time("planted", at))
    case .water(let name, let note, let at):
      return joined(text("water", name), text("note", note), time("watered", at))
    case .shine(let twig, let note, let at):
      return joined("shine: \(twig.number)", text("note", note), time("shone", at))
    case .harvest(let name, let result, let reflection, let at):
      return joined(
        text("harvest", name), "result: \(result.rawValue)", text("note", reflection),
        time("ended", at))
    case .uproot(let name, let at): return joined(text("uproot", name), time("ended", at))
    case .correct(let name, let change):
      return joined(
        text("edit", name), text("title", change.title), change.twig.map { "on: \($0.number)" },
        change.season.map { "season: \($0.code)" },
        change.environment.map { "environment: \($0.code)" },
        change.leaf.flatMap { text("leaf", $0 ?? "none") }, text("note", change.reflection))
    case .addLeaf(let name, let twig): return joined(text("leaf", name), "on: \(twig.number)")
    case .rename(let name, let words): return joined(text("edit", name), text("name", words))
    case .label(let node, let label, let note):
      return joined("label: \(node.typed)", text("to", label), text("note", note))
    }
  }
}
