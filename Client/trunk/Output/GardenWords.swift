// SPDX-License-Identifier: Apache-2.0
// The garden in words.

import AtrestCompanion
import TrunkDomain

/// Sentences and lines about the garden.
enum GardenWords {
  /// A sprout's title, quoted; a placeholder for one that has none.
  static func title(_ sprout: Sprout) -> String {
    sprout.title.isEmpty ? "a sprout without a title" : sprout.title.quotedForTerminal
  }

  /// A state in a word.
  static func state(_ state: Sprout.State) -> String {
    switch state {
    case .draft: "draft"
    case .active: "growing"
    case .completed(let result): "harvested \(result.rawValue)/5"
    case .failed: "uprooted"
    }
  }

  /// The soil: `7.35 of 10.00`.
  static func soil(_ meters: Meters) -> String {
    "\(meters.soil.text) of \(meters.capacity.text)"
  }

  /// What there is, in one line: `Soil 7.35 of 10.00   Water 2 of 3   Sun 1 of 1`.
  static func meters(_ meters: Meters, _ context: CommandContext) -> String {
    var line =
      "Soil \(soil(meters))   Water \(meters.water) of \(Watering.perDay)   "
      + "Sun \(meters.sun) of \(Shining.perWeek)"
    if meters.soil < .zero { line += "\n" + wrapped(belowZero) }
    return line
  }

  /// What soil below zero means.
  static let belowZero =
    "More was planted than there was soil for. All of it grows; nothing can be planted until soil "
    + "has come back."

  /// A sentence in lines of the terminal; in one for a program.
  static func wrapped(_ sentence: String) -> String {
    guard let columns = Terminal.readColumns else { return sentence }
    return Wrapping.lines(sentence, width: columns).joined(separator: "\n")
  }

  /// What is left after an action, for the end of an answer.
  static func left(_ garden: Garden, _ context: CommandContext) -> String {
    "Soil: \(soil(garden.meters(at: context.now, in: context.zone)))."
  }

  /// A node's label, quoted, or its plain name.
  static func name(_ node: NodeID, in garden: Garden) -> String {
    guard let label = garden.labels[node]?.label, !label.isEmpty else { return node.plainName }
    return "\(node.plainName), \(label.quotedForTerminal)"
  }

  /// How far a sprout is: `until 21 Feb 2027`, `harvested today 12:00`.
  static func progress(_ sprout: Sprout, _ context: CommandContext) -> String {
    switch sprout.state {
    case .draft: return "\(sprout.plan.cost.shortText) soil to plant"
    case .active:
      guard let due = sprout.due else { return "" }
      let day = TimeText.day(LocalDay(due, in: context.zone))
      return due <= context.now ? "its season ended on \(day)" : "until \(day)"
    case .completed, .failed: return sprout.ended.map { context.words($0) } ?? ""
    }
  }

  /// Counts of things, without those of which there are none: `2 sprouts and 1 leaf`; nil if there
  /// is nothing.
  static func list(_ counts: [(count: Int, one: String, many: String)]) -> String? {
    let parts = counts.filter { $0.count > 0 }.map {
      "\($0.count) \($0.count == 1 ? $0.one : $0.many)"
    }
    guard let last = parts.last else { return nil }
    return parts.count == 1 ? last : parts.dropLast().joined(separator: ", ") + " and " + last
  }

  /// Short ids of all sprouts.
  static func ids(_ sprouts: [Sprout]) -> [RecordUUID: String] {
    let whole = sprouts.map { ShortID.hex($0.id) }
    let short = ShortID.shortened(whole)
    return Dictionary(zip(sprouts.map(\.id), whole.map { short[$0] ?? $0 })) { first, _ in first }
  }

  /// A plan as it is typed, which leaves room for titles: `3m firm`.
  private static func shortLabel(_ plan: Sprout.Plan) -> String {
    "\(plan.season.code) \(plan.environment.code)"
  }

  /// A table of sprouts.
  static func table(
    _ sprouts: [Sprout], in garden: Garden, _ context: CommandContext, _ style: Style
  ) -> String {
    let ids = ids(garden.sprouts)
    var table = Table("ID", "TWIG", "TITLE", "PLAN", "STATE", "WHEN")
    for sprout in sprouts {
      table.add(
        ids[sprout.id] ?? "", sprout.twig.number, sprout.title, shortLabel(sprout.plantedPlan),
        state(sprout.state), progress(sprout, context))
    }
    return table.text(heading: style.quiet, width: Terminal.readColumns)
  }
}
