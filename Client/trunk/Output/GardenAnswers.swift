// SPDX-License-Identifier: Apache-2.0
// What is said after something was done in the garden: by commands, and in the live view.

import AtrestCompanion
import TrunkDomain

/// Answers to what a person did.
enum GardenAnswers {
  /// After planting.
  static func planted(_ sprout: Sprout, in garden: Garden, _ context: CommandContext) -> String {
    "Planted \(GardenWords.title(sprout)) on \(GardenWords.name(.twig(sprout.twig), in: garden)): "
      + "\(sprout.plantedPlan.label), \(sprout.plantedPlan.cost.shortText) soil. "
      + GardenWords.left(garden, context)
  }

  /// After drafting.
  static func drafted(_ sprout: Sprout, in garden: Garden) -> String {
    "Drafted \(GardenWords.title(sprout)) on \(GardenWords.name(.twig(sprout.twig), in: garden)): "
      + "\(sprout.plan.label), \(sprout.plan.cost.shortText) soil to plant."
  }

  /// After watering.
  static func watered(_ sprout: Sprout, in garden: Garden, _ context: CommandContext) -> String {
    let water = garden.meters(at: context.now, in: context.zone).water
    return "Watered \(GardenWords.title(sprout)). Water left today: \(water). "
      + GardenWords.left(garden, context)
  }

  /// After the sun has shone.
  static func shone(on twig: Twig, in garden: Garden, _ context: CommandContext) -> String {
    "The sun shone on \(GardenWords.name(.twig(twig), in: garden)). "
      + GardenWords.left(garden, context)
  }

  /// After a harvest.
  ///
  /// - Parameter reward: The capacity that it brought.
  static func harvested(
    _ sprout: Sprout, _ result: HarvestResult, reward: Soil, in garden: Garden,
    _ context: CommandContext
  ) -> String {
    let bloom = sprout.blooms.text(for: result).map { " \($0.quotedForTerminal)" } ?? ""
    return
      "Harvested \(GardenWords.title(sprout)): \(result.label), \(result.rawValue) of 5.\(bloom) "
      + "Room for soil: \(reward.text) more. \(GardenWords.left(garden, context))"
  }

  /// After uprooting.
  static func uprooted(_ sprout: Sprout, in garden: Garden, _ context: CommandContext) -> String {
    "Uprooted \(GardenWords.title(sprout)). \(GardenWords.left(garden, context))"
  }

  /// After labelling.
  static func labelled(_ node: NodeID, in garden: Garden) -> String {
    GardenWords.name(node, in: garden).asSentence
  }

  /// After something was taken back.
  ///
  /// - Throws: `CommandFailure` if nothing could be.
  static func undone(_ undone: UndoneAction, _ context: CommandContext) throws -> String {
    guard undone.isUndone else {
      throw CommandFailure(
        "That was changed again since, here or on another device, and stays as it is: "
          + names(undone.changes, context).joined(separator: "; ") + ".")
    }
    let back = undone.changes.filter { !$0.restored.isEmpty }
    let kept = back.flatMap { change in
      change.kept.map { field in
        Trunk.recordWords.name(of: field, in: change.after.key.kind)
      }
    }
    let list = names(back, context).joined(separator: "; ")
    return "Taken back, from \(context.words(undone.at)): \(list)."
      + (kept.isEmpty
        ? ""
        : " Changed again since, and as it is now: \(Set(kept).sorted().joined(separator: ", ")).")
  }

  /// The records of changes, in words.
  static func names(_ changes: [UndoneAction.Change], _ context: CommandContext) -> [String] {
    changes.map { Trunk.recordWords.noun($0.after.key, $0.after, context) }
  }

  /// When there is nothing to take back.
  static let nothingToUndo = CommandFailure(
    "There is nothing to take back in the garden on this device.")
}
