// SPDX-License-Identifier: Apache-2.0
// `trunk uproot`: ends what grows, without a result.

import ArgumentParser
import AtrestCompanion
import TrunkDomain

/// `trunk uproot`: ends what grows, without a result.
struct UprootCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "uproot", abstract: "Let what grows go. A quarter of its soil comes back.",
    discussion: """
      EXAMPLES:
        trunk uproot middlemarch
      """)

  @Argument(help: "The sprout: the beginning of its id, or words of its title.") var sprout: String
  @OptionGroup var when: WhenOption
  @OptionGroup var options: ReplicaOptions<Trunk>
  @OptionGroup var format: FormatOptions

  func run() throws {
    let context = CommandContext.current()
    let time = try when.time(context)
    let (uprooted, garden) = try options.change(creates: false) { garden, store in
      let found = try TypedGarden.sprout(sprout, in: garden)
      try when.check(time, after: found.planting)
      let uprooted = try garden.uprooting(found, at: time)
      try store.save(uprooted, editedFrom: found)
      return (uprooted, try store.garden())
    }
    try format.answer(
      ChangedSproutRow(uprooted, in: garden, context),
      GardenAnswers.uprooted(uprooted, in: garden, context))
  }
}
