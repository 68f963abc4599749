// SPDX-License-Identifier: Apache-2.0
// `trunk draft`: keeps an idea.

import ArgumentParser
import AtrestCompanion
import TrunkDomain

/// `trunk draft`: keeps an idea.
struct DraftCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "draft", abstract: "Keep a goal as a draft. It takes no soil.",
    discussion: """
      EXAMPLES:
        trunk draft "Learn the cello" --on 2.1 --season 1y --environment barren
      """)

  @Argument(help: "Its title.") var title: String
  @OptionGroup var plan: PlanOptions
  @OptionGroup var details: SproutOptions
  @OptionGroup var options: ReplicaOptions<Trunk>
  @OptionGroup var format: FormatOptions

  func validate() throws {
    if plan.on == nil { throw ValidationError("Say where with `--on`, as in `--on 3.5`.") }
  }

  func run() throws {
    let context = CommandContext.current()
    let new = try plan.draft(title, twig: plan.on ?? "", at: context.now)
    func draft(in garden: Garden) throws -> Sprout {
      var draft = new
      try details.apply(to: &draft, in: garden)
      return draft
    }
    let (draft, garden) = try options.change(
      firstTrying: { _ = try draft(in: $0) },
      { garden, store in
        let draft = try draft(in: garden)
        try store.save(draft)
        return (draft, try store.garden())
      })
    try format.answer(
      ChangedSproutRow(draft, in: garden, context),
      GardenAnswers.drafted(draft, in: garden))
  }
}
