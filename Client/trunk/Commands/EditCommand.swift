// SPDX-License-Identifier: Apache-2.0
// `trunk edit`: changes what a sprout says.

import ArgumentParser
import AtrestCompanion
import TrunkDomain

/// `trunk edit`: changes what a sprout says.
struct EditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Change a sprout's title, blooms or leaf, a draft's plan, or a harvest's words.",
    discussion: """
      EXAMPLES:
        trunk edit middlemarch --title "Read Middlemarch aloud"
        trunk edit cello --season 6m
        trunk edit 3f2a --bloom5 "Both volumes" --leaf "Long books"
        trunk edit middlemarch --note "Finished it on the train, and began again"
      """)

  @Argument(help: "The sprout: the beginning of its id, or words of its title.") var sprout: String
  @Option(help: ArgumentHelp("Another title.", valueName: "text")) var title: String?
  @Option(
    help: ArgumentHelp("Other words about the harvest; empty for none.", valueName: "text"))
  var note: String?
  @OptionGroup var plan: PlanOptions
  @OptionGroup var details: SproutOptions
  @OptionGroup var options: ReplicaOptions<Trunk>
  @OptionGroup var format: FormatOptions

  func validate() throws {
    if title == nil, note == nil, details.isEmpty, plan.on == nil, plan.season == nil,
      plan.environment == nil
    {
      throw ValidationError("Say what to change, such as `--title`.")
    }
  }

  func run() throws {
    let context = CommandContext.current()
    let newTitle = try title.map { try GardenRules.title($0) }
    let newNote = try note.map { try GardenRules.note($0) }
    let season = try plan.season.map { try TypedGarden.season($0) }
    let environment = try plan.environment.map { try TypedGarden.environment($0) }
    let twig = try plan.on.map { try TypedGarden.twig($0) }
    let (edited, garden) = try options.change(creates: false) { garden, store in
      let found = try TypedGarden.sprout(sprout, in: garden)
      var edited = try newNote.map { try garden.reflecting(on: found, $0) } ?? found
      if season != nil || environment != nil {
        guard found.state == .draft else { throw GardenProblem.notADraft }
      }
      edited.title = newTitle ?? found.title
      edited.plan = Sprout.Plan(
        season ?? found.plan.season, environment ?? found.plan.environment)
      if let twig, twig != found.twig {
        edited.twig = twig
        edited.leaf = nil  // A leaf is on one twig.
      }
      try details.apply(to: &edited, in: garden)
      try store.save(edited, editedFrom: found)
      return (edited, try store.garden())
    }
    try format.answer(
      ChangedSproutRow(edited, in: garden, context), "Changed \(GardenWords.title(edited)).")
  }
}
