// SPDX-License-Identifier: Apache-2.0
// `trunk water`: a few words about a sprout.

import ArgumentParser
import AtrestCompanion
import TrunkDomain

/// `trunk water`: a few words about a sprout.
struct WaterCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "water", abstract: "Water what grows, with a few words.",
    discussion: """
      There is water for three a day, from 6:00 in the morning. Each brings 0.05 soil back.

      EXAMPLES:
        trunk water middlemarch "Two chapters before breakfast"
        trunk water 3f2a --at "yesterday 21:00"
      """)

  @Argument(help: "The sprout: the beginning of its id, or words of its title.") var sprout: String
  @Argument(help: "The words, if there are any.") var note: String?
  @OptionGroup var when: WhenOption
  @OptionGroup var options: ReplicaOptions<Trunk>
  @OptionGroup var format: FormatOptions

  struct Row: Encodable {
    let watering: JournalRow
    let meters: MetersRow
  }

  func run() throws {
    let context = CommandContext.current()
    let time = try when.time(context)
    let words = try note.flatMap { try GardenRules.note($0) }
    let (watering, watered, garden) = try options.change(creates: false) { garden, store in
      let found = try TypedGarden.sprout(sprout, in: garden)
      try when.check(time, after: found.planting)
      let watering = try garden.watering(
        found, id: RecordUUID.random(), note: words, at: time, in: context.zone)
      try store.save(watering)
      return (watering, found, try store.garden())
    }
    let meters = garden.meters(at: context.now, in: context.zone)
    try format.answer(
      Row(watering: JournalRow(watering, watered), meters: MetersRow(meters)),
      GardenAnswers.watered(watered, in: garden, context))
  }
}
