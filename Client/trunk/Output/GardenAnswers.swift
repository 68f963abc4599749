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

  /// After an import, or instead of one.
  static func added(_ addition: GardenAddition) -> String {
    let counts = GardenWords.list([
      (addition.sprouts, "sprout", "sprouts"), (addition.waterings, "watering", "waterings"),
      (addition.shinings, "shining", "shinings"), (addition.leaves, "leaf", "leaves"),
      (addition.labels, "label", "labels"), (addition.names, "name of the garden", "names"),
    ])
    let isDone = addition.written
    var sentences = ["\(isDone ? "Added" : "Would add") \(counts ?? "nothing")."]
    func say(_ count: Int, _ one: String, _ many: (String) -> String) {
      if count > 0 { sentences.append(count == 1 ? one : many("\(count)")) }
    }
    say(
      addition.completed, "1 record here \(isDone ? "took" : "would take") over what it lacked."
    ) { "\($0) records here \(isDone ? "took" : "would take") over what they lacked." }
    say(addition.differing, "1 record here differs from the file, and stays as it is.") {
      "\($0) records here differ from the file, and stay as they are."
    }
    say(addition.deleted, "1 record of the file was deleted here, and stays deleted.") {
      "\($0) records of the file were deleted here, and stay deleted."
    }
    say(addition.leftOut, "Left out as impossible: 1.") { "Left out as impossible: \($0)." }
    say(addition.shortened, "Cut because no record holds it whole: 1 text.") {
      "Cut because no record holds them whole: \($0) texts."
    }
    if isDone, addition.changes > UserAction.recordLimit {
      sentences.append("That is more than `trunk undo` can take back.")
    }
    return sentences.joined(separator: " ")
  }

  /// After something was taken back.
  ///
  /// - Throws: `CommandFailure` if nothing could be.
  static func undone(_ undone: UndoneAction, _ context: CommandContext) throws -> String {
    guard !undone.changes.isEmpty else {
      throw CommandFailure(
        "That changed too much at once to be taken back. Once more takes back what was done before."
      )
    }
    guard undone.isUndone else {
      throw CommandFailure(
        "That was changed again since, here or on another device, and stays as it is: "
          + listed(names(undone.changes, context)) + ".")
    }
    let back = undone.changes.filter { !$0.restored.isEmpty }
    let kept = back.filter { $0.after.key.kind != .conflict }.flatMap { change in
      change.kept.map { Trunk.recordWords.name(of: $0, in: change.after.key.kind) }
    }
    var sentences = [
      "Taken back, from \(context.words(undone.at)): \(listed(names(back, context)))."
    ]
    if undone.action == .restore { sentences.append("What was written back is set aside again.") }
    if !kept.isEmpty {
      let fields = Set(kept).sorted().joined(separator: ", ")
      sentences.append("Changed again since, and as it is now: \(fields).")
    }
    return sentences.joined(separator: " ")
  }

  /// Records by their names, as far as a sentence has room for them.
  private static func listed(_ names: [String]) -> String {
    names.count > 8 ? "\(names.count) records" : names.joined(separator: "; ")
  }

  /// The records of changes, in words. An entry of the journal is about one of them.
  static func names(_ changes: [UndoneAction.Change], _ context: CommandContext) -> [String] {
    changes.filter { $0.after.key.kind != .conflict }.map {
      Trunk.recordWords.noun($0.after.key, $0.after, context)
    }
  }

  /// When there is nothing to take back.
  static let nothingToUndo = CommandFailure(
    "There is nothing to take back in the garden on this device.")
}
