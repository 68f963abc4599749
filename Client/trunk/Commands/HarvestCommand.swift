// SPDX-License-Identifier: Apache-2.0
// `trunk harvest`: ends what grows, with a result.

import ArgumentParser
import AtrestCompanion
import TrunkDomain

/// `trunk harvest`: ends what grows, with a result.
struct HarvestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "harvest", abstract: "Harvest what grows: how did it go?",
    discussion: """
      The soil that it took comes back, and there is room for more of it: the more, the longer the season, the harder \
      the ground, and the better the result.

      EXAMPLES:
        trunk harvest middlemarch --result 4
        trunk harvest 3f2a --result 5 --note "Finished it on the train"
      """)

  @Argument(help: "The sprout: the beginning of its id, or words of its title.") var sprout: String
  @Option(
    help: ArgumentHelp(
      "How it went: 1 minimal, 2 partial, 3 good, 4 strong, 5 exceptional.", valueName: "1-5"))
  var result: Int
  @Option(help: ArgumentHelp("Words about it.", valueName: "text")) var note: String?
  @OptionGroup var when: WhenOption
  @OptionGroup var options: ReplicaOptions<Trunk>
  @OptionGroup var format: FormatOptions

  func run() throws {
    let context = CommandContext.current()
    let grade = try TypedGarden.result(result)
    let time = try when.time(context)
    let words = try note.flatMap { try GardenRules.note($0) }
    let (harvested, reward, garden) = try options.change(creates: false) { garden, store in
      let found = try TypedGarden.sprout(sprout, in: garden)
      try when.check(time, after: found.planting)
      let harvested = try garden.harvesting(found, grade, reflection: words, at: time)
      try store.save(harvested, editedFrom: found)
      let after = try store.garden()
      return (harvested, after.ledger.capacity - garden.ledger.capacity, after)
    }
    try format.answer(
      ChangedSproutRow(harvested, in: garden, context),
      GardenAnswers.harvested(harvested, grade, reward: reward, in: garden, context))
  }
}
