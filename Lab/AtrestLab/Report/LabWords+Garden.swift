// SPDX-License-Identifier: Apache-2.0
// Texts for gardens.

import AtrestDomain
import AtrestReplication
import TrunkDomain

extension LabWords {
  /// An edit of a garden as text, following the device's name.
  static func edit(_ edit: GardenEdit, _ zone: ZoneOffsets) -> String {
    func parts(_ parts: String?...) -> String { parts.compactMap { $0 }.joined(separator: ", ") }
    func clock(_ word: String, _ date: WallTime?) -> String? {
      date.map { "\(word) \(time($0, $0, zone))" }
    }
    func new(_ sprout: GardenEdit.NewSprout, _ verb: String) -> String {
      parts(
        "\(verb) \(quoted(sprout.name)) on twig \(sprout.twig.number)", sprout.plan.label,
        sprout.leaf.map { "leaf \(quoted($0))" })
    }
    switch edit {
    case .draft(let sprout): return new(sprout, "drafts")
    case .plant(let sprout, let at): return parts(new(sprout, "plants"), clock("planted", at))
    case .plantDraft(let name, let at):
      return parts("plants the draft \(quoted(name))", clock("planted", at))
    case .water(let name, let note, let at):
      return parts("waters \(quoted(name))", note.map(quoted), clock("watered", at))
    case .shine(let twig, let note, let at):
      return parts(
        "lets the sun shine on twig \(twig.number)", note.map(quoted), clock("shone", at))
    case .harvest(let name, let result, let reflection, let at):
      return parts(
        "harvests \(quoted(name))", "\(result.rawValue) of 5", reflection.map(quoted),
        clock("ended", at))
    case .uproot(let name, let at): return parts("uproots \(quoted(name))", clock("ended", at))
    case .correct(let name, let change):
      return parts(
        "edits \(quoted(name))", change.title.map { "title \(quoted($0))" },
        change.twig.map { "on twig \($0.number)" }, change.season?.label, change.environment?.code,
        change.leaf.map { $0.map { "leaf \(quoted($0))" } ?? "no leaf" },
        change.reflection.map { $0.isEmpty ? "no words" : "words \(quoted($0))" })
    case .addLeaf(let name, let twig):
      return "begins the leaf \(quoted(name)) on twig \(twig.number)"
    case .rename(let name, let text): return "calls the leaf \(quoted(name)) \(quoted(text))"
    case .label(let node, let label, let note):
      return parts(
        "labels \(node.plainName)", label.map { $0.isEmpty ? "no label" : quoted($0) },
        note.map { $0.isEmpty ? "no note" : "note \(quoted($0))" })
    }
  }

  /// A field's value as text.
  ///
  /// - Parameter name: The name of a record.
  static func value(
    _ value: GardenValue, _ start: WallTime, _ zone: ZoneOffsets, name: (RecordKey) -> String
  ) -> String {
    func words(_ what: String, _ text: String?) -> String {
      text.map { "\(what) \(quoted($0))" } ?? "no \(what)"
    }
    switch value {
    case .title(let title): return words("title", title)
    case .twig(let twig): return twig.map { "on twig \($0.number)" } ?? "on no twig"
    case .plan(let plan): return plan.map { "to be \($0.label)" } ?? "no plan"
    case .planting(let planting?):
      return "planted \(time(planting.at, start, zone)) (\(planting.plan.label))"
    case .planting(nil): return "not planted"
    case .outcome(let outcome?):
      let when = time(outcome.at, start, zone)
      let words =
        outcome.result.map { "harvested \(when) (\($0.rawValue) of 5)" } ?? "uprooted \(when)"
      return outcome.reflection.map { "\(words), \(quoted($0))" } ?? words
    case .outcome(nil): return "not ended"
    case .leaf(let id): return words("leaf", id.map { name(Leaf.key(of: $0)) })
    case .bloom(let result, let text): return words("bloom for \(result)", text)
    case .created(let date): return "created \(time(date, start, zone))"
    case .watered(let date), .shone(let date):
      return date.map { time($0, start, zone) } ?? "at no time"
    case .note(let text): return words("note", text)
    case .prompt(let text): return words("question", text)
    case .name(let text): return words("name", text)
    case .label(let text): return words("label", text)
    case .setting(let text): return quoted(text)
    }
  }

  /// Whether a value says something in a list of records: a name that the record is listed under
  /// does not, nor does what is not set.
  static func isListed(_ value: GardenValue, isPlanted: Bool, name: String) -> Bool {
    switch value {
    case .title(let text), .name(let text): text != name
    case .plan: !isPlanted
    case .created: false
    case .planting(let planting): planting != nil
    case .outcome(let outcome): outcome != nil
    case .leaf(let leaf): leaf != nil
    case .bloom(_, let text), .note(let text), .prompt(let text), .label(let text): text != nil
    case .twig, .watered, .shone, .setting: true
    }
  }

  private static func quoted(_ text: String) -> String { "“\(Part.shortened(text))”" }
}
