// SPDX-License-Identifier: Apache-2.0
// `trunk plant`: a new sprout, or a draft.

import ArgumentParser
import AtrestCompanion
import TrunkDomain

/// `trunk plant`: plants a new sprout, or a draft.
struct PlantCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plant", abstract: "Plant a goal on a twig, or a draft that is there.",
    discussion: """
      With `--on` it is a new sprout with that title. Without, it is a draft: the beginning of its id, or words of its \
      title. Planting takes soil, which comes back with the harvest.

      EXAMPLES:
        trunk plant "Read Middlemarch" --on 3.5 --season 3m --environment firm
        trunk plant middlemarch
      """)

  @Argument(help: "The title of a new sprout; or a draft.") var sprout: String
  @OptionGroup var plan: PlanOptions
  @OptionGroup var details: SproutOptions
  @OptionGroup var when: WhenOption
  @OptionGroup var options: ReplicaOptions<Trunk>
  @OptionGroup var format: FormatOptions

  func validate() throws {
    if plan.on == nil, plan.season != nil || plan.environment != nil {
      throw ValidationError(
        "Say where with `--on`, as in `--on 3.5`. A draft is planted as it is; `trunk edit` "
          + "changes it.")
    }
  }

  func run() throws {
    let context = CommandContext.current()
    let time = try when.time(context)
    let new = try plan.on.map { try plan.draft(sprout, twig: $0, at: time) }
    func planted(in garden: Garden) throws -> Sprout {
      var draft = try new ?? TypedGarden.sprout(sprout, in: garden, preferring: .draft)
      try details.apply(to: &draft, in: garden)
      return try garden.planting(draft, at: time)
    }
    let (planted, garden) = try options.change(
      creates: new != nil, firstTrying: { _ = try planted(in: $0) },
      { garden, store in
        let planted = try planted(in: garden)
        try store.save(planted)
        return (planted, try store.garden())
      })
    try format.answer(
      ChangedSproutRow(planted, in: garden, context),
      GardenAnswers.planted(planted, in: garden, context))
  }
}
