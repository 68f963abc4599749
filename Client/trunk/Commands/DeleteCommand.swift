// SPDX-License-Identifier: Apache-2.0
// `trunk delete`: takes a draft away.

import ArgumentParser
import AtrestCompanion
import TrunkDomain

/// `trunk delete`: takes a draft away.
struct DeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Take a draft away, on every device.",
    discussion: """
      What was planted stays in the garden's history: `trunk uproot` ends it.

      EXAMPLES:
        trunk delete cello
      """)

  @Argument(help: "The draft: the beginning of its id, or words of its title.") var sprout: String
  @OptionGroup var options: ReplicaOptions<Trunk>
  @OptionGroup var format: FormatOptions

  func run() throws {
    let context = CommandContext.current()
    let (deleted, garden) = try options.change(creates: false) { garden, store in
      let found = try TypedGarden.sprout(sprout, in: garden, preferring: .draft)
      guard found.state == .draft else { throw GardenProblem.plantedCannotBeDeleted }
      try store.delete(found.key)
      return (found, try store.garden())
    }
    try format.answer(
      ChangedSproutRow(deleted, in: garden, context), "Deleted \(GardenWords.title(deleted)).")
  }
}
