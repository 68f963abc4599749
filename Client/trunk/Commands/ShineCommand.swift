// SPDX-License-Identifier: Apache-2.0
// `trunk shine`: a reflection on a twig.

import ArgumentParser
import AtrestCompanion
import TrunkDomain

/// `trunk shine`: a reflection on a twig.
struct ShineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "shine", abstract: "Let the sun shine on a twig: look back on its week.",
    discussion: """
      There is sun for one twig a week, from Monday at 6:00 in the morning. It brings 0.35 soil back.

      EXAMPLES:
        trunk shine 3.5 "A quiet week"
      """)

  @Argument(help: "Branch and twig, such as 3.5.") var twig: String
  @Argument(help: "The words, if there are any.") var note: String?
  @OptionGroup var when: WhenOption
  @OptionGroup var options: ReplicaOptions<Trunk>
  @OptionGroup var format: FormatOptions

  struct Row: Encodable {
    let shining: JournalRow
    let meters: MetersRow
  }

  func run() throws {
    let context = CommandContext.current()
    let twig = try TypedGarden.twig(twig)
    let time = try when.time(context)
    let words = try note.flatMap { try GardenRules.note($0) }
    let (shining, garden) = try options.change { garden, store in
      let shining = try garden.shining(
        on: twig, id: RecordUUID.random(), note: words, at: time, in: context.zone)
      try store.save(shining)
      return (shining, try store.garden())
    }
    let meters = garden.meters(at: context.now, in: context.zone)
    try format.answer(
      Row(shining: JournalRow(shining), meters: MetersRow(meters)),
      GardenAnswers.shone(on: twig, in: garden, context))
  }
}
